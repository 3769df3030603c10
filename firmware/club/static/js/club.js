// The club's page: the door, then every table, the leader board and settling up. All of it follows the hub's stream.

import { get, post } from "./api.js";
import { $, h, put, say } from "./dom.js";
import { drawPack } from "./faces.js";
import { close, connect, follow, live } from "./live.js";
import { shades } from "./table.js";
import { toast } from "./toast.js";
import { doorView } from "./view_door.js";
import { loadWords, t } from "./words.js";

const SHOWN = 12; // so many players and transfers are listed before one asks for all
const CALM_MS = 300; // a burst of changes of the evening is asked for once
const POOL = "the pool";

const cards = new Map(); // the tables' elements by name, each with the text of what it shows
const all = { leaders: false, transfers: false };
let day = "";
let known = "";
let timer = 0;
let disputed = new Set();

async function start() {
  await loadWords();
  document.title = t("title");
  drawPack(shades());
  follow(show);
  window.addEventListener("hashchange", joined);
  await joined();
}

/** A scanned code lets in; then ask who this phone is, and show the door or the club. */
async function joined() {
  const code = new URLSearchParams(location.hash.slice(1)).get("join");
  if (code) {
    history.replaceState(null, "", "/");
    await post("/api/join", { code }).catch((error) => toast(error.message));
  }
  await refresh();
}

async function refresh() {
  live.standing = await get("/api/hello").catch(() => live.standing);
  if (!live.standing.joined) {
    close();
    doorView($("main"), { refresh });
    return;
  }
  frame();
  connect(lost);
}

async function lost(again) {
  const standing = await get("/api/hello").catch(() => null);
  if (standing && !standing.joined) await refresh();
  else again();
}

/** The page's parts, once. */
function frame() {
  cards.clear();
  known = "";
  const pick = h("select", { id: "day", onchange: (event) => ask((day = event.target.value)) });
  put(
    $("main"),
    h("div", { class: "club-night" },
      h("section", { "aria-labelledby": "tables-title" },
        h("div", { class: "club-head" }, h("h1", { id: "tables-title" }, t("club.tables")), h("p", { class: "quiet", id: "there" }), jumps()),
        h("ul", { class: "club-tables", id: "tables" })),
      h("div", {},
        h("section", { class: "panel", "aria-labelledby": "board-title" },
          h("h2", { id: "board-title" }, t("evening.title")),
          h("p", { class: "club-evening" }, h("label", { for: "day" }, t("evening.pick")), pick),
          h("div", { id: "board" })),
        h("section", { class: "panel", "aria-labelledby": "settle-title" }, h("h2", { id: "settle-title" }, t("settle.title")), h("div", { id: "settle" })),
        h("details", { class: "panel" }, h("summary", {}, t("sessions.title")), h("ul", { class: "club-sessions", id: "sessions" })))),
  );
}

/** On a phone the evening lies below all the tables of the hall: the way there. */
function jumps() {
  const to = (id, words) => h("button", { type: "button", onclick: () => $(id).scrollIntoView() }, t(words));
  return h("nav", { class: "club-jump", "aria-label": t("club.jump") }, to("board-title", "evening.title"), to("settle-title", "settle.title"));
}

/** Everything that follows the stream. */
function show(state) {
  if (!state || !$("tables")) return;
  put($("playing"), h("span", { class: "pill", "data-state": live.on ? "playing" : "away", title: t(live.on ? "club.live" : "club.lost") }, h("span", {}, t(live.on ? "club.live" : "club.lost"))));
  const tables = Object.keys(state).filter((key) => key.startsWith("table:")).sort(byName).map((key) => state[key]);
  const playing = tables.filter((one) => one.online && one.session && !one.over).length;
  say($("there"), tables.length ? t("club.there", { n: playing }) : t("club.none"));
  tables.forEach(place);
  callOut(tables);
  if (state.evening && `${state.evening.evening}-${state.evening.revision}` !== known) {
    known = `${state.evening.evening}-${state.evening.revision}`;
    clearTimeout(timer);
    timer = setTimeout(ask, CALM_MS);
  }
}

const byName = (one, other) => one.localeCompare(other, undefined, { numeric: true });

/** A table's card, in its place, made anew only where it has changed. */
function place(table, at) {
  const text = JSON.stringify(table);
  const old = cards.get(table.name);
  if (old?.text === text) return;
  const made = card(table);
  if (old) old.element.replaceWith(made);
  else $("tables").insertBefore(made, $("tables").children[at] || null);
  cards.set(table.name, { text, element: made });
}

/** What a table is doing, in a word of the catalogue. */
function kind(table) {
  if (!table.online) return "away";
  if (table.dispute) return "dispute";
  if (!table.session) return "waiting";
  if (table.over) return "over";
  return ["paused", "fault"].includes(table.state) ? table.state : "playing";
}

function card(table) {
  const is = kind(table);
  const seats = (table.seats || []).map((name, at) => seat(table, name, at));
  return h(
    "li",
    { class: "club-table", "data-show": is, "data-table": table.name },
    h("header", {}, h("h2", {}, table.name), h("span", { class: "is" }, t(`is.${is}`))),
    table.online || !table.since_ns ? null : h("p", { class: "quiet" }, t("table.since", { time: when(table.since_ns) })),
    table.session ? [h("div", { class: "club-row" }, h("div", {}, h("p", { class: "quiet" }, table.title), h("p", { class: "due-words" }, table.words)), pool(table)), h("ul", { class: "club-seats" }, seats)] : null,
    table.said ? h("p", { class: "club-said" }, table.said) : null,
    table.lacking ? h("p", { class: "note" }, t("table.lacking", { n: table.lacking })) : null,
    table.unreadable ? h("p", { class: "note" }, t("table.unreadable", { n: table.unreadable, words: table.complaint })) : table.complaint ? h("p", { class: "note" }, t("table.complaint", { words: table.complaint })) : null,
  );
}

function pool(table) {
  return h("p", { class: "pool" }, h("i", { class: "stack", "aria-hidden": "true" }), h("b", {}, String(table.pool)), h("span", {}, t("table.pool")));
}

function seat(table, name, at) {
  const counters = table.counters?.[at];
  return h("li", { "data-turn": table.turn_seat === at + 1 && table.online ? "yes" : null }, h("bdi", {}, name), counters === undefined ? null : h("b", { class: counters < 0 ? "less" : "more" }, signed(counters)));
}

/** Say aloud at which tables the referee was called since the last time. */
function callOut(tables) {
  const now = new Set(tables.filter((one) => kind(one) === "dispute").map((one) => one.name));
  const fresh = [...now].filter((name) => !disputed.has(name));
  if (fresh.length) say($("said"), fresh.map((name) => `${name}: ${t("is.dispute")}`).join(" "));
  disputed = now;
}

/** Ask for the evening's figures, and show them. */
async function ask() {
  const figures = await get(`/api/evening?day=${encodeURIComponent(day)}`).catch((error) => toast(error.message));
  if (!figures || !$("board")) return;
  days(figures);
  board(figures);
  settle(figures);
  put($("sessions"), figures.sessions.map(session));
}

function days(figures) {
  const options = [["", t("evening.tonight")], ...figures.evenings.map((one) => [one, date(one)]), ["all", t("evening.all")]];
  put($("day"), options.map(([value, words]) => h("option", { value }, words)));
  $("day").value = day;
}

function board(figures) {
  if (!figures.leaders.length) return put($("board"), h("p", { class: "quiet" }, t("evening.empty")));
  const rows = figures.leaders.slice(0, all.leaders ? undefined : SHOWN).map(leader);
  const head = h("tr", {}, h("td", {}), h("th", { scope: "col" }, t("board.player")), h("th", { scope: "col" }, t("board.won")), h("th", { scope: "col" }, t("board.sum")));
  return put($("board"), h("table", { class: "figures" }, h("thead", {}, head), h("tbody", {}, rows)), more("leaders", "board.more", figures), h("p", { class: "quiet" }, t("evening.deals", { n: figures.deals })));
}

function leader(one, at) {
  const notes = [h("span", { class: "quiet" }, ` ${one.tables.join(", ")}`), one.twice ? h("span", { class: "note" }, t("board.twice")) : null];
  return h("tr", {}, h("td", { class: "place" }, String(at + 1)), h("th", { scope: "row" }, h("bdi", {}, one.name), notes), h("td", {}, `${one.won}/${one.deals}`), h("td", { class: `sum ${one.counters < 0 ? "less" : "more"}` }, signed(one.counters)));
}

function settle(figures) {
  const transfers = figures.transfers.slice(0, all.transfers ? undefined : SHOWN);
  put($("settle"), transfers.length ? h("ul", { class: "club-owes" }, transfers.map((one) => h("li", {}, transfer(one)))) : h("p", { class: "quiet" }, t("settle.even")), more("transfers", "settle.more", figures));
}

function transfer(one) {
  const key = one.to === POOL ? "settle.leaves" : one.from === POOL ? "settle.has" : "settle.pays";
  return t(key, { from: apart(one.from), to: apart(one.to), n: one.counters });
}

/** A name within a sentence: one that is written from right to left must not carry the numbers after it along. */
const apart = (name) => `\u2068${name}\u2069`;

function more(list, words, figures) {
  if (all[list] || figures[list].length <= SHOWN) return null;
  return h("button", { type: "button", class: "club-more", onclick: () => ask((all[list] = true)) }, t(words, { n: figures[list].length }));
}

function session(one) {
  const names = one.seats.map((name, at) => [at ? ", " : "", h("bdi", {}, name)]);
  const state = one.refused ? t("table.complaint", { words: one.refused }) : one.ended ? null : t("sessions.live");
  return h("li", {}, h("b", {}, `${one.table} · ${one.title}`), h("span", { class: "quiet" }, when(one.began_ns), " · ", names), state ? h("span", {}, state) : null, h("span", { class: "quiet" }, t("sessions.code", { code: one.code, n: one.lines })));
}

const signed = (n) => (n > 0 ? `+${n}` : String(n).replace("-", "−"));
const when = (ns) => new Date(ns / 1e6).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
const date = (iso) => new Date(`${iso}T12:00`).toLocaleDateString(undefined, { dateStyle: "full" });

start();
