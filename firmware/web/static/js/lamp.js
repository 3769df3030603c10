// Lamps that keep the same rhythm as the lights on the table: on, off, on, off ... in milliseconds, repeated.

const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Make an element (class `glow`) shine in this rhythm; nothing happens while the rhythm stays the same. */
export function shine(element, light) {
  const rhythm = rhythmOf(light);
  const key = `${light?.colour}|${rhythm.join(",")}|${still.matches}`;
  if (element.dataset.rhythm === key) return;
  element.dataset.rhythm = key;
  element.dataset.colour = light?.colour || "off";
  for (const old of element.getAnimations()) old.cancel();
  element.style.opacity = still.matches ? standing(rhythm) : Number(rhythm.length > 0);
  if (rhythm.length > 1 && !still.matches) {
    element.animate(frames(rhythm), { duration: rhythm.reduce((a, b) => a + b), iterations: Infinity });
  }
}

function rhythmOf(light) {
  if (Array.isArray(light?.pattern)) return light.pattern.filter((ms) => Number.isFinite(ms) && ms > 0);
  return !light?.colour || light.colour === "off" ? [] : [1000];
}

/** A lamp that may not blink: a rare blip is dim, anything else is lit; the words beside it say which. */
function standing(rhythm) {
  if (rhythm.length < 2) return rhythm.length;
  const lit = rhythm.filter((_, step) => step % 2 === 0).reduce((a, b) => a + b);
  return lit / rhythm.reduce((a, b) => a + b) < 0.1 ? 0.3 : 1;
}

function frames(rhythm) {
  const total = rhythm.reduce((a, b) => a + b);
  let at = 0;
  const steps = rhythm.map((length, step) => {
    const frame = { opacity: step % 2 ? 0.06 : 1, offset: at / total, easing: "steps(1, end)" };
    at += length;
    return frame;
  });
  return [...steps, { opacity: 0.06, offset: 1 }];
}
