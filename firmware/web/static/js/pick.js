// Choosing with large buttons: a card, a seat, a zone, or one of a few words.

import { h } from "./dom.js";
import { t, who, zoneWords } from "./words.js";

let groups = 0;

/** Large radio buttons: values are [value, shown, spoken]. */
export function choose(label, values, chosen, pick) {
  const name = `choose-${groups++}`;
  const option = ([value, shown, spoken]) =>
    h("label", { class: "pick" }, h("input", { type: "radio", name, value: String(value), checked: value === chosen, onchange: () => pick(value), "aria-label": spoken || null }), h("span", {}, shown));
  return h("fieldset", { class: "picks" }, h("legend", {}, t(label)), h("div", { class: "row" }, values.map(option)));
}

/** Rank and suit, into `picked.card`. */
export function cardPicker(picked) {
  const rank = choose("correct.rank", [..."A23456789TJQK"].map((one) => [one, one === "T" ? "10" : one, t(`rank.${one}`)]), picked.card?.[0], (value) => (picked.card = value + (picked.card?.[1] || "S")));
  const suit = choose("correct.suit", [..."SHDC"].map((one) => [one, { S: "♠", H: "♥", D: "♦", C: "♣" }[one], t(`suit.${one}`)]), picked.card?.[1], (value) => (picked.card = (picked.card?.[0] || "A") + value));
  return [rank, suit];
}

/** A player, into `picked[name]`. */
export function seatPicker(state, picked, name = "seat", label = "correct.seat") {
  const seats = (state.seats || []).map((_, at) => [at + 1, who(state, at + 1)]);
  return choose(label, seats, picked[name], (value) => (picked[name] = value));
}

/** A part of the table, into `picked.zone`. */
export function zonePicker(state, picked) {
  const zones = (state.table?.zones || []).map((zone) => zone.name);
  return choose("missed.zone", zones.map((zone) => [zone, zoneWords(state, zone)]), picked.zone, (value) => (picked.zone = value));
}
