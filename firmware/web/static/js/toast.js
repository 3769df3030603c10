// One line at the bottom: what went wrong, or what is about to be done and can still be undone.

import { $, h, put } from "./dom.js";
import { t } from "./words.js";

const SHOWN_MS = 6000;
const UNDO_MS = 4000; // time to take a wrong tap back before it is sent
let timer = 0;

/** Show one line for a while. */
export function toast(words) {
  show([h("span", {}, words)], SHOWN_MS);
}

/** Do `action` in four seconds unless it is taken back; the same tap again does it at once. */
export function soon(words, action) {
  const send = () => {
    hide();
    Promise.resolve(action()).catch((error) => toast(error.message));
  };
  const undo = h("button", { type: "button", onclick: hide, class: "undo" }, t("undo"));
  const now = h("button", { type: "button", onclick: send, class: "now" }, t("now"));
  show([h("span", {}, words), h("span", { class: "row" }, undo, now)], 0);
  timer = setTimeout(send, UNDO_MS);
  undo.focus();
}

function show(children, ms) {
  hide();
  put($("toast"), children).hidden = false;
  if (ms) timer = setTimeout(hide, ms);
}

function hide() {
  clearTimeout(timer);
  $("toast").hidden = true;
}
