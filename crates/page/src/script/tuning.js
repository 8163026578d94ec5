// The answer of a tuning: what to set, the judgement on held-out seeds, and the effect of each parameter.
import { copied, element } from "./dom.js";
import { spelled } from "./format.js";
import { letters, shape } from "./plane.js";
import { savers } from "./saving.js";
import { sortableTable } from "./table.js";

/** @import { Estimated, TuningAnswer } from "./types.js" */

const BARS = { width: 900, left: 230, right: 150, row: 44 };

/**
 * Returns an estimate in words.
 *
 * @param {Estimated | null} estimate
 * @param {string} unit
 */
function words(estimate, unit) {
  if (!estimate) return "–";
  return spelled(estimate.mean, unit) + (estimate.half === null ? "" : " ± " + spelled(estimate.half, unit));
}

/**
 * Returns a column of texts.
 *
 * @param {string} heading
 * @param {string[]} values
 */
function texts(heading, values) {
  return { words: heading, kind: "string", values };
}

/**
 * Returns what to set: the parameters of baseline and winner, and the command to copy.
 *
 * @param {TuningAnswer} answer
 */
export function settingsToSet({ parameters, set, scenario, rival }) {
  const quoted = (/** @type {string} */ text) => "'" + text.replaceAll("'", "'\\''") + "'";
  const columns = [texts("parameter", parameters.map((one) => one.name)), texts("baseline", parameters.map((one) => one.baseline)),
    texts(rival, parameters.map((one) => one.winner)), texts("path", parameters.map((one) => one.path))];
  const table = sortableTable({ caption: "Parameters of baseline and winner", columns, rows: parameters.length });
  const command = "backwater sim " + quoted(scenario).replace(/^'([\w./-]+)'$/, "$1") + set.map((one) => " \\\n  --set " + quoted(one)).join("");
  return element("div", {}, table, set.length > 0 ? copied(command) : element("p", { class: "note" }, "The scenario's own settings stay. The file `searched.set` below has the best others that were found."));
}

/**
 * Returns the judgement on held-out seeds.
 *
 * @param {TuningAnswer} answer
 */
export function heldOut({ objectives, constraints, rival }) {
  const percent = (/** @type {TuningAnswer["objectives"][number]} */ { gain, baseline }) => gain && baseline && baseline.mean !== 0
    ? (gain.mean >= 0 ? "+" : "") + (gain.mean / Math.abs(baseline.mean) * 100).toFixed(1) + " %" + (gain.half === null ? "" : " ± " + (gain.half / Math.abs(baseline.mean) * 100).toFixed(1) + " %") : "–";
  const none = constraints.map(() => "–");
  const columns = [texts("measure", [...objectives.map((one) => one.name + " (" + one.better + " is better)"), ...constraints.map((one) => one.name)]),
    texts("baseline", [...objectives.map((one) => words(one.baseline, one.unit)), ...constraints.map((one) => one.baseline || "–")]),
    texts(rival, [...objectives.map((one) => words(one.winner, one.unit)), ...constraints.map((one) => one.winner || "–")]),
    texts("gain", [...objectives.map((one) => words(one.gain, one.unit)), ...none]), texts("in percent", [...objectives.map(percent), ...none])];
  return sortableTable({ caption: "Held-out seeds", about: "Means with 95 % intervals. A gain above zero is better, and paired by seed.", columns, rows: objectives.length + constraints.length });
}

/**
 * Returns the loss by each parameter that is moved alone, as bars on both sides of zero. Without such runs there are correlations alone.
 *
 * @param {TuningAnswer} answer
 */
export function sensitivity({ sensitivity: rows, objectives }) {
  const correlations = [texts("parameter", rows.map((one) => one.parameter)), { words: "rank correlation", kind: "number", values: rows.map((one) => one.rank_correlation) }];
  if (rows.every((one) => one.neighbours.length === 0)) return sortableTable({ caption: "Sensitivity", columns: correlations, rows: rows.length });
  const { width, left, right, row } = BARS;
  const unit = objectives[0]?.unit ?? "";
  const largest = Math.max(...rows.flatMap((one) => one.neighbours.map(({ loss }) => Math.abs(loss?.mean ?? 0))), Number.MIN_VALUE);
  const zero = left + (width - left - right) / 2;
  const at = (/** @type {number} */ value) => zero + value / largest * (width - left - right) / 2;
  const height = rows.length * row + 34;
  const parts = rows.flatMap(({ parameter, neighbours }, place) => [letters(4, 24 + row * place + 20, parameter, { class: "name" }), ...neighbours.flatMap(({ value, loss }, side) => {
    if (!loss) return [];
    const y = 24 + row * place + 18 * side;
    const [from, to] = [Math.min(at(0), at(loss.mean)), Math.max(at(0), at(loss.mean))];
    const isLoss = loss.mean > 0;
    return [shape("rect", { x: from, y, width: Math.max(to - from, 1), height: 14, fill: isLoss ? "var(--line-1)" : "var(--line-0)" }),
      letters(isLoss ? to + 5 : from - 5, y + 12, value + ": " + spelled(loss.mean, unit), { "text-anchor": isLoss ? "start" : "end" })];
  })]);
  const axis = [shape("line", { x1: zero, x2: zero, y1: 18, y2: height - 10, class: "axis" }), letters(zero - 8, 12, "better if moved", { "text-anchor": "end", class: "name" }),
    letters(zero + 8, 12, "worse if moved", { class: "name" })];
  const svg = shape("svg", { viewBox: "0 0 " + width + " " + height, class: "plane", role: "img", "aria-label": "Effect of each parameter" }, axis, parts);
  const columns = [...correlations,
    texts("loss if it is moved alone", rows.map((one) => one.neighbours.map(({ value, loss }) => words(loss, unit) + " at " + value).join("; ")))];
  const cells = () => [["parameter", "value", "loss"], ...rows.flatMap((one) => one.neighbours.map(({ value, loss }) => [one.parameter, value, loss ? loss.mean : null]))];
  return element("div", {}, element("div", { class: "scroll" }, svg), element("div", { class: "controls" }, savers("Effect of each parameter", { svg: () => svg, rows: cells })),
    sortableTable({ caption: "Sensitivity", columns, rows: rows.length }));
}
