// What the camera missed, told by the host: the fact, and where in the log it belongs.

import { act } from "./api.js";
import { h, put } from "./dom.js";
import { cardPicker, choose, seatPicker, zonePicker } from "./pick.js";
import { soon, toast } from "./toast.js";
import { factWords, t } from "./words.js";

/** What can be told, and what has to be known of it. */
const FACTS = {
  laid: ["card", "seat", "zone"],
  taken_back: ["card", "seat", "zone"],
  pressed: ["seat"],
  turned_down: ["seat", "zone"],
  gathered: ["zone", "to"],
  exchanged: ["seat", "other"],
};

/** A form for a fact; `before` gives the number of the entry that it goes in before, `why` the reason. */
export function missedForm(state, before, why) {
  const picked = { fact: "laid", card: null, seat: null, zone: "layout", to: null, other: null };
  const fields = h("div", { class: "missed-fields" });
  const show = () => put(fields, FACTS[picked.fact].map((name) => picker(state, picked, name)));
  const kinds = Object.keys(FACTS).map((fact) => [fact, t(`missed.${fact}`)]);
  const kind = choose("missed.what", kinds, picked.fact, (fact) => {
    picked.fact = fact;
    show();
  });
  const send = () => {
    if (FACTS[picked.fact].some((name) => !picked[name])) return toast(t("missed.lacks"));
    const missed = factOf(picked);
    return soon(t("missed.soon", { fact: factWords(state, missed) }), () => act({ do: "insert", before: before(), missed, why: why() }));
  };
  show();
  return [kind, fields, h("button", { type: "button", class: "main", onclick: send }, t("missed.send"))];
}

function picker(state, picked, name) {
  if (name === "card") return cardPicker(picked);
  if (name === "zone") return zonePicker(state, picked);
  return seatPicker(state, picked, name, name === "seat" ? "correct.seat" : `missed.${name}`);
}

function factOf({ fact, card, seat, zone, to, other }) {
  switch (fact) {
    case "laid":
    case "taken_back":
      return { fact, card, zone, seat };
    case "pressed":
      return { fact, seat, press: "short", taps: 1 };
    case "turned_down":
      return { fact, zone, seat };
    case "gathered":
      return { fact, from: zone, to, count: null };
    default:
      return { fact, seats: [seat, other] };
  }
}
