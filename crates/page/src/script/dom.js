// Elements of the page. Texts are set as text, never as HTML: a flow may have any name.

/**
 * Returns an element with attributes, listeners (`onclick`) and children, which are elements or texts.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [attributes]
 * @param {import("./types.js").Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  const present = /** @type {any[]} */ (children).flat(Infinity).filter((child) => child !== null && child !== undefined);
  made.append(...present);
  return made;
}

/**
 * Returns a text as nodes, with the parts between backquotes as code.
 *
 * @param {string} text
 */
export function withCode(text) {
  return text.split("`").map((part, place) => place % 2 ? element("code", {}, part) : part);
}

/**
 * Returns a button.
 *
 * @param {import("./types.js").Child} label
 * @param {(event: MouseEvent) => void} onclick
 * @param {Record<string, any>} [attributes]
 */
export function button(label, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...attributes }, label);
}

/**
 * Returns a button that copies a text.
 *
 * @param {string} text
 */
export function copyButton(text) {
  const copy = button("Copy", () => navigator.clipboard.writeText(text).then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Select and copy by hand"; }));
  return copy;
}

/**
 * Returns a text with a button that copies it.
 *
 * @param {string} text
 */
export function copied(text) {
  return element("div", { class: "copied" }, element("pre", { tabindex: "0" }, text), copyButton(text));
}

/**
 * Returns the element that Rust made for a figure.
 *
 * @param {string} id
 */
export function place(id) {
  return /** @type {HTMLElement} */ (document.getElementById("figure-" + id));
}

/**
 * Returns details whose contents are made when they open for the first time.
 *
 * @param {string} summary
 * @param {() => HTMLElement} make
 * @returns {HTMLDetailsElement & { fill?: () => void }}
 */
export function lazyDetails(summary, make) {
  /** @type {HTMLDetailsElement & { fill?: () => void }} */
  const details = element("details", {}, element("summary", {}, summary));
  let made = false;
  const fill = () => {
    if (made) return;
    made = true;
    details.append(make());
  };
  details.addEventListener("toggle", () => details.open && fill());
  details.fill = fill;
  return details;
}

/** Returns true if the reader asks the system for less motion. */
export function isCalm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Longest time of a frame given to tasks in turn, in ms: half a frame of 60 Hz. */
const TURN_MS = 8;
/** @type {(() => void)[]} */
const waiting = [];
/** True while a frame is asked for. */
let awaited = false;

/** Runs the tasks that wait, until a frame's share has passed; the others wait for the next frame, also if one fails. */
function runTurns() {
  const until = performance.now() + TURN_MS;
  try {
    while (waiting.length > 0 && performance.now() < until) waiting.shift()?.();
  } finally {
    awaited = waiting.length > 0;
    if (awaited) requestAnimationFrame(runTurns);
  }
}

/**
 * Calls `task` in a frame to come, in turn with others: the pictures of a page, all drawn in one frame, would keep it from answering.
 *
 * @param {() => void} task
 */
export function inTurn(task) {
  waiting.push(task);
  if (awaited) return;
  awaited = true;
  requestAnimationFrame(runTurns);
}

/**
 * Calls `task` in turn, once however often it is asked for until then.
 *
 * @param {() => void} task
 */
export function onceInTurn(task) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    inTurn(() => {
      asked = false;
      task();
    });
  };
}
