// The Wish Card's slips: a wish stays on its writer's phone; the table keeps only its seal (SHA-256 of nonce and wish).

import { act } from "./api.js";
import { h } from "./dom.js";
import { live } from "./live.js";
import { sha256 } from "./sha256.js";
import { toast } from "./toast.js";
import { t, who } from "./words.js";

export function wishPanel(state) {
  if (state.game !== "wish_card") return [];
  const seals = state.wishes || [];
  return h("section", { class: "wishes" }, h("h2", {}, t("wish.title")), h("ul", {}, seals.map((seal) => sealed(state, seal))), mine(state, seals));
}

function sealed(state, seal) {
  const open = seal.text && sha256(seal.nonce + seal.text) === seal.commitment;
  const words = open ? t("wish.open", { name: who(state, seal.seat), text: seal.text }) : t("wish.sealed", { name: who(state, seal.seat) });
  return h("li", {}, h("p", {}, words), h("code", {}, seal.commitment.slice(0, 12)));
}

function mine(state, seals) {
  const { seat } = live.standing;
  if (!seat) return null;
  const kept = slips(state, seat);
  const seal = seals.find((one) => one.seat === seat);
  if (seal && kept[seal.commitment] && state.view?.winner === seat && !seal.text) return reading(kept[seal.commitment]);
  return seal ? null : writing(state, seat);
}

function reading(kept) {
  const open = () => act({ do: "open_wish", text: kept.text, nonce: kept.nonce }).catch((error) => toast(error.message));
  return h("button", { type: "button", class: "main", onclick: open }, t("wish.read"));
}

function writing(state, seat) {
  const field = h("textarea", { id: "wish", rows: 3, maxlength: 300, required: true });
  const seal = (event) => {
    event.preventDefault();
    const nonce = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const text = field.value.trim();
    if (!text) return;
    const commitment = sha256(nonce + text); // each try is kept: whichever the table has sealed can be read
    localStorage.setItem(place(state, seat), JSON.stringify({ ...slips(state, seat), [commitment]: { text, nonce } }));
    act({ do: "seal_wish", commitment }).catch((error) => toast(error.message));
  };
  return h("form", { onsubmit: seal }, h("label", { for: "wish" }, t("wish.label")), field, h("p", { class: "quiet" }, t("wish.secret")), h("button", { class: "main" }, t("wish.seal")));
}

const place = (state, seat) => `wish ${state.session} ${seat}`;

/** The wishes that were written on this phone for a seat, by their seals. */
function slips(state, seat) {
  try {
    return JSON.parse(localStorage.getItem(place(state, seat))) || {};
  } catch {
    return {};
  }
}
