// The table from above, to scale: felt, zones, cards as they lie, and a plate for each seat on the rail.

import { s, say } from "./dom.js";
import { face } from "./faces.js";
import { shine } from "./lamp.js";
import { cardWords, t, who } from "./words.js";

const RAIL = 66; // mm of wood around the felt, with the seats' plates
const PLATE = 44; // mm, a plate's height

/** A table that can be shown a state again and again; `quarter` turns (0..3) bring another side to the bottom. */
export class TableView {
  constructor({ plates = true } = {}) {
    this.plates = plates;
    this.cards = new Map();
    this.felt = s("g", {});
    this.lie = s("g", {});
    this.rail = s("g", {});
    this.turned = s("g", {}, this.felt, this.lie, this.rail);
    this.svg = s("svg", { class: "table", role: "img" }, this.turned);
    this.geometry = "";
  }

  show(state, quarter = 0) {
    const table = state.table || {};
    if (!table.width_mm) return;
    const geometry = JSON.stringify([table, quarter, this.plates]);
    if (geometry !== this.geometry) this.lay(table, quarter);
    this.geometry = geometry;
    this.place(state);
    if (this.plates) this.seats(state, table, quarter);
    this.svg.setAttribute("aria-label", t("table.label", { n: (state.cards || []).length }));
  }

  lay(table, quarter) {
    const [w, h, rail] = [table.width_mm, table.height_mm, this.plates ? RAIL : 12];
    const [vw, vh] = quarter % 2 ? [h, w] : [w, h];
    this.svg.setAttribute("viewBox", `${-rail} ${-rail} ${vw + 2 * rail} ${vh + 2 * rail}`);
    this.svg.style.setProperty("--ratio", (vw + 2 * rail) / (vh + 2 * rail));
    this.turned.setAttribute("transform", turn(w, h, quarter));
    const outer = { x: -rail, y: -rail, width: w + 2 * rail, height: h + 2 * rail, rx: this.plates ? 40 : 14 };
    this.felt.replaceChildren(
      s("rect", { ...outer, class: "wood" }),
      s("rect", { x: -5, y: -5, width: w + 10, height: h + 10, rx: 16, class: "lip" }),
      s("rect", { x: 0, y: 0, width: w, height: h, rx: 12, class: "felt" }),
      s("rect", { x: 0, y: 0, width: w, height: h, rx: 12, class: "light" }),
      ...(table.zones || []).map(zone),
    );
  }

  place(state) {
    const wanted = new Map((state.cards || []).map((card, at) => [nameOf(card, state.cards, at), card]));
    for (const [name, group] of this.cards) if (!wanted.has(name)) this.remove(name, group);
    const marks = marksOf(state);
    for (const [name, card] of wanted) this.move(name, card, marks);
    const order = [...wanted.keys()].map((name) => this.cards.get(name));
    order.forEach((group, at) => this.lie.children[at] !== group && this.lie.insertBefore(group, this.lie.children[at] || null));
  }

  move(name, card, marks) {
    const known = this.cards.get(name);
    const group = known || s("g", { class: "lying" });
    if (group.dataset.card !== card.card) {
      const ring = s("rect", { class: "ring", x: -35.5, y: -48, width: 71, height: 96, rx: 8 });
      const shade = s("rect", { class: "shade", x: -31.5, y: -43, width: 64.5, height: 89, rx: 5 });
      group.replaceChildren(s("g", { class: known ? null : "drop" }, shade, ...face(card.card), ring, s("title", {}, cardWords(card.card))));
      this.cards.set(name, group);
    }
    group.dataset.card = card.card;
    group.dataset.mark = marks.get(card.entry) || "";
    group.style.transform = `translate(${card.x_mm}px, ${card.y_mm}px) rotate(${card.angle || 0}deg)`;
  }

  remove(name, group) {
    group.remove();
    this.cards.delete(name);
  }

  seats(state, table, quarter) {
    const names = state.seats || [];
    while (this.rail.children.length > names.length) this.rail.lastChild.remove();
    names.forEach((_, at) => this.plate(state, table, quarter, at));
  }

  plate(state, table, quarter, at) {
    const seat = at + 1;
    const group = this.rail.children[at] || this.rail.appendChild(blankPlate());
    const { x, y, side } = spot(table, seat, (state.seats || []).length);
    const shown = SIDES[(SIDES.indexOf(side) + 4 - quarter) % 4];
    const reads = 90 * quarter + ({ left: -90, right: 90 }[shown] || 0);
    group.setAttribute("transform", `translate(${x} ${y}) rotate(${reads})`);
    const view = state.view || {};
    const light = (state.lights || []).find((one) => one.seat === seat);
    group.dataset.turn = view.turn === seat && !view.over ? "yes" : "no";
    group.dataset.winner = winners(view).includes(seat) ? "yes" : "no";
    shine(group.querySelector(".glow"), light);
    say(group.querySelector(".name"), short(who(state, seat), 11));
    const held = countersOf(view, seat, state);
    say(group.querySelector(".count"), held === null ? "" : String(held).replace("-", "−"));
    group.querySelector(".chip").style.display = held === null ? "none" : "";
  }
}

/** A seat's counters, null where the game has none. */
export function countersOf(view, seat, state) {
  const counters = view.counters || {};
  const name = (state.seats || [])[seat - 1];
  const held = Array.isArray(counters) ? counters[seat - 1] : (counters[seat] ?? counters[name]);
  return Number.isFinite(held) ? held : null;
}

/** The seats that have won, as a list. */
export function winners(view) {
  return [view.winner].flat().filter((seat) => Number.isInteger(seat));
}

const SIDES = ["bottom", "left", "top", "right"];

function turn(w, h, quarter) {
  return ["", `translate(0 ${w}) rotate(-90)`, `translate(${w} ${h}) rotate(180)`, `translate(${h} 0) rotate(90)`][quarter];
}

function nameOf(card, cards, at) {
  if (card.id !== undefined) return `id ${card.id}`;
  const same = cards.slice(0, at).filter((other) => other.card === card.card && other.entry === card.entry).length;
  return `${card.card} ${card.entry ?? ""} ${same}`;
}

function marksOf(state) {
  const marks = new Map();
  const laid = (state.entries || []).filter((entry) => entry.fact === "laid" && !entry.struck);
  if (laid.length) marks.set(laid.at(-1).number, "last");
  const refused = (state.rulings || []).filter((ruling) => ruling.ruling === "refused").at(-1);
  if (refused && truly(state.view?.out_of_step)) marks.set(refused.entry, "refused");
  return marks;
}

const truly = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

function zone(one) {
  const points = one.polygon.map((point) => point.join(",")).join(" ");
  return s("polygon", { points, class: `zone ${one.name.startsWith("seat") ? "seat-zone" : one.name}` });
}

function spot(table, seat, seats) {
  const zoned = (table.zones || []).find((one) => one.name === `seat-${seat}`);
  const [w, h] = [table.width_mm, table.height_mm];
  const [cx, cy] = zoned ? centre(zoned.polygon) : around(w, h, seat, seats);
  const gaps = { bottom: (h - cy) / h, left: cx / w, top: cy / h, right: (w - cx) / w };
  const side = SIDES.reduce((best, one) => (gaps[one] < gaps[best] ? one : best), "bottom");
  const middle = RAIL / 2 + 2;
  const at = { bottom: [cx, h + middle], top: [cx, -middle], left: [-middle, cy], right: [w + middle, cy] }[side];
  return { x: at[0], y: at[1], side };
}

function around(w, h, seat, seats) {
  const angle = Math.PI / 2 + ((seat - 1) * 2 * Math.PI) / seats;
  return [w / 2 + (w / 2) * Math.cos(angle) * 0.9, h / 2 + (h / 2) * Math.sin(angle) * 0.9];
}

function centre(points) {
  const sum = points.reduce(([x, y], [px, py]) => [x + px, y + py], [0, 0]);
  return [sum[0] / points.length, sum[1] / points.length];
}

function blankPlate() {
  return s(
    "g",
    { class: "plate" },
    s("rect", { class: "brass", x: -125, y: -PLATE / 2, width: 250, height: PLATE, rx: 12 }),
    s("circle", { class: "bezel", cx: -101, cy: 0, r: 15 }),
    s("circle", { class: "glow", cx: -101, cy: 0, r: 12 }),
    s("text", { class: "name", x: -78, y: 12, "font-size": 34 }),
    s("g", { class: "chip" }, s("circle", { cx: 99, cy: 0, r: 19 }), s("text", { class: "count", x: 99, y: 9, "font-size": 26, "text-anchor": "middle" })),
  );
}

function short(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

/** The shades that every table is painted with; put into the page once. */
export function shades() {
  const stop = (offset, name) => s("stop", { offset, class: name });
  return s(
    "defs",
    {},
    s("radialGradient", { id: "felt-shade", cx: "50%", cy: "42%", r: "75%" }, stop(0, "felt-in"), stop(1, "felt-out")),
    s("linearGradient", { id: "wood-shade", x1: 0, y1: 0, x2: 0, y2: 1 }, stop(0, "wood-1"), stop(0.5, "wood-2"), stop(1, "wood-3")),
    s("linearGradient", { id: "brass-shade", x1: 0, y1: 0, x2: 0, y2: 1 }, stop(0, "brass-1"), stop(0.5, "brass-2"), stop(1, "brass-3")),
    s("pattern", { id: "weave", width: 6, height: 6, patternUnits: "userSpaceOnUse" }, s("path", { d: "M0 6 6 0M-1.500 1.500 1.500-1.500M4.500 7.500 7.500 4.500", class: "thread" })),
  );
}
