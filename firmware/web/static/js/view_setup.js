// Setting up: the game, who sits where, the dealer, house rules with their sources, and the codes to scan.

import { act, get, post } from "./api.js";
import { h, put } from "./dom.js";
import { live } from "./live.js";
import { form } from "./me.js";
import { once, soon, toast } from "./toast.js";
import { choose } from "./pick.js";
import { maybe, t, told, who } from "./words.js";

const MOST_SEATS = 10;
const NAME_CHARS = 24;

export function setupView(main, { refresh }) {
  const box = h("div", {}, h("p", { class: "quiet" }, t("loading")));
  put(main, h("h1", {}, t("setup.title")), joinPanel(), box);
  let alive = true;
  if (!live.standing.host) put(box, h("section", { class: "panel" }, h("p", {}, t("setup.host")), form("me.pin.label", "me.pin.button", "pin", (pin) => post("/api/host", { pin }), refresh)));
  else Promise.all([get("/api/games"), get("/api/codes")]).then(([games, codes]) => alive && put(box, setup(games.games), codePanel(codes)), (error) => put(box, h("p", { class: "bad" }, error.message)));
  return () => (alive = false);
}

function joinPanel() {
  const qr = h("img", { class: "qr", src: "/api/qr/join", alt: t("setup.qr.alt"), width: 180, height: 180 });
  return h("section", { class: "panel join" }, qr, h("div", {}, h("h2", {}, t("setup.join")), h("p", {}, t("setup.join.words"))));
}

function setup(games) {
  if (!games.length) return h("p", { class: "note" }, t("setup.no_games"));
  const state = live.state || {};
  const known = (state.seats || []).map((_, at) => who(state, at + 1));
  const plan = { game: games.find((one) => one.key === state.game) || games[0], seats: known.length > 1 ? known : ["", "", "", ""], dealer: state.dealer || 1, house: {}, counters: null };
  const rules = h("section", { class: "panel" });
  const supply = h("div", {});
  const seats = h("section", { class: "panel" });
  const counted = () => (plan.game.house || []).some((rule) => rule.name === "counters");
  const draw = () => {
    put(rules, houseRules(plan));
    put(supply, counted() ? null : counters(plan));
  };
  const pick = (key) => {
    plan.game = games.find((one) => one.key === key);
    plan.house = {};
    while (plan.seats.length < limits(plan)[0]) plan.seats.push("");
    draw();
    seatList(seats, plan);
  };
  draw();
  seatList(seats, plan);
  return [gameList(games, plan, pick), seats, rules, supply, h("button", { type: "button", class: "main start", onclick: once(() => begin(plan)) }, t("setup.start"))];
}

/** With how many players the chosen game is played at this table: least and most. */
function limits(plan) {
  return plan.game.seats || [2, MOST_SEATS];
}

function gameList(games, plan, pick) {
  const option = (game) =>
    h("label", { class: "game" }, h("input", { type: "radio", name: "game", value: game.key, checked: game.key === plan.game.key, onchange: () => pick(game.key) }),
      h("span", {}, h("b", {}, titleOf(game)), game.seats ? h("span", { class: "tag" }, t("setup.players", { least: game.seats[0], most: game.seats[1] })) : null, h("span", { class: "quiet" }, told(`game.${game.key}.summary`, game.summary))));
  return h("fieldset", { class: "panel games" }, h("legend", {}, t("setup.game")), games.map(option));
}

const titleOf = (game) => told(`game.${game.key}`, game.title) || game.key;

function seatList(box, plan) {
  const [least, most] = limits(plan);
  const again = () => seatList(box, plan);
  const move = (from, to) => {
    if (to < 0 || to >= plan.seats.length || from === to) return;
    const dealer = plan.seats.map((_, at) => at + 1 === plan.dealer);
    for (const row of [plan.seats, dealer]) row.splice(to, 0, ...row.splice(from, 1));
    plan.dealer = dealer.indexOf(true) + 1 || 1;
    again();
  };
  const add = (by) => {
    if (by > 0) plan.seats.push("");
    else plan.seats.pop();
    plan.dealer = Math.min(plan.dealer, plan.seats.length);
    again();
  };
  function seatRow(name, at) {
    const field = h("input", { value: name, maxlength: NAME_CHARS, "aria-label": t("setup.name", { seat: at + 1 }), oninput: () => (plan.seats[at] = field.value), autocomplete: "off" });
    const dealer = h("input", { type: "radio", name: "dealer", checked: plan.dealer === at + 1, onchange: () => (plan.dealer = at + 1) });
    const handle = h("button", { type: "button", class: "handle", "aria-label": t("setup.drag", { seat: at + 1 }) }, "⠿");
    handle.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      move(at, at + by);
      box.querySelectorAll(".handle")[Math.max(0, Math.min(plan.seats.length - 1, at + by))].focus();
    });
    const row = h("li", {}, handle, h("span", { class: "seat-number" }, String(at + 1)), field, h("label", { class: "check" }, dealer, t("setup.dealer")));
    drag(handle, row, at, move);
    return row;
  }
  put(
    box,
    h("h2", {}, t("setup.seats")),
    h("p", { class: "quiet" }, t("setup.seats.words")),
    h("ol", { class: "seating" }, plan.seats.map(seatRow)),
    h("div", { class: "row" },
      h("button", { type: "button", disabled: plan.seats.length >= most, onclick: () => add(1) }, t("setup.seat.add")),
      h("button", { type: "button", disabled: plan.seats.length <= least, onclick: () => add(-1) }, t("setup.seat.less"))),
  );
}

/** Drag a row by its handle to another place (mouse, pen or finger). */
function drag(handle, row, from, move) {
  handle.addEventListener("pointerdown", (down) => {
    handle.setPointerCapture(down.pointerId);
    row.classList.add("dragged");
    const follow = (event) => (row.style.transform = `translateY(${event.clientY - down.clientY}px)`);
    const drop = (event) => {
      handle.removeEventListener("pointermove", follow);
      row.classList.remove("dragged");
      row.style.transform = "";
      const rows = [...row.parentElement.children];
      const over = rows.filter((other) => other !== row && middle(other) < event.clientY).length;
      if (event.type === "pointerup") move(from, over);
    };
    handle.addEventListener("pointermove", follow);
    handle.addEventListener("pointerup", drop, { once: true });
    handle.addEventListener("pointercancel", drop, { once: true });
  });
}

function middle(element) {
  const box = element.getBoundingClientRect();
  return (box.top + box.bottom) / 2;
}

function houseRules(plan) {
  const rules = plan.game.house || [];
  const list = rules.map((rule) => h("div", { class: "rule" }, control(rule, plan), h("p", { class: "quiet" }, told(`rule.${plan.game.key}.${rule.name}`, rule.words), rule.source ? h("cite", {}, t("setup.source", { source: sourceWords(rule.source) })) : null)));
  return [h("h2", {}, t("setup.house")), rules.length ? list : h("p", { class: "quiet" }, t("setup.house.none"))];
}

/** The rule digest's marks ([S2], [X]) as people read them. */
function sourceWords(source) {
  return source.replace(/\[(\w+)\]/g, (mark, key) => maybe(`source.${key}`, mark));
}

function control(rule, plan) {
  const label = told(`rule.${rule.name}`, rule.label) || rule.name.replaceAll("_", " ");
  const set = (value) => (plan.house[rule.name] = value);
  if (rule.kind === "bool") {
    return h("label", { class: "check" }, h("input", { type: "checkbox", checked: Boolean(rule.default), onchange: (event) => set(event.target.checked) }), label);
  }
  const id = `rule-${rule.name}`;
  if (rule.kind === "int") {
    const field = h("input", { id, type: "number", min: rule.min ?? 0, max: rule.max ?? 1000, value: rule.default, onchange: (event) => set(Number(event.target.value)) });
    return h("div", { class: "row" }, h("label", { for: id }, label), field);
  }
  const options = (rule.choices || []).map((one) => (typeof one === "object" ? one : { value: one }));
  const wordsOf = (one) => told(`choice.value.${one.value}`, one.words) || String(one.value).replaceAll("_", " ");
  const select = h("select", { id, onchange: (event) => set(options[event.target.selectedIndex].value) }, options.map((one) => h("option", { value: String(one.value), selected: one.value === rule.default }, wordsOf(one))));
  return h("div", { class: "row" }, h("label", { for: id }, label), select);
}

function counters(plan) {
  const field = h("input", { id: "counters", type: "number", min: 0, max: 10000, placeholder: t("setup.counters.default"), onchange: () => (plan.counters = field.value === "" ? null : Number(field.value)) });
  return h("section", { class: "panel row" }, h("label", { for: "counters" }, t("setup.counters")), field);
}

async function begin(plan) {
  const seats = plan.seats.map((name) => name.trim());
  const [least, most] = limits(plan);
  if (seats.length < least) return toast(t("setup.too_few", { game: titleOf(plan.game), least }));
  if (seats.length > most) return toast(t("setup.too_many", { game: titleOf(plan.game), most }));
  if (seats.some((name) => !name)) return toast(t("setup.names_needed"));
  if (new Set(seats.map((name) => name.toLowerCase())).size < seats.length) return toast(t("setup.same_names"));
  const ends = live.state?.session && live.state.state !== "over" ? live.state.session : null;
  const tap = { do: "start", game: plan.game.key, seats, dealer: plan.dealer, house: plan.house, counters: plan.counters, ends };
  const start = () => act(tap).then(() => (location.hash = "#/table"));
  return ends ? soon(t("setup.ends.soon"), start) : start();
}

function codePanel(codes) {
  const box = h("div", { class: "seat-code", "aria-live": "polite" });
  const state = live.state || {};
  const seats = codes.seats.filter((one) => one.seat <= Math.max(4, (state.seats || []).length));
  const show = (seat) => {
    const { code } = seats.find((one) => one.seat === seat);
    const name = who(state, seat);
    put(box, h("img", { class: "qr", src: `/api/qr/seat/${seat}`, alt: t("setup.seat_qr.alt", { name }), width: 180, height: 180 }), h("p", {}, h("b", {}, name), h("code", {}, code)));
  };
  return h("section", { class: "panel" }, h("h2", {}, t("setup.codes")), h("p", {}, t("setup.codes.words", { url: codes.url })), h("p", { class: "join-code" }, h("code", {}, codes.join)), choose("setup.codes.seat", seats.map((one) => [one.seat, who(state, one.seat)]), null, show), box);
}
