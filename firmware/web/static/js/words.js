// All words of the page, from one catalogue: another language is one more file beside words/en.json.

import { $ } from "./dom.js";

const SERVER = "en"; // the language of the sentences that the server sends

let catalogue = {};
let language = SERVER;
let plurals = new Intl.PluralRules("en");

/** Load the catalogue of the browser's language, or English. */
export async function loadWords() {
  const wanted = (navigator.language || "en").slice(0, 2).toLowerCase();
  const languages = wanted === "en" ? ["en"] : [wanted, "en"];
  for (const one of languages) {
    const answer = await fetch(`/static/words/${one}.json`);
    if (!answer.ok) continue;
    catalogue = await answer.json();
    language = one;
    plurals = new Intl.PluralRules(one);
    document.documentElement.lang = one;
    break;
  }
  $("skip").textContent = t("skip");
  $("mark").textContent = t("title");
}

/** The words for a key, with {name} filled in; a key with .one and .other is chosen by {n}. */
export function t(key, values = {}) {
  const found = "n" in values ? catalogue[`${key}.${plurals.select(Math.abs(values.n))}`] ?? catalogue[`${key}.other`] : undefined;
  const text = found ?? catalogue[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** The words for a key if there are any, else the fallback. */
export function maybe(key, fallback, values) {
  return key in catalogue || `${key}.other` in catalogue ? t(key, values) : fallback;
}

/** The server's own sentence where this page speaks its language, else the catalogue's for the same thing. */
export function told(key, sentence, values) {
  return sentence && language === SERVER ? sentence : maybe(key, sentence || "", values);
}

/** The player in a seat, by name. */
export function who(state, seat) {
  const name = (state.seats || [])[seat - 1];
  return !name || name === `#${seat}` ? t("seat", { seat }) : name;
}

/** A card in words: "nine of hearts". */
export function cardWords(card) {
  if (card === "?") return t("card.unread");
  if (!card || card === "back") return t("card.back");
  return t("card.words", { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });
}

/** A card as it is written: 10♥. */
export function cardSign(card) {
  if (!card || card.length !== 2) return card === "?" ? "?" : t("card.back");
  return (card[0] === "T" ? "10" : card[0]) + { S: "♠", H: "♥", D: "♦", C: "♣" }[card[1]];
}

/** What happened, in a sentence. */
export function factWords(state, entry) {
  const seat = entry.seat ? who(state, entry.seat) : t("somebody");
  const values = {
    seat,
    card: cardWords(entry.card),
    zone: zoneWords(state, entry.zone ?? entry.from),
    to: entry.to ? who(state, entry.to) : "",
    n: entry.count ?? entry.taps ?? 0,
    count: entry.count ?? "?",
    other: entry.neighbour ? who(state, entry.neighbour) : "",
    first: entry.seats ? who(state, entry.seats[0]) : "",
    second: entry.seats ? who(state, entry.seats[1]) : "",
    cards: (entry.cards || []).map(cardSign).join(" "),
    target: entry.target ?? "",
    by: entry.by || t("somebody"),
    words: entry.words || "",
    word: entry.word || "",
    detail: entry.detail || "",
  };
  if (entry.fact === "pressed") return t(entry.press === "long" ? "fact.called" : "fact.pressed", values);
  if (entry.fact === "note") return noteWords(entry);
  if (entry.fact === "said") return maybe(`fact.said.${entry.word}`, t("fact.said", values), { ...values, other: entry.word === "skip" ? who(state, Number(entry.detail)) : "" });
  if (entry.fact === "inserted") return t("fact.inserted", { before: entry.before, missed: entry.missed ? factWords(state, entry.missed) : "" });
  const unread = !entry.card || entry.card === "?";
  return (unread && maybe(`fact.${entry.fact}.unread`, "", values)) || t(`fact.${entry.fact}`, values);
}

/** A note of the table's own: its heading, and what people said. */
function noteWords(entry) {
  const head = maybe(`note.${entry.code}`, "");
  const words = /^\s*{/.test(entry.words || "") ? "" : entry.words || ""; // a wish's seal is not for reading
  return head && words ? t("note.words", { head, words }) : head || words;
}

/** Rulings whose heading is always said; others are left to the referee's own sentence where it names the player. */
const BLAMES = ["refused", "proved", "out_of_step", "unsure"];

/** A ruling, in a sentence; the referee's own words where it sent them. */
export function rulingWords(state, ruling) {
  if (!ruling) return "";
  if (ruling.words) return ruling.words;
  const values = {
    seat: ruling.seat ? who(state, ruling.seat) : t("everybody"),
    to: ruling.to ? who(state, ruling.to) : t("the_pool"),
    n: ruling.counters || 0,
    card: ruling.card ? cardWords(ruling.card) : "",
  };
  const head = maybe(`said.${ruling.ruling}.${ruling.code}`, t(`said.${ruling.ruling}`, values), values);
  if (!ruling.why) return head;
  if (language !== SERVER) return t("said.why", { head, why: sentence(maybe(`code.${ruling.code}`, "")) });
  const whole = !BLAMES.includes(ruling.ruling) && (!ruling.seat || ruling.why.includes(values.seat));
  return whole ? sentence(ruling.why) : t("said.why", { head, why: sentence(ruling.why) });
}

/** A zone in words. */
export function zoneWords(state, zone) {
  const seat = /^seat-(\d+)$/.exec(zone || "");
  return seat ? t("zone.seat", { seat: who(state, Number(seat[1])) }) : t(`zone.${zone || "layout"}`);
}

/** Counters, with a true minus sign. */
export function countersWords(n) {
  return t("counters", { n }).replace("-", "−");
}

/** Seconds as people write them: 1:05:09. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  const pad = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return (hours ? `${hours}:${pad(minutes)}` : `${minutes}`) + `:${pad(whole % 60)}`;
}

function sentence(text) {
  if (!text) return "";
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
