// Disputes: entry by entry what was seen and ruled, the photographs, and the table's choices.

import { act, get } from "./api.js";
import { h, put } from "./dom.js";
import { icon } from "./faces.js";
import { follow, live } from "./live.js";
import { form } from "./me.js";
import { post } from "./api.js";
import { soon, toast } from "./toast.js";
import { clock, factWords, rulingWords, t, who } from "./words.js";

const LAYS_A_CARD = ["laid", "taken_back", "cut"];

export function logView(main) {
  const list = h("ol", { class: "log", reversed: true });
  put(main, h("h1", {}, t("log.title")), h("p", { class: "quiet" }, t("log.words")), list);
  let drawn = "";
  return follow((state) => {
    if (!state) return;
    const key = JSON.stringify([state.entries, state.rulings, state.seats]);
    if (key === drawn) return;
    drawn = key;
    const entries = [...(state.entries || [])].reverse();
    put(list, entries.length ? entries.map((entry) => line(state, entry)) : h("li", { class: "quiet" }, t("log.none")));
  });
}

function line(state, entry) {
  const said = (state.rulings || []).filter((ruling) => ruling.entry === entry.number && ruling.ruling !== "turn");
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
  let drawn = "";
  return follow((state) => {
    if (!state) return;
    const entry = (state.entries || []).find((one) => one.number === number);
    const key = JSON.stringify([entry, state.rulings, state.seats, state.dispute, state.state, live.standing]);
    if (key === drawn) return;
    drawn = key;
    put(box, entry ? whole(state, entry, refresh) : h("p", {}, t("log.gone")));
    if (entry) before(state, entry, box);
  });
}

function whole(state, entry, refresh) {
  const said = (state.rulings || []).filter((ruling) => ruling.entry === entry.number);
  return [
    h("h1", {}, t("entry.title", { n: entry.number })),
    h("p", { class: "lead" }, entry.card ? icon(entry.card) : null, factWords(state, entry)),
    h("div", { class: "photos" },
      figure("photo.before", null, "photo-before"),
      figure("photo.after", (entry.photos || []).at(-1), "photo-after"),
      (entry.photos || []).length > 1 ? figure("photo.near", entry.photos[0], "photo-near") : null),
    said.length ? h("ul", { class: "said" }, said.map((ruling) => h("li", { "data-kind": ruling.ruling }, rulingWords(state, ruling)))) : null,
    entry.confidence < 1 && h("p", { class: "quiet" }, t("entry.sure", { percent: Math.floor(entry.confidence * 100) })),
    choices(state, entry, said, refresh),
  ];
}

async function before(state, entry, box) {
  const first = Math.max(0, entry.number - 1);
  const answer = await get(`/api/sessions/${encodeURIComponent(state.session)}/entries?first=${first}&limit=2`).catch(() => null);
  const here = answer?.entries.find((one) => one.number === entry.number);
  const earlier = (here?.before_photos || answer?.entries.find((one) => one.number === first && first < entry.number)?.photos || []).at(-1);
  const place = box.querySelector(".photo-before");
  if (place && earlier) place.replaceWith(figure("photo.before", earlier, "photo-before"));
}

function figure(caption, photo, name) {
  const inner = photo ? h("a", { href: `/evidence/${photo}`, target: "_blank" }, h("img", { src: `/evidence/${photo}`, alt: t(caption) })) : h("div", { class: "no-photo" }, t("photo.none"));
  return h("figure", { class: name }, inner, h("figcaption", {}, t(caption)));
}

function choices(state, entry, said, refresh) {
  const { seat, host } = live.standing;
  if (!seat && !host) return h("p", { class: "note" }, t("entry.readers"));
  const ruling = said.at(-1)?.id ?? null;
  const tap = (body, words) => () => soon(words, () => act(body));
  const called = state.dispute?.open;
  return h(
    "section",
    { class: "choices" },
    h("h2", {}, t("choice.title")),
    called ? null : big("call", () => act({ do: "call", ruling, entry: entry.number }).catch((error) => toast(error.message))),
    big("let_stand", tap({ do: "let_stand", ruling }, t("choice.let_stand.soon"))),
    host ? [correction(state, entry), settling(ruling)] : h("div", { class: "note" }, h("p", {}, t("choice.host")), form("me.pin.label", "me.pin.button", "pin", (pin) => post("/api/host", { pin }), refresh)),
  );
}

function big(name, onclick) {
  return h("button", { type: "button", class: `choice ${name}`, onclick }, h("b", {}, t(`choice.${name}`)), h("span", {}, t(`choice.${name}.words`)));
}

function correction(state, entry) {
  const picked = { card: entry.card && entry.card.length === 2 ? entry.card : null, seat: entry.seat || null };
  const why = h("input", { id: "why", maxlength: 300 });
  const gone = () => soon(t("correct.gone.soon", { n: entry.number }), () => act({ do: "correct", entry: entry.number, instead: null, why: why.value }));
  const send = () => {
    const instead = { ...factOf(entry), ...(LAYS_A_CARD.includes(entry.fact) ? { card: picked.card || "?" } : {}), seat: picked.seat };
    soon(t("correct.soon", { n: entry.number, fact: factWords(state, instead) }), () => act({ do: "correct", entry: entry.number, instead, why: why.value }));
  };
  return h(
    "details",
    { class: "correct" },
    h("summary", { class: "choice" }, h("b", {}, t("choice.correct")), h("span", {}, t("choice.correct.words"))),
    LAYS_A_CARD.includes(entry.fact) ? cardPicker(picked) : null,
    entry.fact in { laid: 1, taken_back: 1, turned_down: 1, cut: 1, pressed: 1, hand_shown: 1 } ? seatPicker(state, picked) : null,
    h("label", { for: "why" }, t("correct.why")),
    why,
    h("div", { class: "row" },
      h("button", { type: "button", class: "main", onclick: send }, t("correct.send")),
      h("button", { type: "button", onclick: gone }, t("correct.gone"))),
  );
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
};

function factOf(entry) {
  const fields = FIELDS[entry.fact] || [];
  return Object.fromEntries([["fact", entry.fact], ...fields.filter((name) => name in entry).map((name) => [name, entry[name]])]);
}

function cardPicker(picked) {
  const rank = choose("correct.rank", [..."A23456789TJQK"].map((one) => [one, one === "T" ? "10" : one, t(`rank.${one}`)]), picked.card?.[0], (value) => (picked.card = value + (picked.card?.[1] || "S")));
  const suit = choose("correct.suit", [..."SHDC"].map((one) => [one, { S: "♠", H: "♥", D: "♦", C: "♣" }[one], t(`suit.${one}`)]), picked.card?.[1], (value) => (picked.card = (picked.card?.[0] || "A") + value));
  return [rank, suit];
}

function seatPicker(state, picked) {
  const seats = (state.seats || []).map((_, at) => [at + 1, who(state, at + 1)]);
  return choose("correct.seat", seats, picked.seat, (value) => (picked.seat = value));
}

let groups = 0;

/** Large radio buttons: values are [value, shown, spoken]. */
export function choose(label, values, chosen, pick) {
  const name = `choose-${groups++}`;
  const option = ([value, shown, spoken]) =>
    h("label", { class: "pick" }, h("input", { type: "radio", name, value: String(value), checked: value === chosen, onchange: () => pick(value), "aria-label": spoken || null }), h("span", {}, shown));
  return h("fieldset", { class: "picks" }, h("legend", {}, t(label)), h("div", { class: "row" }, values.map(option)));
}

function settling(ruling) {
  const field = h("input", { id: "agreed", maxlength: 300 });
  const send = () => soon(t("choice.settle.soon"), () => act({ do: "settle", ruling, why: field.value }));
  return h(
    "details",
    { class: "settle" },
    h("summary", { class: "choice" }, h("b", {}, t("choice.settle")), h("span", {}, t("choice.settle.words"))),
    h("label", { for: "agreed" }, t("settle.label")),
    field,
    h("button", { type: "button", class: "main", onclick: send }, t("settle.send")),
  );
}
