// What no card and no button shows, told by the seat that it binds: buying, selling, leaving, a draw, a wrong deal.

import { act } from "./api.js";
import { h } from "./dom.js";
import { choose } from "./pick.js";
import { once, soon, toast } from "./toast.js";
import { t, who } from "./words.js";

const MOST_PRICE = 99999;

/** The words that this seat may say now, from the state's `view.told`. */
export function sayPanel(state, seat, on) {
  const words = state.view?.told?.[seat - 1] || [];
  if (!words.length || state.state !== "playing") return [];
  const own = words.filter((word) => ["buy", "demand", "swap", "back"].includes(word));
  const rare = words.filter((word) => ["skip", "leave", "draw", "misdeal"].includes(word));
  const tell = (word, detail = "") => act({ do: "say", word, detail });
  const now = (word) => h("button", { type: "button", class: "main say", disabled: !on, onclick: once(() => tell(word)) }, t(`say.${word}`));
  const later = (word) => h("button", { type: "button", disabled: !on, onclick: () => soon(t(`say.${word}.soon`), () => tell(word)) }, t(`say.${word}`));
  return [
    own.length ? h("div", { class: "row" }, own.map(now)) : null,
    words.includes("sell") ? selling(state, seat, on, tell) : null,
    h("details", { class: "say-more" },
      h("summary", {}, t("say.title")),
      h("p", { class: "quiet" }, t("say.words")),
      rare.includes("skip") ? skipping(state, seat, on, tell) : null,
      h("div", { class: "row" }, rare.filter((word) => word !== "skip").map(later))),
  ];
}

function others(state, seat) {
  return (state.seats || []).map((_, at) => at + 1).filter((one) => one !== seat).map((one) => [one, who(state, one)]);
}

function skipping(state, seat, on, tell) {
  const skip = (absent) => soon(t("say.skip.soon", { name: who(state, absent) }), () => tell("skip", String(absent)));
  const name = ([absent, words]) => h("button", { type: "button", disabled: !on, onclick: () => skip(absent) }, words);
  return h("div", { class: "skipping", role: "group", "aria-label": t("say.skip") }, h("p", {}, t("say.skip")), h("div", { class: "row" }, others(state, seat).map(name)));
}

function selling(state, seat, on, tell) {
  const sale = { buyer: null };
  const price = h("input", { id: "price", type: "number", min: 0, max: MOST_PRICE, value: 1 });
  const sell = () => {
    const counters = Number(price.value);
    if (!sale.buyer || !Number.isInteger(counters) || counters < 0 || counters > MOST_PRICE) return toast(t("say.sell.lacks"));
    return soon(t("say.sell.soon", { name: who(state, sale.buyer), n: counters }), () => tell("sell", `${sale.buyer}:${counters}`));
  };
  return h("details", { class: "say-more" }, h("summary", {}, t("say.sell")),
    choose("say.sell.to", others(state, seat), null, (buyer) => (sale.buyer = buyer)),
    h("label", { for: "price" }, t("say.sell.price")), price,
    h("button", { type: "button", class: "main", disabled: !on, onclick: sell }, t("say.sell.send")));
}
