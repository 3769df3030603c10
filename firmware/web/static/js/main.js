// The page's frame: who this phone is, which view is shown, and what is said aloud.

import { get, post } from "./api.js";
import { $, h, put, say } from "./dom.js";
import { drawPack } from "./faces.js";
import { close, connect, follow, live } from "./live.js";
import { meDialog } from "./me.js";
import { shades } from "./table.js";
import { toast } from "./toast.js";
import { cameraView } from "./view_camera.js";
import { doorView } from "./view_door.js";
import { entryView, logView, missedView } from "./view_log.js";
import { sessionView, sessionsView } from "./view_sessions.js";
import { setupView } from "./view_setup.js";
import { tableView } from "./view_table.js";
import { loadWords, rulingWords, t, told, who } from "./words.js";

const VIEWS = [
  { name: "table", make: tableView, tab: true },
  { name: "log", make: logView, tab: true },
  { name: "sessions", make: sessionsView, tab: true },
  { name: "setup", make: setupView, tab: true },
  { name: "camera", make: cameraView, tab: true },
  { name: "entry", make: entryView, under: "log" },
  { name: "missed", make: missedView, under: "log" },
  { name: "session", make: sessionView, under: "sessions" },
];

let end = () => {};
let saidRuling = null;

async function start() {
  await loadWords();
  drawPack(shades());
  $("nav").setAttribute("aria-label", t("nav.label"));
  $("me").addEventListener("click", () => meDialog(refresh));
  window.addEventListener("hashchange", () => (codesOf(location.hash) ? scanned() : route()));
  window.addEventListener("lapsed", lapsed);
  follow(frame);
  if (codesOf(location.hash)) await scanned();
  else await refresh();
}

/** Ask who this phone is, and show the door or the table. */
async function refresh() {
  live.standing = await get("/api/hello").catch(() => live.standing);
  if (live.standing.joined) connect(lost);
  else close();
  nav();
  route();
}

/** The server no longer knows this phone as the seat or the host that it was: ask who it is now, and show that. */
async function lapsed() {
  const { seat, host } = live.standing;
  if (seat || host) await refresh();
}

/** The stream was refused: the server restarts (try again), or the code was changed (back to the door). */
async function lost(again) {
  const standing = await get("/api/hello").catch(() => null);
  if (standing && !standing.joined) await refresh();
  else again();
}

function codesOf(hash) {
  const codes = new URLSearchParams(hash.slice(1));
  return codes.has("join") || codes.has("seat") ? codes : null;
}

/** A scanned code: take it out of the address, join, and sit. */
async function scanned() {
  const codes = codesOf(location.hash);
  history.replaceState(null, "", "/#/table");
  try {
    if (codes.get("join")) await post("/api/join", { code: codes.get("join") });
    if (codes.get("seat")) await post("/api/seat", { code: codes.get("seat") });
  } catch (error) {
    toast(error.message);
  }
  await refresh();
}

function route() {
  end();
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const view = VIEWS.find((one) => one.name === name) || VIEWS[0];
  const main = $("main");
  main.dataset.view = live.standing.joined ? view.name : "door";
  end = (live.standing.joined ? view.make : doorView)(main, { parts: rest, refresh }) || (() => {});
  document.title = t("document.title", { view: t(`nav.${view.under || view.name}`) });
  mark(view);
  window.scrollTo(0, 0);
}

function nav() {
  $("nav").hidden = !live.standing.joined;
  if (!$("nav").children.length) put($("nav"), VIEWS.filter((view) => view.tab).map(tab)); // once: it may have the focus
  const { joined, seat, host } = live.standing;
  $("me").hidden = !joined;
  const me = seat && (live.state ? who(live.state, seat) : t("seat", { seat }));
  say($("me"), host ? (me ? t("me.host", { me }) : t("me.host_only")) : me || t("me.nobody"));
}

function tab(view) {
  return h("a", { href: `#/${view.name}`, "data-tab": view.name }, h("i", { class: `sign sign-${view.name}`, "aria-hidden": "true" }), h("span", {}, t(`nav.${view.name}`)));
}

function mark(view) {
  for (const link of $("nav").children) {
    if (link.dataset.tab === (view.under || view.name)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** The parts of the frame that follow the table: the game's name, the connection, the last ruling aloud. */
function frame(state) {
  nav();
  mark(VIEWS.find((view) => view.name === $("main").dataset.view) || VIEWS[0]);
  if (!state) return;
  const where = live.on ? t(`state.${state.state || "waiting"}`) : t("state.away");
  put($("playing"), h("b", {}, told(`game.${state.game}`, state.title) || t("title")), h("span", { class: "pill", "data-state": live.on ? state.state : "away", title: where }, h("span", {}, where)));
  sayNew(state);
}

/** Say the rulings that are new, all of them; those that were there when the page came are not said. */
function sayNew(state) {
  const rulings = state.rulings || [];
  const newest = rulings.at(-1)?.id ?? -1;
  const known = saidRuling !== null && saidRuling <= newest ? saidRuling : -1; // ids begin again with a session
  const fresh = saidRuling === null ? [] : rulings.filter((ruling) => ruling.id > known);
  if (fresh.length) say($("said"), fresh.map((ruling) => rulingWords(state, ruling)).join(" "));
  saidRuling = newest;
}

start();
