// Disputes: entry by entry what was seen and ruled, the photographs, and the table's choices.

import { act, get, post } from "./api.js";
import { h, put } from "./dom.js";
import { icon } from "./faces.js";
import { follow, live } from "./live.js";
import { form } from "./me.js";
import { missedForm } from "./missed.js";
import { cardPicker, seatPicker } from "./pick.js";
import { once, soon, toast } from "./toast.js";
import { whyField } from "./why.js";
import { clock, factWords, rulingWords, t } from "./words.js";

const LAYS_A_CARD = ["laid", "taken_back", "cut"];
const HAS_A_SEAT = ["laid", "taken_back", "turned_down", "cut", "pressed", "hand_shown"];
const TOLD = ["corrected", "inserted"]; // what people put into the log can only be taken out again
const PAGE = 100;

/** Entries of the deal that is played, from the log: those that are no longer on the live table. */
async function kept(state, first, limit) {
  const deal = state.deal ? `&deal=${state.deal}` : "";
  const answer = await get(`/api/sessions/${encodeURIComponent(state.session)}/entries?first=${first}&limit=${limit}${deal}`);
  return answer.entries;
}

export function logView(main) {
  const list = h("ol", { class: "log", reversed: true });
  const older = h("ol", { class: "log older-entries", reversed: true });
  const more = h("button", { type: "button", hidden: true }, t("log.more"));
  const missed = h("a", { class: "button", href: "#/missed" }, t("missed.now"));
  put(main, h("h1", {}, t("log.title")), h("p", { class: "quiet" }, t("log.words")), h("div", { class: "row log-tools" }, missed), list, older, h("div", { class: "row" }, more));
  const shown = { drawn: "", first: null, of: "" };
  more.addEventListener("click", once(async () => {
    const from = Math.max(0, shown.first - PAGE);
    const entries = await kept(live.state, from, shown.first - from);
    older.append(...entries.reverse().map((entry) => line(live.state, entry, entry.rulings)));
    shown.first = from;
    more.hidden = from === 0;
  }));
  return follow((state) => {
    if (!state) return;
    const key = JSON.stringify([state.entries, state.rulings, state.seats, state.session]);
    missed.hidden = !state.session || state.state === "over";
    if (key === shown.drawn) return;
    shown.drawn = key;
    const entries = [...(state.entries || [])].reverse();
    put(list, entries.length ? entries.map((entry) => line(state, entry)) : h("li", { class: "quiet" }, t("log.none")));
    const of = `${state.session} ${state.deal}`;
    if (shown.of !== of) put(older);
    if (shown.of !== of || !older.children.length) shown.first = entries.at(-1)?.number ?? 0;
    shown.of = of;
    more.hidden = shown.first === 0;
  });
}

function line(state, entry, rulings = state.rulings || []) {
  const said = rulings.filter((ruling) => ruling.entry === entry.number && ruling.ruling !== "turn");
  return h(
    "li",
    { class: "entry", "data-struck": entry.struck ? "yes" : "no" },
    h("a", { href: `#/entry/${entry.number}` },
      entry.card ? icon(entry.card) : h("i", { class: `fact-sign ${entry.fact}`, "aria-hidden": "true" }),
      h("span", { class: "entry-words" },
        h("span", { class: "entry-fact" }, factWords(state, entry)),
        entry.struck ? h("span", { class: "tag" }, t("log.struck")) : null,
        said.map((ruling) => h("span", { class: "entry-said", "data-kind": ruling.ruling }, rulingWords(state, ruling)))),
      h("span", { class: "when" }, t("log.when", { n: entry.number, time: clock(entry.t) }))),
  );
}

/** One entry: photographs before and after, what was ruled and why, and what the table can do about it. */
export function entryView(main, { parts, refresh }) {
  const number = Number(parts[0]);
  const box = h("section", { class: "dispute" });
  put(main, h("a", { class: "back", href: "#/log" }, t("log.back")), box);
  const known = { drawn: "", entry: null, asked: "" };
  const typed = { why: "" };
  const ask = (state) => {
    const of = `${state.session} ${state.deal}`;
    if (known.asked === of || !state.session || !Number.isInteger(number) || number < 0) return;
    known.asked = of;
    kept(state, number, 1).then(([entry]) => {
      known.entry = entry?.number === number ? entry : null;
      if (box.isConnected) show(live.state);
    }, () => (known.asked = ""));
  };
  const show = (state) => {
    if (!state) return;
    ask(state);
    const newest = (state.entries || []).find((one) => one.number === number);
    const entry = newest ? { ...known.entry, ...newest } : known.entry;
    const key = JSON.stringify([entry, entry && saidTo(state, entry), state.seats, state.dispute, state.state, state.session, live.standing]);
    if (key === known.drawn) return;
    known.drawn = key;
    put(box, entry ? whole(state, entry, refresh, typed) : h("p", {}, t("log.gone")));
  };
  return follow(show);
}

/** Something happened just now that the camera did not see. */
export function missedView(main, { refresh }) {
  const box = h("section", { class: "dispute" });
  put(main, h("a", { class: "back", href: "#/log" }, t("log.back")), h("h1", {}, t("missed.now")), h("p", { class: "quiet" }, t("missed.words")), box);
  const next = () => (live.state.entries?.at(-1)?.number ?? -1) + 1;
  let drawn = "";
  return follow((state) => {
    if (!state) return;
    const key = JSON.stringify([state.seats, state.session, live.standing]);
    if (key === drawn) return;
    drawn = key;
    const why = whyField("why", "why.label");
    put(box, live.standing.host ? h("div", { class: "choices missed" }, h("div", { class: "why" }, why.parts), missedForm(state, next, () => why.field.value)) : hostNeeded(refresh));
  });
}

function hostNeeded(refresh) {
  return h("div", { class: "note" }, h("p", {}, t("choice.host")), form("me.pin.label", "me.pin.button", "pin", (pin) => post("/api/host", { pin }), refresh));
}

/** What was ruled on an entry: on the live table, or, where that has forgotten it, in the log. */
function saidTo(state, entry) {
  const newest = (state.rulings || []).filter((ruling) => ruling.entry === entry.number);
  return newest.length ? newest : entry.rulings || [];
}

function whole(state, entry, refresh, typed) {
  const said = saidTo(state, entry);
  const photos = entry.photos || [];
  const reason = entry.why && (TOLD.includes(entry.fact) || entry.fact === "note") ? t("entry.why", { by: entry.by || t("somebody"), why: entry.why }) : "";
  return [
    h("h1", {}, t("entry.title", { n: entry.number })),
    h("p", { class: "lead" }, entry.card ? icon(entry.card) : null, factWords(state, entry)),
    reason ? h("p", { class: "quiet" }, reason) : null,
    h("div", { class: "photos" },
      figure("photo.before", entry.before_photos?.at(-1), "photo-before"),
      figure("photo.after", photos.at(-1), "photo-after"),
      photos.length > 1 ? figure("photo.near", photos[0], "photo-near") : null),
    said.length ? h("ul", { class: "said" }, said.map((ruling) => h("li", { "data-kind": ruling.ruling }, rulingWords(state, ruling), behind(ruling, entry)))) : null,
    entry.confidence < 1 && h("p", { class: "quiet" }, t("entry.sure", { percent: Math.floor(entry.confidence * 100) })),
    choices(state, entry, said, refresh, typed),
  ];
}

/** The other entries that a ruling rests on, to look at. */
function behind(ruling, entry) {
  const others = (ruling.entries || []).filter((number) => number !== entry.number);
  return others.length ? h("span", { class: "row behind" }, others.map((number) => h("a", { href: `#/entry/${number}` }, t("entry.title", { n: number })))) : null;
}

function figure(caption, photo, name) {
  const inner = photo ? h("a", { href: `/evidence/${photo}`, target: "_blank" }, h("img", { src: `/evidence/${photo}`, alt: t(caption) })) : h("div", { class: "no-photo" }, t("photo.none"));
  return h("figure", { class: name }, inner, h("figcaption", {}, t(caption)));
}

function choices(state, entry, said, refresh, typed) {
  const { seat, host } = live.standing;
  if (!seat && !host) return h("p", { class: "note" }, t("entry.readers"));
  if (!state.session || state.state === "over") return null;
  const ruling = said.at(-1)?.id ?? null;
  const { field, parts } = whyField("why", "why.label", typed);
  const why = () => field.value;
  const called = state.dispute?.open;
  const stand = () => soon(t("choice.let_stand.soon"), () => act({ do: "let_stand", ruling, why: why() }));
  return h(
    "section",
    { class: "choices" },
    h("h2", {}, t("choice.title")),
    h("div", { class: "why" }, parts),
    called ? big("let_stand", stand) : big("call", once(() => act({ do: "call", ruling, entry: entry.number, why: why() }))),
    host ? [correction(state, entry, why), missing(state, entry, why), settling(ruling)] : hostNeeded(refresh),
  );
}

function big(name, onclick) {
  return h("button", { type: "button", class: `choice ${name}`, onclick }, h("b", {}, t(`choice.${name}`)), h("span", {}, t(`choice.${name}.words`)));
}

function choice(name, ...inside) {
  return h("details", { class: name }, h("summary", { class: "choice" }, h("b", {}, t(`choice.${name}`)), h("span", {}, t(`choice.${name}.words`))), inside);
}

function correction(state, entry, why) {
  if (!(entry.fact in FIELDS) && !TOLD.includes(entry.fact)) return null; // a note is what people said
  const picked = { card: entry.card && entry.card.length === 2 ? entry.card : null, seat: entry.seat || null };
  const gone = () => soon(t("correct.gone.soon", { n: entry.number }), () => act({ do: "correct", entry: entry.number, instead: null, why: why() }));
  const seated = HAS_A_SEAT.includes(entry.fact);
  const send = () => {
    const instead = { ...factOf(entry), ...(LAYS_A_CARD.includes(entry.fact) ? { card: picked.card || "?" } : {}), ...(seated ? { seat: picked.seat } : {}) };
    if (seated && !picked.seat && entry.fact !== "turned_down") return toast(t("missed.lacks"));
    return soon(t("correct.soon", { n: entry.number, fact: factWords(state, instead) }), () => act({ do: "correct", entry: entry.number, instead, why: why() }));
  };
  const strike = h("button", { type: "button", onclick: gone }, t("correct.gone"));
  if (!seated && !LAYS_A_CARD.includes(entry.fact)) return choice("correct", h("div", { class: "row" }, strike));
  return choice(
    "correct",
    LAYS_A_CARD.includes(entry.fact) ? cardPicker(picked) : null,
    seated ? seatPicker(state, picked) : null,
    h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: send }, t("correct.send")), strike),
  );
}

function missing(state, entry, why) {
  return choice("missed", missedForm(state, () => entry.number, why));
}

const FIELDS = {
  laid: ["card", "zone", "seat"],
  taken_back: ["card", "zone", "seat"],
  turned_down: ["zone", "seat"],
  gathered: ["from", "to", "count"],
  exchanged: ["seats"],
  exchange_refused: ["seat", "neighbour"],
  cut: ["seat", "card"],
  pressed: ["seat", "press", "taps"],
  hand_shown: ["seat", "cards"],
  said: ["seat", "word", "detail"],
  conflict: [],
};

function factOf(entry) {
  const fields = FIELDS[entry.fact] || [];
  return Object.fromEntries([["fact", entry.fact], ...fields.filter((name) => name in entry).map((name) => [name, entry[name]])]);
}

function settling(ruling) {
  const field = h("input", { id: "agreed", maxlength: 300 });
  const send = () => soon(t("choice.settle.soon"), () => act({ do: "settle", ruling, why: field.value }));
  return choice("settle", h("label", { for: "agreed" }, t("settle.label")), field, h("button", { type: "button", class: "main", onclick: send }, t("settle.send")));
}
