// The camera's view for setting up: the picture, the zones, each card with its reading, focus and glare.

import { get, post } from "./api.js";
import { h, put, s, say } from "./dom.js";
import { live } from "./live.js";
import { form } from "./me.js";
import { cardSign, t, zoneWords } from "./words.js";

const EVERY_MS = 1000;

export function cameraView(main, { refresh }) {
  if (!live.standing.host) {
    put(main, h("h1", {}, t("camera.title")), h("section", { class: "panel" }, h("p", {}, t("camera.host")), form("me.pin.label", "me.pin.button", "pin", (pin) => post("/api/host", { pin }), refresh)));
    return null;
  }
  const marks = s("svg", { class: "marks", role: "img", "aria-label": t("camera.alt") });
  const picture = h("img", { alt: "" });
  const hints = h("ul", { class: "hints", "aria-live": "polite" });
  const meters = { focus: meter("focus"), glare: meter("glare") };
  put(main, h("h1", {}, t("camera.title")), h("div", { class: "seen" }, picture, marks), h("div", { class: "meters" }, meters.focus, meters.glare), hints);
  const look = async () => {
    const seen = await get("/api/camera").catch((error) => ({ hints: [{ code: error.code, words: error.code === "NOT_FOUND" ? t("camera.none") : error.message }] }));
    if (seen.width_px) {
      picture.src = `/api/camera/picture?at=${Date.now()}`;
      outline(marks, seen);
      for (const name of Object.keys(meters)) set(meters[name], seen[name]);
    }
    hear(hints, seen.hints || []);
  };
  look();
  const timer = setInterval(() => document.visibilityState === "visible" && look(), EVERY_MS);
  return () => clearInterval(timer);
}

function hear(list, hints) {
  const key = JSON.stringify(hints);
  if (list.dataset.hints === key) return;
  list.dataset.hints = key;
  put(list, hints.length ? hints.map((hint) => h("li", {}, hint.words)) : h("li", { class: "good" }, t("camera.good")));
}

function meter(name) {
  return h("label", {}, t(`camera.${name}`), h("meter", { min: 0, max: 1, low: 0.4, high: 0.7, optimum: name === "focus" ? 1 : 0 }), h("output", {}));
}

function set(label, value) {
  const known = Number.isFinite(value);
  label.querySelector("meter").value = known ? value : 0;
  say(label.querySelector("output"), known ? `${Math.round(value * 100)} %` : "");
}

function outline(svg, seen) {
  svg.setAttribute("viewBox", `0 0 ${seen.width_px} ${seen.height_px}`);
  const size = seen.width_px / 42;
  const text = (x, y, words, name) => s("text", { x, y, "font-size": size, class: name }, words);
  const shape = (points, name) => s("polygon", { points: points.map((point) => point.join(",")).join(" "), class: name });
  const zones = (seen.zones || []).map((zone) => [shape(zone.polygon_px, "seen-zone"), text(zone.polygon_px[0][0] + 4, zone.polygon_px[0][1] + size, zoneWords(live.state || {}, zone.name), "zone-name")]);
  const cards = (seen.cards || []).map((card) => {
    const unsure = card.card === "?";
    return [shape(card.corners_px, unsure ? "seen-card unsure" : "seen-card"), text(card.corners_px[0][0], card.corners_px[0][1] - 4, `${cardSign(card.card)} ${Math.round(card.confidence * 100)}`, unsure ? "reading unsure" : "reading")];
  });
  put(svg, zones, cards);
}
