// One line at the bottom: what went wrong, or what is about to be done and can still be undone.

import { $, h, put } from "./dom.js";
import { t } from "./words.js";

const SHOWN_MS = 6000;
const UNDO_MS = 4000; // time to take a wrong tap back before it is sent
let timer = 0;
let pending = null; // sends at once what waits to be sent

/** Show one line for a while; what waits to be sent goes first. */
export function toast(words) {
  pending?.();
  show([h("span", {}, words)], SHOWN_MS);
}

/** Do `action` in four seconds unless it is taken back: at once, if something else is tapped or the phone put away. */
export function soon(words, action) {
  pending?.();
  const send = () => {
    hide();
    Promise.resolve(action()).catch((error) => toast(error.message));
  };
  const undo = h("button", { type: "button", onclick: hide, class: "undo" }, t("undo"));
  const now = h("button", { type: "button", onclick: send, class: "now" }, t("now"));
  show([h("span", {}, words), h("span", { class: "row" }, undo, now)], 0);
  pending = send;
  timer = setTimeout(send, UNDO_MS);
  undo.focus();
}

/** A tap that can be made once at a time: its button rests until the answer is there. */
export function once(action) {
  return async (event) => {
    const button = event.currentTarget;
    if (button.dataset.busy) return;
    button.dataset.busy = "yes";
    try {
      await action();
    } catch (error) {
      toast(error.message);
    } finally {
      delete button.dataset.busy;
    }
  };
}

function show(children, ms) {
  hide();
  put($("toast"), children).hidden = false;
  if (ms) timer = setTimeout(hide, ms);
}

function hide() {
  clearTimeout(timer);
  pending = null;
  $("toast").hidden = true;
}

document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && pending?.());
