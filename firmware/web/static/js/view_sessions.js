// Past sessions: the list, one session as a film strip to scrub through, settling up, export.

import { get, post } from "./api.js";
import { h, put, say } from "./dom.js";
import { quarter } from "./me.js";
import { TableView } from "./table.js";
import { toast } from "./toast.js";
import { clock, factWords, rulingWords, t, told } from "./words.js";

const PAGE = 50;

export function sessionsView(main) {
  const list = h("ul", { class: "sessions" });
  const result = h("div", { class: "settled", "aria-live": "polite" });
  const picked = new Set();
  const player = h("input", { id: "player", maxlength: 60, type: "search" });
  const disputes = h("input", { id: "disputes", type: "checkbox" });
  const find = async (event) => {
    event?.preventDefault();
    picked.clear();
    const asked = new URLSearchParams({ player: player.value, disputes: String(disputes.checked), limit: String(PAGE) });
    const answer = await get(`/api/sessions?${asked}`).catch((error) => toast(error.message));
    if (answer) put(list, answer.sessions.length ? answer.sessions.map((one) => row(one, picked)) : h("li", { class: "quiet" }, t("sessions.none")));
  };
  const settle = () => settleUp([...picked], result);
  put(
    main,
    h("h1", {}, t("sessions.title")),
    h("form", { class: "search", onsubmit: find },
      h("label", { for: "player" }, t("sessions.player")), player,
      h("label", { class: "check" }, disputes, t("sessions.disputes")),
      h("button", { class: "main" }, t("sessions.find"))),
    list,
    h("div", { class: "row" }, h("button", { type: "button", onclick: settle }, t("sessions.settle"))),
    result,
  );
  find();
}

function row(one, picked) {
  const toggle = (event) => (event.target.checked ? picked.add(one.id) : picked.delete(one.id));
  const players = (one.players || []).map((name, at) => [at ? ", " : "", h("bdi", {}, name)]);
  return h(
    "li",
    {},
    h("label", { class: "check big" }, h("input", { type: "checkbox", onchange: toggle, "aria-label": t("sessions.pick", { id: one.id }) })),
    h("a", { href: `#/session/${encodeURIComponent(one.id)}` },
      h("b", {}, told(`game.${one.game}`, one.title) || one.game), one.live ? h("span", { class: "tag" }, t("sessions.live")) : null,
      h("time", {}, day(one.started)),
      h("span", { class: "quiet" }, players, " · ", t("sessions.entries", { n: one.entries }), one.disputes ? [" · ", t("sessions.disputed", { n: one.disputes })] : null)),
  );
}

function day(text) {
  const when = new Date(text);
  return Number.isNaN(when.getTime()) ? String(text || "") : when.toLocaleString(document.documentElement.lang, { dateStyle: "full", timeStyle: "short" });
}

async function settleUp(sessions, result) {
  if (!sessions.length) return toast(t("settle.none"));
  const answer = await post("/api/settle", { sessions }).catch((error) => toast(error.message));
  if (answer) put(result, settlement(answer));
  return null;
}

function settlement(answer) {
  const net = Object.entries(answer.net || {}).map(([name, n]) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, name)), h("td", { class: n < 0 ? "less" : "more" }, (n > 0 ? "+" : "") + n)));
  const pays = (answer.transfers || []).map((one) => h("li", {}, t("settle.pays", { from: one.from, to: one.to, n: one.counters })));
  return [h("h2", {}, t("settle.title")), h("table", {}, h("tbody", {}, net)), h("ul", {}, pays.length ? pays : h("li", {}, t("settle.even")))];
}

/** One session: the table as it lay after each entry, with the strip of its photographs. */
export function sessionView(main, { parts }) {
  const id = encodeURIComponent(parts[0] || "");
  put(main, h("a", { class: "back", href: "#/sessions" }, t("sessions.back")), h("p", { class: "quiet" }, t("loading")));
  const film = { alive: true, timer: 0 };
  load(id).then((found) => film.alive && draw(main, film, id, found), (error) => put(main, h("a", { class: "back", href: "#/sessions" }, t("sessions.back")), h("p", { class: "bad" }, error.message)));
  return () => {
    film.alive = false;
    clearInterval(film.timer);
  };
}

async function load(id) {
  const session = await get(`/api/sessions/${id}`);
  const entries = [];
  while (entries.length < 5000) {
    const more = (await get(`/api/sessions/${id}/entries?first=${entries.length}&limit=500`)).entries;
    entries.push(...more);
    if (more.length < 500) break;
  }
  return { session, entries };
}

function draw(main, film, id, { session, entries }) {
  const view = new TableView({ plates: true });
  const words = h("p", { class: "film-words", "aria-live": "polite" });
  const said = h("ul", { class: "said" });
  const photo = h("img", { class: "film-photo", alt: "" });
  const range = h("input", { type: "range", min: 0, max: Math.max(0, entries.length - 1), value: 0, "aria-label": t("film.scrub") });
  const deals = new Set(entries.map((entry) => entry.deal)).size; // numbers begin again with each
  const strip = h("div", { class: "strip" }, entries.map((entry, at) => frame(entry, at, (place) => show(place))));
  const state = { ...session, seats: session.players || session.seats || [] };
  const show = (at) => {
    const entry = entries[at];
    if (!entry) return;
    range.value = at;
    view.show({ ...state, view: {}, cards: entry.cards || [], entries: [entry], rulings: [] }, quarter());
    const about = { n: entry.number, time: clock(entry.t), fact: factWords(state, entry) };
    say(words, deals > 1 ? t("film.deal", { deal: entry.deal, words: t("film.words", about) }) : t("film.words", about));
    put(said, (entry.rulings || []).map((ruling) => h("li", { "data-kind": ruling.ruling }, rulingWords(state, ruling))));
    const picture = (entry.photos || []).at(-1);
    photo.hidden = !picture;
    if (picture) photo.src = `/evidence/${picture}`;
    photo.alt = t("photo.of", { n: entry.number });
    [...strip.children].forEach((button, place) => button.setAttribute("aria-current", place === at ? "true" : "false"));
    strip.children[at].scrollIntoView({ block: "nearest", inline: "center" });
  };
  range.addEventListener("input", () => show(Number(range.value)));
  put(
    main,
    h("a", { class: "back", href: "#/sessions" }, t("sessions.back")),
    h("h1", {}, told(`game.${session.game}`, session.title) || session.game),
    h("p", { class: "quiet" }, h("time", {}, day(session.started))),
    entries.length
      ? [h("div", { class: "film" }, entries.some((entry) => entry.cards?.length) ? h("div", { class: "board" }, view.svg) : null, h("div", { class: "film-side" }, words, said, photo)), controls(film, range, show), strip]
      : h("p", { class: "quiet" }, t("film.none")),
    exports(id),
  );
  show(0);
}

function controls(film, range, show) {
  const step = (by) => () => show(Math.max(0, Math.min(Number(range.max), Number(range.value) + by)));
  const play = h("button", { type: "button", onclick: () => toggle() }, t("film.play"));
  const toggle = () => {
    const going = Boolean(film.timer);
    clearInterval(film.timer);
    film.timer = going ? 0 : setInterval(() => (Number(range.value) < Number(range.max) ? step(1)() : toggle()), 900);
    say(play, t(going ? "film.play" : "film.stop"));
  };
  return h("div", { class: "scrub" }, h("button", { type: "button", onclick: step(-1), "aria-label": t("film.back") }, "‹"), range, h("button", { type: "button", onclick: step(1), "aria-label": t("film.next") }, "›"), play);
}

function frame(entry, at, show) {
  const picture = (entry.photos || [])[0]; // the close-up: of the whole table nothing would be seen so small
  const inner = picture ? h("img", { src: `/evidence/${picture}`, alt: "", loading: "lazy" }) : h("i", { class: `fact-sign ${entry.fact}`, "aria-hidden": "true" });
  return h("button", { type: "button", onclick: () => show(at), "aria-label": t("entry.title", { n: entry.number }) }, inner, h("span", {}, String(entry.number)));
}

function exports(id) {
  const link = (form) => h("a", { class: "button", href: `/api/sessions/${id}/export?form=${form}`, download: true }, t(`export.${form}`));
  return h("section", { class: "exports" }, h("h2", {}, t("export.title")), h("div", { class: "row" }, ["html", "csv", "json", "zip"].map(link)));
}
