// Who this phone is: its seat, the host's PIN, how the table is turned.

import { post } from "./api.js";
import { h } from "./dom.js";
import { live, tell } from "./live.js";
import { t, who } from "./words.js";

/** Which side of the table is at the bottom of this phone, 0..3, kept on the phone. */
export function quarter() {
  const kept = Number(localStorage.getItem("quarter"));
  return [0, 1, 2, 3].includes(kept) ? kept : 0;
}

/** Turn the table a quarter on this phone. */
export function turnTable() {
  localStorage.setItem("quarter", String((quarter() + 1) % 4));
  tell();
}

/** The dialogue; `refresh` is called after each change of standing. */
export function meDialog(refresh) {
  const { seat, host } = live.standing;
  const close = () => dialog.close();
  const after = async () => {
    close();
    await refresh();
  };
  const dialog = h(
    "dialog",
    { class: "me-dialog", "aria-labelledby": "me-title", onclose: () => dialog.remove() },
    h("h2", { id: "me-title" }, seat ? t("me.title.seat", { name: live.state ? who(live.state, seat) : seat }) : t("me.title.nobody")),
    form("me.seat.label", "me.seat.button", "code", (code) => post("/api/seat", { code }), after),
    host ? h("p", { class: "good" }, t("me.is_host")) : form("me.pin.label", "me.pin.button", "pin", (pin) => post("/api/host", { pin }), after),
    h("div", { class: "row" },
      h("button", { type: "button", onclick: turnTable }, t("me.turn")),
      seat || host ? h("button", { type: "button", onclick: () => post("/api/leave", {}).then(after) }, t("me.leave")) : null),
    h("button", { type: "button", class: "plain", onclick: close }, t("close")),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** A form with one short field: sends it, shows the server's words where it is refused. */
export function form(label, button, kind, send, after) {
  const id = `field-${label.replaceAll(".", "-")}`;
  const digits = kind === "pin" ? { inputmode: "numeric", type: "password" } : { autocapitalize: "characters", type: "text" };
  const field = h("input", { id, required: true, maxlength: 40, autocomplete: "off", spellcheck: "false", ...digits });
  const error = h("p", { class: "bad", role: "alert" });
  const submit = (event) => {
    event.preventDefault();
    send(field.value).then(after, (failed) => (error.textContent = failed.message));
  };
  return h("form", { class: "code-form", onsubmit: submit }, h("label", { for: id }, t(label)), h("div", { class: "row" }, field, h("button", { class: "main" }, t(button))), error);
}
