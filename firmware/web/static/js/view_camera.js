// The camera's view for setting up: the picture, the zones, each card with its reading, focus and glare.

import { get, post } from "./api.js";
import { h, put, s, say } from "./dom.js";
import { live } from "./live.js";
import { form } from "./me.js";
import { cardSign, t, told, zoneWords } from "./words.js";

const EVERY_MS = 800; // from one picture to asking for the next

export function cameraView(main, { refresh }) {
  if (!live.standing.host) {
    put(main, h("h1", {}, t("camera.title")), h("section", { class: "panel" }, h("p", {}, t("camera.host")), form("me.pin.label", "me.pin.button", "pin", (pin) => post("/api/host", { pin }), refresh)));
    return null;
  }
  const marks = s("svg", { class: "marks", role: "img", "aria-label": t("camera.alt") });
  const picture = h("img", { alt: "" });
  const hints = h("ul", { class: "hints" });
  const aloud = h("p", { class: "visually-hidden", role: "status" });
  const meters = { focus: meter("focus", { max: 1, low: 0.4, high: 0.7, optimum: 1 }), glare: meter("glare", { max: 0.02, low: 0.001, high: 0.005, optimum: 0 }) };
  const read = h("p", { class: "quiet", role: "status" });
  put(main, h("h1", {}, t("camera.title")), h("div", { class: "seen" }, picture, marks), h("div", { class: "meters" }, meters.focus, meters.glare), read, hints, aloud);
  const look = async () => {
    const seen = await get("/api/camera").catch((error) => ({ hints: [{ code: error.code, words: error.code === "NOT_FOUND" ? t("camera.none") : error.message }] }));
    if (seen.width_px) {
      picture.src = `/api/camera/picture?at=${Date.now()}`;
      outline(marks, seen);
      set(meters.focus, seen.focus, 0);
      set(meters.glare, seen.glare, 2);
      say(read, counted(seen.cards || []));
    }
    hear(hints, aloud, seen.hints || []);
  };
  let timer = 0;
  let open = true;
  const again = async () => {
    if (document.visibilityState === "visible") await look();
    if (open) timer = setTimeout(again, EVERY_MS);
  };
  again();
  return () => {
    open = false;
    clearTimeout(timer);
  };
}

/** Show the hints; they are said aloud only when another thing is amiss, not whenever a figure changes. */
function hear(list, aloud, hints) {
  const codes = hints.map((hint) => hint.code).join(" ");
  if (aloud.dataset.codes !== codes) say(aloud, hints.map((hint) => told(`hint.${hint.code}`, hint.words)).join(" "));
  aloud.dataset.codes = codes;
  const key = JSON.stringify(hints);
  if (list.dataset.hints === key) return;
  list.dataset.hints = key;
  put(list, hints.length ? hints.map((hint) => h("li", { "data-code": hint.code }, told(`hint.${hint.code}`, hint.words))) : h("li", { class: "good" }, t("camera.good")));
}

function meter(name, scale) {
  return h("label", {}, t(`camera.${name}`), h("meter", { min: 0, ...scale }), h("output", {}));
}

function counted(cards) {
  const unread = cards.filter((card) => card.card === "?").length;
  const read = t("camera.read", { n: cards.length - unread });
  return unread ? `${read} ${t("camera.unread", { n: unread })}` : read;
}

function set(label, value, digits) {
  const known = Number.isFinite(value);
  label.querySelector("meter").value = known ? value : 0;
  say(label.querySelector("output"), known ? `${(value * 100).toFixed(digits)} %` : "");
}

function outline(svg, seen) {
  svg.setAttribute("viewBox", `0 0 ${seen.width_px} ${seen.height_px}`);
  const size = seen.width_px / 42;
  const text = (x, y, words, name) => s("text", { x, y, "font-size": size, class: name }, words);
  const shape = (points, name) => s("polygon", { points: points.map((point) => point.join(",")).join(" "), class: name });
  const zones = (seen.zones || []).map((zone) => [shape(zone.polygon_px, "seen-zone"), text(zone.polygon_px[0][0] + 4, zone.polygon_px[0][1] + size, zoneWords(live.state || {}, zone.name), "zone-name")]);
  const cards = (seen.cards || []).map((card) => {
    const unsure = card.card === "?";
    const [x, y] = [...card.corners_px].sort((a, b) => a[0] + a[1] - b[0] - b[1])[0]; // its top left corner as it lies here
    return [shape(card.corners_px, unsure ? "seen-card unsure" : "seen-card"), text(x, y - 4, card.confidence < 1 ? `${cardSign(card.card)} ${Math.round(card.confidence * 100)}` : cardSign(card.card), unsure ? "reading unsure" : "reading")];
  });
  put(svg, zones, cards);
}
