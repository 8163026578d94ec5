// Flows and groups, those that congestion held back first: their share of their best, and goodput over time, each on a scale of its own.
import { element, onceInTurn } from "./dom.js";
import { counted, spelled } from "./format.js";
import { shape } from "./plane.js";
import { savers } from "./saving.js";
import { pointsTo, subjectButton } from "./choice.js";

/** @import { Line, Panel, Subject } from "./types.js" */
/** @import { TimeAxis } from "./axis.js" */

const FIRST = 12;
const STRIP = { width: 1000, height: 40 };

/**
 * Returns the part of a subject in congestion trees in words.
 *
 * @param {Subject} subject
 */
function role({ flows, victims, contributors }) {
  const of = (/** @type {number} */ count, /** @type {string} */ noun) => count === 0 ? [] : [flows > 1 ? counted(count, noun) : noun];
  return [...of(victims, "victim"), ...of(contributors, "contributor")].join(", ");
}

/**
 * Returns a curve of a subject on its own scale. It follows the range of time and the moment that the page shows.
 *
 * @param {Line} line
 * @param {Panel} panel
 * @param {TimeAxis} axis
 * @param {Subject} subject
 */
function strip(line, panel, axis, subject) {
  const values = [...line.y];
  const highest = values.reduce((most, value) => Math.max(most ?? 0, value ?? 0), 0) || 1;
  const at = (/** @type {number} */ time) => time / axis.end * STRIP.width;
  const x = [...panel.x];
  const points = values.flatMap((value, place) => value === null ? [] : [at(x[place]).toFixed(2) + "," + (STRIP.height - (value ?? 0) / Number(highest) * (STRIP.height - 3)).toFixed(2)]);
  const kind = subject.victims > 0 ? "victim" : subject.contributors > 0 ? "tree" : "plain";
  const curve = shape("polyline", { points: points.join(" "), class: "curve " + kind, "vector-effect": "non-scaling-stroke" });
  const moment = shape("line", { y1: 0, y2: STRIP.height, class: "moment-line", "vector-effect": "non-scaling-stroke" });
  const svg = shape("svg", { class: "strip", preserveAspectRatio: "none", role: "img", "aria-label": line.name + ": highest " + spelled(Number(highest), "bit/s") }, curve, moment);
  const reading = element("span", { class: "value" });
  const read = (/** @type {number} */ time) => {
    const place = x.findIndex((one) => one >= time);
    return place < 0 ? values[values.length - 1] : values[place];
  };
  const show = () => {
    const [from, to] = axis.range;
    svg.setAttribute("viewBox", [at(from), 0, at(to) - at(from), STRIP.height].join(" "));
    const place = axis.moment === null ? -STRIP.width : at(axis.moment);
    ["x1", "x2"].forEach((end) => moment.setAttribute(end, String(place)));
    reading.textContent = axis.moment === null ? "up to " + spelled(Number(highest), "bit/s") : spelled(read(axis.moment), "bit/s") + " of " + spelled(Number(highest), "bit/s");
  };
  axis.follow(onceInTurn(show));
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const time = axis.range[0] + (event.clientX - box.left) / box.width * (axis.range[1] - axis.range[0]);
    reading.textContent = spelled(read(time), "bit/s") + " at " + spelled(time, "s");
  });
  svg.addEventListener("pointerleave", show);
  show();
  return { svg, reading };
}

/**
 * Returns a bar for the share that a subject got.
 *
 * @param {Subject} subject
 */
function bar(subject) {
  const filled = element("span", { class: subject.victims > 0 ? "filled victim" : "filled" });
  filled.style.width = subject.share * 100 + "%";
  return element("div", { class: "kept" }, element("span", { class: "bar", "aria-hidden": "true" }, filled), element("span", { class: "share" }, subject.outcome));
}

/**
 * Makes the figure. `panel` has the curves of goodput.
 *
 * @param {Subject[]} subjects
 * @param {Panel | undefined} panel
 * @param {TimeAxis} axis
 */
export function hurtFigure(subjects, panel, axis) {
  const rows = subjects.map((subject) => {
    const line = panel?.lines.find((one) => one.name === subject.name && one.kind === subject.kind);
    const drawn = line && panel ? strip(line, panel, axis, subject) : null;
    const box = element("div", { class: "subject", role: "listitem" }, element("div", { class: "who" }, subjectButton(axis, subject.kind + " " + subject.name, subject.name, "who-name"), " ",
      element("span", { class: "role" }, role(subject))), bar(subject), drawn ? drawn.svg : element("span", { class: "strip none" }, "no curve of its own"),
    drawn ? drawn.reading : element("span", { class: "value" }));
    const light = () => {
      const lit = axis.lit;
      box.classList.toggle("faded", lit !== null && !lit.has(subject.kind + " " + subject.name));
    };
    axis.follow(light);
    pointsTo(box, axis, subject.kind + " " + subject.name);
    return box;
  });
  rows.slice(FIRST).forEach((row) => { row.hidden = true; });
  const more = element("button", { type: "button", hidden: rows.length <= FIRST, onclick: () => {
    rows.forEach((row) => { row.hidden = false; });
    more.hidden = true;
  } }, "Show all " + rows.length);
  const cells = () => [["name", "kind", "flows", "victims", "contributors", "delivered_bytes", "lost_bytes", "goodput_bps", "best_bps", "quantity", "share", "outcome"],
    ...subjects.map((one) => [one.name, one.kind, one.flows, one.victims, one.contributors, one.delivered_bytes, one.lost_bytes, one.goodput_bps, one.best_bps, one.quantity, one.share, one.outcome])];
  return element("div", { class: "hurt" }, element("div", { role: "list" }, rows), more,
    element("div", { class: "controls" }, savers("Who was held back", { svg: () => svgOfSubjects(subjects), rows: cells })));
}

/**
 * Returns the shares of subjects as an SVG.
 *
 * @param {Subject[]} subjects
 */
function svgOfSubjects(subjects) {
  const parts = subjects.flatMap((subject, at) => {
    const y = 12 + 26 * at;
    return [shape("text", { x: 10, y: y + 13 }, subject.name + (role(subject) ? " (" + role(subject) + ")" : "")), shape("rect", { x: 330, y, width: 300, height: 16, fill: "none", stroke: "#84898f" }),
      shape("rect", { x: 330, y, width: 300 * subject.share, height: 16, fill: subject.victims > 0 ? "#b0008e" : "#84898f" }), shape("text", { x: 645, y: y + 13 }, subject.outcome)];
  });
  return shape("svg", { viewBox: "0 0 1160 " + (26 * subjects.length + 20), "font-size": 13 }, parts);
}
