// Parallel coordinates of a sweep: a line a run, through its settings and a measure.
import { counted, spelled } from "./format.js";
import { heatColours } from "./palette.js";
import { letters, scale, shape } from "./plane.js";
import { FRAME, WIDE, byInterest, chooser, figure, places, settingScale, wholeNames } from "./runs.js";

/** @import { Sweep } from "./runs.js" */
/** @import { Scale } from "./types.js" */

const MOST_PARALLEL = 2000;
/** Most names of columns in a row; of more, every second one stands higher. */
const MOST_IN_A_ROW = 5;
/** Most columns with room on a phone. */
const MOST_FITTING = 4;
/** Least distance of two marks of an axis, in units of the drawing. */
const APART = 15;

/**
 * Returns the marks of an axis that have room between them.
 *
 * @param {Scale} axis
 */
function spaced({ at, marks }) {
  const order = [...marks].sort(([one], [other]) => at(one) - at(other));
  let last = -Infinity;
  return order.filter(([value]) => {
    const isApart = at(value) - last >= APART;
    if (isApart) last = at(value);
    return isApart;
  });
}

/**
 * Parallel coordinates: a line a run, through its settings and measures.
 *
 * @param {Sweep} sweep
 */
export function parallelFigure(sweep) {
  const { measures } = sweep.data;
  const change = () => made.show();
  const measure = chooser("Measure", places(measures), change, byInterest(sweep.data)[0]);
  const render = () => {
    const of = measures[measure.at()];
    const columns = [...sweep.varied, { ...of, kind: "number" }];
    const frame = columns.length > MOST_FITTING ? WIDE : FRAME;
    const runs = sweep.all.filter((run) => of.values[run] !== null).slice(0, MOST_PARALLEL);
    const valueOf = (/** @type {number} */ run) => /** @type {number} */ (of.values[run]);
    const values = runs.map(valueOf);
    const gap = (frame.width - frame.left - frame.right - 40) / Math.max(columns.length - 1, 1);
    const [bottom, top] = [frame.height - frame.bottom, frame.top + 12];
    const scales = columns.map((column) => column === columns[columns.length - 1]
      ? scale(values, bottom, top, { withZero: values.every((value) => value >= 0) }) : settingScale(column, bottom, top));
    const x = (/** @type {number} */ at) => frame.left + at * gap;
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const colours = heatColours();
    const hue = (/** @type {number} */ run) => colours[high === low ? 5 : 1 + Math.min(4, Math.floor((valueOf(run) - low) / (high - low) * 5))];
    const point = (/** @type {string | number | null} */ value, /** @type {number} */ at) => value === null ? "" : x(at) + "," + scales[at].at(value);
    const lines = runs.map((run) => sweep.link(run, sweep.words(run) + ": " + spelled(valueOf(run), of.unit), shape("polyline", {
      points: columns.map((column, at) => point(column.values[run], at)).join(" "), fill: "none", stroke: hue(run), "stroke-width": 1.6, class: "run" })));
    const marks = columns.flatMap((column, at) => [shape("line", { x1: x(at), x2: x(at), y1: frame.top, y2: frame.height - frame.bottom, class: "axis" }),
      letters(x(at), frame.top - 10 + (columns.length > MOST_IN_A_ROW && at % 2 === 1 ? -12 : 0), column.name, { "text-anchor": at === 0 ? "start" : at === columns.length - 1 ? "end" : "middle", class: "name" }),
      ...spaced(scales[at]).map(([value, label]) => letters(x(at) - 5, scales[at].at(value) + 4, typeof label === "number" ? spelled(label, column.unit) : label, { "text-anchor": "end" }))]);
    return { shapes: [...lines, ...marks], frame, text: counted(runs.length, sweep.data.kind === "tuning" ? "setting" : "run") + " of " + sweep.all.length + ", a line each, coloured by " + of.name + ", from " + spelled(low, of.unit) + " to " + spelled(high, of.unit) + ", the highest strongest. A line leads to the folder of its runs." + wholeNames(sweep.varied),
      rows: [columns.map((column) => column.name), ...runs.map((run) => columns.map((column) => column.values[run]))] };
  };
  const made = figure([measure.box], render, "Settings and a measure of each run");
  return made;
}
