// The live table in this browser: follows the stream of changes, and finds its way back after sleep or a restart.

const BEAT_LATE_MS = 25000; // the server sends a line at least every 10 s
const WOKE_MS = 12000; // a phone that wakes and has heard nothing for this long opens the stream anew
const BACK_OFF_MS = [300, 1000, 2000, 4000];

export const live = { state: null, on: false, standing: { joined: false, seat: null, host: false } };

const listeners = new Set();
let stream = null;
let last = "";
let heard = 0;
let failures = 0;
let timer = 0;

/** Call back with the state after every change; returns a function that ends it. */
export function follow(listener) {
  listeners.add(listener);
  if (live.state) listener(live.state);
  return () => listeners.delete(listener);
}

/** Tell all listeners again (the standing of this phone has changed). */
export function tell() {
  for (const listener of [...listeners]) listener(live.state);
}

/** Open the stream, from where this page was. `lost` is asked when the server turns us away. */
export function connect(lost) {
  close();
  heard = Date.now();
  stream = new EventSource(`/api/events?last=${encodeURIComponent(last)}`);
  stream.addEventListener("table", (event) => take(event, {}));
  stream.addEventListener("change", (event) => take(event, live.state));
  stream.addEventListener("beat", () => (heard = Date.now()));
  stream.addEventListener("error", () => {
    shown(false);
    if (stream.readyState !== EventSource.CLOSED) return;
    timer = setTimeout(() => lost(() => connect(lost)), BACK_OFF_MS[Math.min(failures++, BACK_OFF_MS.length - 1)]);
  });
  watch(lost);
}

export function close() {
  clearTimeout(timer);
  if (stream) stream.close();
  stream = null;
}

let watching = false;

function watch(lost) {
  if (watching) return;
  watching = true;
  const check = (limit) => stream && Date.now() - heard > limit && connect(lost);
  setInterval(() => check(BEAT_LATE_MS), 5000);
  const woke = () => document.visibilityState === "visible" && check(WOKE_MS);
  for (const name of ["visibilitychange", "pageshow", "online"]) window.addEventListener(name, woke);
  document.addEventListener("visibilitychange", woke);
}

function take(event, base) {
  heard = Date.now();
  failures = 0;
  last = event.lastEventId;
  live.state = { ...base, ...JSON.parse(event.data) };
  shown(true);
  tell();
}

function shown(on) {
  if (live.on === on) return;
  live.on = on;
  document.documentElement.dataset.live = on ? "on" : "off";
  if (live.state) tell();
}
