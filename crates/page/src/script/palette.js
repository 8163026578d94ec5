// Colours, from the style sheet, so that dark, light and print have their own.
//
// Lines have the colours of Okabe and Ito (2008) without black and yellow, which every common form of colour blindness tells
// apart, and dashes besides. Heat classes rise in one direction of brightness.

const LINES = 6;
const DASHES = [[], [8, 4], [2, 3], [9, 3, 2, 3], [16, 5], [9, 3, 2, 3, 2, 3]];
export const HEAT_CLASSES = [0.01, 0.05, 0.2, 0.4, 0.7];
/** @type {{ of: Element, redraw: () => void, wasShown: boolean }[]} */
let watchers = [];

/**
 * Returns a colour of the style sheet.
 *
 * @param {string} name
 */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/**
 * Returns colour and dashes of a line by its place among the lines of a figure. Lines whose places differ by a multiple of
 * `colours` have the same colour.
 *
 * @param {number} place
 * @param {number | undefined} colours
 */
export function pen(place, colours = LINES) {
  const [of, round] = [place % colours, Math.floor(place / colours)];
  return { stroke: colour("line-" + of), dash: DASHES[(of + round) % DASHES.length] };
}

/**
 * Returns the class of a share: 0 below the first limit, then one more for each limit that it reaches.
 *
 * @param {number} share
 */
export function heatClass(share) {
  let place = 0;
  while (place < HEAT_CLASSES.length && share >= HEAT_CLASSES[place]) place += 1;
  return place;
}

/** Returns the colours of all classes. */
export function heatColours() {
  return [0, 1, 2, 3, 4, 5].map((place) => colour("heat-" + place));
}

/** Returns the classes in words. */
export function heatNames() {
  const ends = [...HEAT_CLASSES.slice(1), null];
  const parts = HEAT_CLASSES.map((from, place) =>
    ends[place] === null ? from * 100 + " % and more" : from * 100 + " to " + Math.round(ends[place] * 100) + " %");
  return ["below " + HEAT_CLASSES[0] * 100 + " %", ...parts];
}

/** Forgets what the page no longer shows. */
function forget() {
  watchers.forEach((one) => { one.wasShown ||= one.of.isConnected; });
  watchers = watchers.filter((one) => one.of.isConnected || !one.wasShown);
}

/**
 * Calls `redraw` whenever colours change, dark or light, screen or print, until the page no longer shows `of`.
 *
 * @param {Element} of
 * @param {() => void} redraw
 */
export function onColours(of, redraw) {
  forget();
  watchers.push({ of, redraw, wasShown: false });
}

function recolour() {
  forget();
  watchers.forEach((one) => one.redraw());
}

/**
 * Sets the theme: `dark`, `light`, or that of the system.
 *
 * @param {string} theme
 */
export function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  recolour();
}

/** Redraws when the system changes its theme. */
export function watchSystem() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
}
