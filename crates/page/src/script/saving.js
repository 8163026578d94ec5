// Pictures as SVG files, and their data as CSV files, saved by the browser.
import { button, element } from "./dom.js";
import { shape } from "./plane.js";

/** @import { Brush, Cell } from "./types.js" */

/**
 * Saves a text as a file.
 *
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/**
 * Returns rows of cells as CSV. A text that a table program would take for a formula begins with an apostrophe.
 *
 * @param {Cell[][]} rows
 */
export function csvOf(rows) {
  const text = (/** @type {string} */ value) => {
    const safe = /^[=+@\t\r]|^-(?![\d.])/.test(value) ? "'" + value : value;
    return /[",\n\r]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  };
  const cell = (/** @type {Cell} */ value) => value === null || Number.isNaN(value) ? "" : typeof value === "string" ? text(value) : String(value);
  return rows.map((row) => row.map(cell).join(",") + "\n").join("");
}

/**
 * Returns two buttons that save a figure as SVG, if it is one, and its data as CSV, as they are when a button is pressed.
 *
 * @param {string} name
 * @param {{ svg?: () => SVGElement, rows: () => Cell[][] }} figure
 */
export function savers(name, { svg, rows }) {
  const file = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  const picture = (/** @type {SVGElement} */ made) => save(file + ".svg", new XMLSerializer().serializeToString(standing(made)), "image/svg+xml");
  return element("span", { class: "savers" }, svg ? button("Save SVG", () => picture(svg()), { "aria-label": "Save as SVG: " + name }) : null,
    button("Save CSV", () => save(file + ".csv", csvOf(rows()), "text/csv"), { "aria-label": "Save data as CSV: " + name }));
}

/**
 * Returns a copy of a drawing that needs no style sheet: with the looks that this page gives it, on paper.
 *
 * @param {SVGElement} svg
 */
function standing(svg) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  if (svg.isConnected) {
    const [from, to] = [svg, copy].map((one) => [...one.querySelectorAll("*")]);
    from.forEach((one, at) => {
      const look = getComputedStyle(one);
      ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-weight", "font-size", "paint-order", "text-anchor"].forEach((name) =>
        to[at].setAttribute(name, look.getPropertyValue(name)));
    });
  }
  const [, , width, height] = (svg.getAttribute("viewBox") ?? "0 0 900 380").split(" ");
  copy.prepend(shape("rect", { width, height, fill: getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() }));
  Object.entries({ width, height, "font-family": "sans-serif" }).forEach(([name, value]) => copy.setAttribute(name, value));
  return copy;
}

/**
 * A brush that draws into an SVG.
 *
 * @implements {Brush}
 */
export class SvgBrush {
  /**
   * @param {number} width
   * @param {number} height
   */
  constructor(width, height) {
    this.svg = shape("svg", { viewBox: "0 0 " + width + " " + height });
    /** @type {string} */
    this.strokeStyle = "#000";
    /** @type {string} */
    this.fillStyle = "#000";
    this.lineWidth = 1;
    /** @type {CanvasLineCap} */
    this.lineCap = "butt";
    /** @type {CanvasLineJoin} */
    this.lineJoin = "miter";
    this.font = "11px sans-serif";
    /** @type {CanvasTextAlign} */
    this.textAlign = "left";
    this.globalAlpha = 1;
    /** @type {string[]} */
    this.path = [];
    /** @type {number[]} */
    this.dash = [];
    this.measure = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  }

  /** @param {Iterable<number>} dash */
  setLineDash(dash) { this.dash = [...dash]; }
  beginPath() { this.path = []; }
  clearRect() { this.svg.replaceChildren(); }

  /** @param {number} x @param {number} y */
  moveTo(x, y) { this.step("M", x, y); }
  /** @param {number} x @param {number} y */
  lineTo(x, y) { this.step("L", x, y); }
  /** @param {number} cx @param {number} cy @param {number} x @param {number} y */
  quadraticCurveTo(cx, cy, x, y) { this.step("Q", cx, cy, x, y); }

  /**
   * Draws a whole circle, which is the only arc that pictures have.
   *
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   */
  arc(x, y, radius) {
    this.step("M", x - radius, y);
    this.path.push("a" + radius + " " + radius + " 0 1 0 " + 2 * radius + " 0a" + radius + " " + radius + " 0 1 0 " + -2 * radius + " 0");
  }

  stroke() { this.add("path", { d: this.path.join(""), ...this.outline() }); }
  fill() { this.add("path", { d: this.path.join(""), ...this.filling() }); }
  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) { this.add("rect", { x, y, width, height, ...this.filling() }); }
  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  strokeRect(x, y, width, height) { this.add("rect", { x, y, width, height, ...this.outline() }); }
  /** @param {string} text @param {number} x @param {number} y */
  strokeText(text, x, y) { this.add("text", { x, y, ...this.letters(), ...this.outline() }, text); }
  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) { this.add("text", { x, y, ...this.letters(), ...this.filling() }, text); }

  /** @param {string} text */
  measureText(text) {
    this.measure.font = this.font;
    return this.measure.measureText(text);
  }

  outline() {
    return { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": this.lineJoin, "stroke-dasharray": this.dash.join(" ") || null,
      opacity: this.globalAlpha === 1 ? null : this.globalAlpha };
  }

  filling() {
    return { fill: this.fillStyle, opacity: this.globalAlpha === 1 ? null : this.globalAlpha };
  }

  letters() {
    const anchor = { left: "start", center: "middle", right: "end", start: "start", end: "end" }[this.textAlign];
    return { "text-anchor": anchor, "font-size": 11, "font-weight": this.font.startsWith("bold") ? "bold" : null };
  }

  /** @param {string} letter @param {number[]} numbers */
  step(letter, ...numbers) { this.path.push(letter + numbers.map((one) => Math.round(one * 100) / 100).join(" ")); }

  /** @param {string} tag @param {Record<string, any>} attributes @param {string[]} children */
  add(tag, attributes, ...children) { this.svg.append(shape(tag, attributes, ...children)); }
}
