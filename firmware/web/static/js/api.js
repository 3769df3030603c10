// Asking the server. A failed answer is an error with the server's own words and code.

import { t, told } from "./words.js";

export class Refused extends Error {
  constructor(code, words) {
    super(words);
    this.code = code;
  }
}

export const get = (path) => ask(path, {});

const JSON_POST = { method: "POST", headers: { "content-type": "application/json" } };

export const post = (path, body) => ask(path, { ...JSON_POST, body: JSON.stringify(body) });

/** One tap, as in actions.py; kept alive where the phone is put away just then. */
export const act = (tap) => ask("/api/act", { ...JSON_POST, body: JSON.stringify({ tap }), keepalive: true });

const LAPSED = ["JOIN_NEEDED", "SEAT_NEEDED", "HOST_NEEDED"]; // this phone is no longer who it was: a code was changed, time ran out

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Refused("OFFLINE", t("error.OFFLINE"));
  }
  const body = await answer.json().catch(() => ({}));
  if (LAPSED.includes(body.code)) window.dispatchEvent(new Event("lapsed"));
  if (!answer.ok) throw new Refused(body.code || "FAULT", told(`error.${body.code}`, body.error) || t("error.FAULT"));
  return body;
}
