// The live table: the table from above, what is due, the last ruling with its picture, every seat, and this seat's taps.

import { act } from "./api.js";
import { askWhy } from "./why.js";
import { sayPanel } from "./saying.js";
import { h, put, say } from "./dom.js";
import { icon } from "./faces.js";
import { shine } from "./lamp.js";
import { follow, live } from "./live.js";
import { quarter, turnTable } from "./me.js";
import { countersOf, TableView, winners } from "./table.js";
import { once, soon } from "./toast.js";
import { cardSign, cardWords, countersWords, maybe, rulingWords, t, told, who, zoneWords } from "./words.js";
import { wishPanel } from "./wishes.js";

const LISTED = ["refused", "proved", "conflict", "out_of_step", "unsure", "takes", "paid", "over", "notice"];

export function tableView(main) {
  const view = new TableView();
  const part = Object.fromEntries(["due", "last", "seats", "steps", "taps", "say", "list", "wish"].map((name) => [name, h("div", { class: name })]));
  const turn = h("button", { type: "button", class: "turn-table", onclick: turnTable, "aria-label": t("me.turn") }, "⟳");
  put(
    main,
    h("h1", { class: "visually-hidden" }, t("nav.table")),
    h("div", { class: "live" },
      h("div", { class: "board" }, view.svg, turn),
      h("div", { class: "beside" }, part.due, part.taps, part.last, part.seats, part.wish, part.say, part.list, part.steps)),
  );
  const drawn = {};
  const redraw = (name, facts, make) => {
    const key = JSON.stringify(facts);
    if (drawn[name] !== key) keepingFocus(part[name], () => put(part[name], make()));
    drawn[name] = key;
  };
  return follow((state) => {
    if (!state) return;
    view.show(state, quarter());
    const { standing } = live;
    redraw("due", [state.view, state.seats, state.state, state.dispute, state.notices], () => due(state));
    redraw("last", [state.rulings, state.seats, standing], () => last(state));
    redraw("taps", [state.view?.quiet_act, state.view?.due, state.view?.turn, state.state, state.game, Boolean(state.dispute), standing, live.on], () => taps(state));
    redraw("steps", [state.state, state.view?.over, Boolean(state.dispute), Boolean(state.session), standing, live.on], () => steps(state));
    redraw("list", [state.cards, state.seats], () => cardList(state));
    redraw("wish", [state.wishes, state.game, state.seats, state.view?.winner, standing], () => wishPanel(state));
    redraw("say", [state.view?.told?.[standing.seat - 1], state.state, state.seats, standing, live.on], () => (standing.seat ? sayPanel(state, standing.seat, live.on) : []));
    seats(part.seats, state);
  });
}

/** Draw a part anew; what had the focus in it has it again, by its class. */
function keepingFocus(element, draw) {
  const held = element.contains(document.activeElement) ? document.activeElement.className : "";
  draw();
  if (held) element.getElementsByClassName(held)[0]?.focus();
}

function due(state) {
  const view = state.view || {};
  const pool = Number.isFinite(view.pool) ? h("p", { class: "pool" }, h("i", { class: "stack", "aria-hidden": "true" }), h("b", {}, String(view.pool)), h("span", {}, t("pool"))) : null;
  const card = h("div", { class: "due-card", "data-state": amiss(view) ? "out" : state.state || "" }, h("p", { class: "due-words" }, dueWords(state, view)), pool);
  const about = state.dispute?.open ? dispute(state) : null;
  return [card, about, ...(state.notices || []).map((words) => h("p", { class: "note", role: "status" }, words))];
}

/** Who has called the referee and why, and the way to the entry. */
function dispute(state) {
  const { seat, entry, why } = state.dispute;
  const name = seat ? who(state, seat) : t("the_host");
  const words = why ? t("dispute.why", { name, why }) : t("dispute.by", { name });
  const go = Number.isInteger(entry) ? `#/entry/${entry}` : "#/log";
  return h("div", { class: "note called" }, h("p", {}, words), h("a", { class: "button", href: go }, t("dispute.look")));
}

const amiss = (view) => (Array.isArray(view.out_of_step) ? view.out_of_step.length > 0 : Boolean(view.out_of_step));

function dueWords(state, view) {
  if (state.dispute?.open) return t("due.dispute");
  if (state.state === "paused") return t("due.paused");
  if (state.state === "fault") return t("due.fault");
  if (amiss(view)) return t("due.out", { words: told("due.out.back", view.words) });
  if (view.over && winners(view).length) return t("due.won", { seat: winners(view).map((seat) => who(state, seat)).join(", ") });
  if (view.over) return told("due.nobody_won", view.words);
  if (!view.due) return view.words || t("due.waiting");
  if (!view.turn && view.need) return told("due.anybody", view.words, { card: cardWords(view.need) });
  const values = { seat: view.turn ? who(state, view.turn) : t("everybody"), n: view.due_count || 1 };
  return told(`due.${view.due}`, view.words, values) || t("due.turn", values);
}

function last(state) {
  const rulings = (state.rulings || []).filter((ruling) => LISTED.includes(ruling.ruling));
  if (!rulings.length) return h("p", { class: "quiet" }, t("last.none"));
  const [newest, ...older] = rulings.reverse();
  return [
    h("h2", {}, t("last.title")),
    rulingCard(state, newest),
    h("ol", { class: "older", reversed: true }, older.slice(0, 3).map((ruling) => h("li", { "data-kind": ruling.ruling }, rulingWords(state, ruling)))),
  ];
}

function rulingCard(state, ruling) {
  const photo = (ruling.photos || photosOf(state, ruling))[0];
  const picture = photo ? h("img", { src: `/evidence/${photo}`, alt: t("photo.of", { n: ruling.entry }), loading: "lazy" }) : ruling.card ? icon(ruling.card) : null;
  const go = h("a", { class: "button", href: `#/entry/${ruling.entry}` }, t("last.look"));
  return h("article", { class: "ruling", "data-kind": ruling.ruling }, picture, h("div", {}, h("p", {}, rulingWords(state, ruling)), go));
}

/** The photographs behind a ruling: its entry's, those of the entries that led to it, or the newest before it. */
function photosOf(state, ruling) {
  const shown = (state.entries || []).filter((entry) => entry.photos?.length && entry.number <= ruling.entry);
  const named = [ruling.entry, ...(ruling.entries || []).toReversed()];
  return (named.map((number) => shown.find((entry) => entry.number === number)).find(Boolean) || shown.at(-1))?.photos || [];
}

function seats(list, state) {
  const names = state.seats || [];
  while (list.children.length > names.length) list.lastChild.remove();
  names.forEach((_, at) => seat(list.children[at] || list.appendChild(blankSeat()), state, at + 1));
}

function blankSeat() {
  const lamp = h("span", { class: "lamp", "aria-hidden": "true" }, h("i", { class: "glow" }));
  return h("div", { class: "seat" }, lamp, h("div", { class: "who" }, h("bdi", { class: "name" }), h("span", { class: "light-words" })), h("b", { class: "count" }));
}

function seat(card, state, number) {
  const view = state.view || {};
  const light = (state.lights || []).find((one) => one.seat === number);
  card.dataset.turn = view.turn === number && !view.over ? "yes" : "no";
  card.dataset.mine = live.standing.seat === number ? "yes" : "no";
  shine(card.querySelector(".glow"), light);
  say(card.querySelector(".name"), who(state, number));
  say(card.querySelector(".light-words"), lightWords(light));
  const held = countersOf(view, number, state);
  say(card.querySelector(".count"), held === null ? "" : countersWords(held));
}

function lightWords(light) {
  if (!light || (!light.words && !light.meaning)) return "";
  const count = { n: Math.abs(light.pulses || 0) };
  const words = told(`light.${light.meaning}`, light.words, count) || String(light.meaning || "");
  const beat = told(`beat.${light.meaning}`, light.rhythm, count);
  return beat && light.rhythm !== "dark" ? t("light.and_beat", { words, beat }) : words;
}

function taps(state) {
  const { seat: mine } = live.standing;
  if (!mine) return [];
  const view = state.view || {};
  const now = (view.quiet_act || [])[mine - 1];
  const means = now || view.quiet_word; // who presses early, before the camera has told the last card, is heard in order
  const quiet = means ? maybe(`quiet.${state.game}.${means}`, t(`quiet.${means}`)) : t("quiet.none");
  const off = !live.on || state.state !== "playing" || !means || view.over;
  return [
    h("button", { type: "button", class: "press", "data-turn": now ? "yes" : "no", disabled: off, onclick: once(() => act({ do: "press", press: "short" })) }, quiet),
    state.dispute?.open ? null : h("button", { type: "button", class: "call", disabled: !live.on, onclick: () => askWhy("call", "call", (why) => act({ do: "call", why })) }, t("call")),
  ];
}

/** What people do with the session itself: pause it, deal again, end it. */
function steps(state) {
  const { seat, host } = live.standing;
  if (!state.session || (!seat && !host)) return [];
  if (state.state === "over") return host ? h("a", { class: "button", href: "#/setup" }, t("steps.new")) : [];
  const step = (name, main) => h("button", { type: "button", class: main ? "main" : null, disabled: !live.on, onclick: once(() => act({ do: name })) }, t(`steps.${name}`));
  const end = () => soon(t("steps.finish.soon"), () => act({ do: "finish" }));
  const paused = state.state === "paused" ? "resume" : "pause";
  return [
    state.view?.over ? (host ? step("next_deal", true) : h("p", { class: "quiet" }, t("steps.wait"))) : state.dispute ? null : step(paused),
    host ? h("button", { type: "button", disabled: !live.on, onclick: end }, t("steps.finish")) : null,
  ];
}

function cardList(state) {
  const cards = state.cards || [];
  const zones = [...new Set(cards.map((card) => card.zone))];
  const line = (zone) => h("li", {}, h("b", {}, zoneWords(state, zone)), " ", cards.filter((card) => card.zone === zone).map((card) => sign(card.card)));
  return h("details", {}, h("summary", {}, t("list.title", { n: cards.length })), h("ul", { class: "zones" }, zones.map(line)));
}

function sign(card) {
  const red = /[HD]$/.test(card) && card.length === 2;
  return h("span", { class: red ? "sign-red" : "sign-black" }, h("span", { "aria-hidden": "true" }, cardSign(card)), h("span", { class: "visually-hidden" }, cardWords(card)), " ");
}
