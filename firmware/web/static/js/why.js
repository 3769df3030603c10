// Why somebody does what concerns all: asked in a dialogue, kept in the log with the name of who asked.

import { h } from "./dom.js";
import { once } from "./toast.js";
import { t } from "./words.js";

const WHY_CHARS = 300;

/** The field in which people say why, with its label; what was `typed` stays when it is drawn anew. */
export function whyField(id, label, typed = { why: "" }) {
  const field = h("input", { id, maxlength: WHY_CHARS, autocomplete: "off", value: typed.why, oninput: () => (typed.why = field.value) });
  return { field, parts: [h("label", { for: id }, t(label)), field] };
}

/** Ask why, then do `send(why)`; the reason may stay empty. */
export function askWhy(title, button, send) {
  const { field, parts } = whyField("why-called", "why.label");
  const close = () => dialog.close();
  const done = once(() => send(field.value).then(close));
  const submit = (event) => {
    event.preventDefault();
    done({ currentTarget: dialog });
  };
  const dialog = h(
    "dialog",
    { class: "me-dialog why", "aria-labelledby": "why-title", onclose: () => dialog.remove() },
    h("h2", { id: "why-title" }, t(title)),
    h("form", { onsubmit: submit }, parts, h("div", { class: "row" }, h("button", { class: "main" }, t(button)), h("button", { type: "button", class: "plain", onclick: close }, t("close")))),
  );
  document.body.append(dialog);
  dialog.showModal();
}
