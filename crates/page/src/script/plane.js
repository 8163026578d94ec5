// Drawings in a plane: axes, points, lines and intervals as SVG, whose points are links.
import { fittingUnit, short } from "./format.js";

/** @import { Scale } from "./types.js" */

/**
 * An axis: its scale, its name, and the unit and the largest of its values.
 *
 * @typedef {{ scale: Scale, name: string, unit: string, largest: number }} PlaneAxis
 *
 * Size of a drawing, and the margins around its plane, in units of the drawing.
 *
 * @typedef {{ width: number, height: number, left: number, right: number, top: number, bottom: number }} Frame
 */

/** Mean width of a letter, in units of a drawing. */
const LETTER = 6.2;
const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * Returns an SVG element with attributes and children.
 *
 * @param {string} tag
 * @param {Record<string, string | number | null | undefined>} attributes
 * @param {(Node | string | (Node | string)[])[]} children
 */
export function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS(NAMESPACE, tag);
  Object.entries(attributes).forEach(([name, value]) => value !== null && value !== undefined && made.setAttribute(name, String(value)));
  made.append(...children.flat());
  return made;
}

/**
 * Returns an SVG text.
 *
 * @param {number} x
 * @param {number} y
 * @param {string | number} text
 * @param {Record<string, string>} attributes
 */
export function letters(x, y, text, attributes = {}) {
  return shape("text", { x, y, ...attributes }, String(text));
}

/**
 * Returns about `count` round numbers from `low` to `high`.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} count
 */
export function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((one) => one * power >= rough) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9) * step;
  const marks = [];
  for (let at = first; at <= high + step * 1e-6; at += step) marks.push(Math.abs(at) < step * 1e-6 ? 0 : at);
  return marks;
}

/**
 * A scale from values to pixels: of numbers, or of words, which stand evenly spaced in their order.
 *
 * @param {(string | number)[]} values
 * @param {number} from
 * @param {number} to
 * @param {{ isWords?: boolean, withZero?: boolean }} options
 * @returns {Scale}
 */
export function scale(values, from, to, { isWords, withZero }) {
  if (isWords) {
    const step = (to - from) / values.length;
    return { at: (value) => from + step * (values.indexOf(value) + 0.5), marks: values.map((value) => [value, value]) };
  }
  const numbers = values.map(Number);
  const [low, high] = [Math.min(...numbers, withZero ? 0 : Infinity), Math.max(...numbers)];
  const room = (high - low || Math.abs(high) || 1) * 0.04;
  const [start, end] = [withZero && low === 0 ? 0 : low - room, high + room];
  const at = (/** @type {string | number} */ value) => from + (Number(value) - start) / (end - start) * (to - from);
  return { at, marks: ticks(start, end, Math.max(2, Math.abs(to - from) / 90)).map((value) => [value, value]) };
}

/**
 * Returns marks and names of both axes.
 *
 * @param {Frame} frame
 * @param {PlaneAxis} x
 * @param {PlaneAxis} y
 */
export function axes({ width, height, left, bottom, top, right }, x, y) {
  const named = (/** @type {PlaneAxis} */ axis) => {
    const [, unit] = fittingUnit(axis.largest, axis.unit);
    return unit ? axis.name + " (" + unit + ")" : axis.name;
  };
  const label = (/** @type {PlaneAxis} */ axis, /** @type {string | number} */ value) => typeof value === "number" ? short(value / fittingUnit(axis.largest, axis.unit)[0]) : value;
  /** @type {SVGElement[]} */
  const parts = [];
  let end = -Infinity;
  x.scale.marks.forEach(([value, text]) => {
    const at = x.scale.at(value);
    const words = label(x, text);
    const half = String(words).length * LETTER / 2;
    parts.push(shape("line", { x1: at, x2: at, y1: top, y2: height - bottom, class: "grid" }));
    // A name without room is left out: its value stands in the tip of each point.
    if (at - half < end) return;
    end = at + half + LETTER;
    parts.push(letters(at, height - bottom + 16, words, { "text-anchor": "middle" }));
  });
  y.scale.marks.forEach(([value, text]) => {
    const at = y.scale.at(value);
    parts.push(shape("line", { x1: left, x2: width - right, y1: at, y2: at, class: "grid" }));
    parts.push(letters(left - 6, at + 4, label(y, text), { "text-anchor": "end" }));
  });
  parts.push(letters((left + width - right) / 2, height - 6, named(x), { "text-anchor": "middle", class: "name" }));
  parts.push(letters(left, top - 10, named(y), { class: "name" }));
  return shape("g", {}, parts);
}
