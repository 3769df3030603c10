// The pack, drawn here: each face twice, with pips and courts for a large table and with a jumbo index for a small one.

import { s } from "./dom.js";

const W = 63;
const H = 88;
const INK = { S: "#1d2433", C: "#1d2433", H: "#b8231f", D: "#b8231f" };
const ROBE = { S: "#27406b", C: "#2c5a45", H: "#a8322a", D: "#b5572a" };
const GOLD = "#d9a93f";
const PATHS = {
  H: "M50 92C20 66 4 49 4 30 4 14 16 6 27 6c11 0 19 7 23 16C54 13 62 6 73 6c11 0 23 8 23 24 0 19-16 36-46 62Z",
  S: "M50 4c8 17 46 36 46 58 0 14-10 22-21 22-9 0-17-5-21-13 1 11 5 19 14 25H32c9-6 13-14 14-25-4 8-12 13-21 13C14 84 4 76 4 62 4 40 42 21 50 4Z",
  D: "M50 2c9 18 25 36 41 48C75 62 59 80 50 98 41 80 25 62 9 50 25 38 41 20 50 2Z",
  C: "M50 5a21 21 0 0 1 16.500 34A21.500 21.500 0 1 1 54 66c1 13 5 23 14 30H32c9-7 13-17 14-30A21.500 21.500 0 1 1 33.500 39 21 21 0 0 1 50 5Z",
};
const L = 19.5;
const M = 31.5;
const R = 43.5;
const PIPS = {
  2: [[M, 17], [M, 71]],
  3: [[M, 17], [M, 44], [M, 71]],
  4: [[L, 17], [R, 17], [L, 71], [R, 71]],
  5: [[L, 17], [R, 17], [M, 44], [L, 71], [R, 71]],
  6: [[L, 17], [R, 17], [L, 44], [R, 44], [L, 71], [R, 71]],
  7: [[L, 17], [R, 17], [M, 30.5], [L, 44], [R, 44], [L, 71], [R, 71]],
  8: [[L, 17], [R, 17], [M, 30.5], [L, 44], [R, 44], [M, 57.5], [L, 71], [R, 71]],
  9: [[L, 17], [R, 17], [L, 35], [R, 35], [M, 44], [L, 53], [R, 53], [L, 71], [R, 71]],
  T: [[L, 17], [R, 17], [M, 26], [L, 35], [R, 35], [L, 53], [R, 53], [M, 62], [L, 71], [R, 71]],
};

/** Put the drawings into the page once (`more`: other definitions); `face` refers to them. */
export function drawPack(more) {
  const defs = s("defs", {});
  for (const suit of "SHDC") {
    defs.append(s("symbol", { id: `pip-${suit}`, viewBox: "0 0 100 100" }, s("path", { d: PATHS[suit] })));
    for (const rank of "A23456789TJQK") {
      defs.append(symbol(`full-${rank}${suit}`, paper(), full(rank, suit)));
      defs.append(symbol(`jumbo-${rank}${suit}`, paper(), jumbo(rank, suit)));
    }
  }
  defs.append(lattice(), symbol("face-back", back()), symbol("face-unread", paper("unread"), unread()));
  document.body.append(s("svg", { class: "pack", width: 0, height: 0, "aria-hidden": "true" }, defs, more));
}

/** A card's drawing, 63 x 88 mm around its centre. */
export function face(card) {
  const box = { width: W, height: H, x: -W / 2, y: -H / 2 };
  if (card === "back") return [s("use", { href: "#face-back", ...box })];
  if (!/^[A23456789TJQK][SHDC]$/.test(card)) return [s("use", { href: "#face-unread", ...box })];
  return [
    s("use", { href: `#full-${card}`, class: "fine", ...box }),
    s("use", { href: `#jumbo-${card}`, class: "coarse", ...box }),
  ];
}

/** A card by itself, for a line of text; hidden from screen readers, the words beside it say the same. */
export function icon(card) {
  const inner = s("g", { transform: `translate(${W / 2} ${H / 2})` }, face(card || "back"));
  return s("svg", { class: "card-icon", viewBox: `0 0 ${W} ${H}`, "aria-hidden": "true" }, inner);
}

const symbol = (id, ...parts) => s("symbol", { id, viewBox: `0 0 ${W} ${H}` }, ...parts);

function paper(kind = "") {
  const edge = kind ? { stroke: "#a4620a", "stroke-width": 2, "stroke-dasharray": "5 3" } : { stroke: "#a89c84", "stroke-width": 0.7 };
  return s("rect", { x: 0.5, y: 0.5, width: W - 1, height: H - 1, rx: 4.6, fill: "#fffdf6", ...edge });
}

function pip(suit, x, y, size, turned = false) {
  const turn = turned ? { transform: `rotate(180 ${x} ${y})` } : {};
  return s("use", { href: `#pip-${suit}`, x: x - size / 2, y: y - size / 2, width: size, height: size, fill: INK[suit], ...turn });
}

function rankText(rank, suit, x, y, size, extra = {}) {
  const narrow = rank === "T" ? { textLength: size * 0.78, lengthAdjust: "spacingAndGlyphs" } : {};
  const look = { "font-size": size, fill: INK[suit], class: "rank", "text-anchor": "middle" };
  return s("text", { x, y, ...look, ...narrow, ...extra }, rank === "T" ? "10" : rank);
}

function twice(...parts) {
  return [...parts.map((make) => make()), s("g", { transform: `rotate(180 ${W / 2} ${H / 2})` }, ...parts.map((make) => make()))];
}

function full(rank, suit) {
  const corner = twice(
    () => rankText(rank, suit, 7.4, 15.5, 17),
    () => pip(suit, 7.4, 23.5, 10),
  );
  if (rank === "A") return [...corner, pip(suit, M, 44, 34)];
  if (PIPS[rank]) return [...corner, ...PIPS[rank].map(([x, y]) => pip(suit, x, y, 13, y > 44))];
  return [...corner, ...court(rank, suit)];
}

/** For small tables: a rank as wide as what shows of a card in a spread row, at both ends, for cards lie either way. */
function jumbo(rank, suit) {
  const wide = /[TQKJA]/.test(rank) ? { textLength: 22, lengthAdjust: "spacingAndGlyphs" } : {};
  return twice(
    () => rankText(rank, suit, 14, 29, 34, wide),
    () => pip(suit, 14, 38.5, 15),
    () => pip(suit, 45, 21, 25),
  );
}

function court(rank, suit) {
  const frame = { x: 14, y: 8, width: 35, height: 72, rx: 1.5, fill: "#fbf3dc", stroke: GOLD, "stroke-width": 0.9 };
  return [s("rect", frame), ...twice(() => s("g", {}, ...bust(rank, suit)), () => pip(suit, 19.5, 14, 8)), belt(suit)];
}

function belt(suit) {
  return s("path", { d: "M14.500 46.500 48.500 41.500", stroke: GOLD, "stroke-width": 2.2, fill: "none", "data-suit": suit });
}

function bust(rank, suit) {
  const line = { stroke: "#3a2c1c", "stroke-width": 0.6 };
  const hair = rank === "Q" ? "#8a5a2b" : rank === "J" ? "#c08a3e" : "#5b4634";
  return [
    s("path", { d: "M14.500 45V38c1-5 8-7 13-8h8c5 1 12 3 13 8v4l-34 4Z", fill: ROBE[suit], ...line }),
    s("path", { d: "M26.500 30 31.500 42 36.500 30Z", fill: GOLD, ...line }),
    s("path", { d: "M18 35v9M45 35v6M22.500 33v10M40.500 33v8.500", stroke: GOLD, "stroke-width": 0.9, fill: "none" }),
    rank === "J" ? null : s("path", { d: "M24.500 20c-2 6-1.500 9 0 11h14c1.500-2 2-5 0-11Z", fill: hair, ...line }),
    rank === "J" ? s("path", { d: "M24 19c-1.500 5-.5 8 1.500 9h12c2-1 3-4 1.500-9Z", fill: hair, ...line }) : null,
    s("ellipse", { cx: 31.5, cy: 23.8, rx: 5.6, ry: 6.6, fill: "#f5dcbb", ...line }),
    rank === "K" ? s("path", { d: "M26.500 26c1 6 3 8 5 8s4-2 5-8c-3 1.500-7 1.500-10 0Z", fill: hair, ...line }) : null,
    s("path", { d: "M29 23.200h.8M33.200 23.200h.8M30.500 27.600c.7.500 1.300.500 2 0", stroke: "#3a2c1c", "stroke-width": 0.8, fill: "none", "stroke-linecap": "round" }),
    ...crown(rank, suit, line),
  ];
}

function crown(rank, suit, line) {
  if (rank === "K") return [s("path", { d: "M24.500 19 23.500 10.500 28 14.500 31.500 9.500 35 14.500 39.500 10.500 38.500 19Z", fill: GOLD, ...line })];
  if (rank === "Q") {
    const pearls = [25.5, 28.5, 31.5, 34.5, 37.5].map((x, i) => s("circle", { cx: x, cy: 12.6 - (i === 2) * 1.4, r: 1.5, fill: "#fffdf6", ...line }));
    return [s("path", { d: "M25 19 25.500 13.500 28.500 16 31.500 12.500 34.500 16 37.500 13.500 38 19Z", fill: GOLD, ...line }), ...pearls];
  }
  return [
    s("path", { d: "M24 20c0-7 4-9 8-9s7.500 2.500 7.500 8.500c-5-2-10-2-15.500.5Z", fill: ROBE[suit], ...line }),
    s("path", { d: "M37 14c3-2 5-4 6.500-3.500.5 3-2 6-5 7Z", fill: GOLD, ...line }),
  ];
}

function lattice() {
  const path = s("path", { d: "M0 4 4 0 8 4 4 8Z", fill: "none", stroke: "#e8dcc0", "stroke-width": 0.8 });
  const dot = s("circle", { cx: 4, cy: 4, r: 1, fill: GOLD });
  return s("pattern", { id: "lattice", width: 8, height: 8, patternUnits: "userSpaceOnUse" }, path, dot);
}

function back() {
  return [
    s("rect", { x: 0.5, y: 0.5, width: W - 1, height: H - 1, rx: 4.6, fill: "#fffdf6", stroke: "#a89c84", "stroke-width": 0.7 }),
    s("rect", { x: 4, y: 4, width: W - 8, height: H - 8, rx: 2.5, fill: "#2a4a78" }),
    s("rect", { x: 4, y: 4, width: W - 8, height: H - 8, rx: 2.5, fill: "url(#lattice)" }),
    s("rect", { x: 4, y: 4, width: W - 8, height: H - 8, rx: 2.5, fill: "none", stroke: GOLD, "stroke-width": 1.2 }),
  ];
}

function unread() {
  return s("text", { x: M, y: 62, "font-size": 54, "text-anchor": "middle", class: "rank", fill: "#a4620a" }, "?");
}
