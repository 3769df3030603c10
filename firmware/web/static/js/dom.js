// Elements from plain values. Text goes in as text nodes only: a player's name can never become markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: h("button", {class: "big", onclick: f}, "words", child). False, null and undefined are skipped. */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An SVG element, likewise. */
export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** Put these children in the place of what is in the element. */
export function put(element, ...children) {
  element.replaceChildren(...children.flat(9).filter(wanted));
  return element;
}

/** Set text only where it differs, so that a screen reader is not told twice. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const $ = (id) => document.getElementById(id);

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (!wanted(value)) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter(wanted));
  return element;
}

function wanted(value) {
  return value !== null && value !== undefined && value !== false;
}
