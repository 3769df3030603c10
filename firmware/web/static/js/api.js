// Asking the server. A failed answer is an error with the server's own words and code.

import { t, told } from "./words.js";

export class Refused extends Error {
  constructor(code, words) {
    super(words);
    this.code = code;
  }
}

export const get = (path) => ask(path, {});

export const post = (path, body) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** One tap, as in actions.py. */
export const act = (tap) => post("/api/act", { tap });

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Refused("OFFLINE", t("error.OFFLINE"));
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(body.code || "FAULT", told(`error.${body.code}`, body.error) || t("error.FAULT"));
  return body;
}
