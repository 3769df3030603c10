// The door: nothing is shown before the table's code is given.

import { post } from "./api.js";
import { h, put } from "./dom.js";
import { icon } from "./faces.js";
import { form } from "./me.js";
import { t } from "./words.js";

export function doorView(main, { refresh }) {
  const fan = h("div", { class: "fan", "aria-hidden": "true" }, ["9H", "KS", "5D", "AC"].map((card) => icon(card)));
  const ask = form("door.label", "door.button", "code", (code) => post("/api/join", { code }), refresh);
  put(main, h("section", { class: "door" }, fan, h("h1", {}, t("title")), h("p", {}, t("door.words")), ask));
}
