// Parallel coordinates of a sweep: a line a run, through its settings and a measure.
import { counted, spelled } from "./format.js";
import { heatColours } from "./palette.js";
import { letters, scale, shape } from "./plane.js";
import { FRAME, byInterest, chooser, figure, places, settingScale } from "./runs.js";

/** @import { Sweep } from "./runs.js" */

const MOST_PARALLEL = 2000;

/**
 * Parallel coordinates: a line a run, through its settings and measures.
 *
 * @param {Sweep} sweep
 */
export function parallelFigure(sweep) {
  const { measures } = sweep.data;
  const change = () => made.show();
  const measure = chooser("Measure", places(measures), change, byInterest(measures)[0]);
  const render = () => {
    const of = measures[measure.at()];
    const columns = [...sweep.varied, { ...of, kind: "number" }];
    const runs = sweep.all.filter((run) => of.values[run] !== null).slice(0, MOST_PARALLEL);
    const valueOf = (/** @type {number} */ run) => /** @type {number} */ (of.values[run]);
    const values = runs.map(valueOf);
    const gap = (FRAME.width - FRAME.left - FRAME.right - 40) / Math.max(columns.length - 1, 1);
    const [bottom, top] = [FRAME.height - FRAME.bottom, FRAME.top + 12];
    const scales = columns.map((column) => column === columns[columns.length - 1]
      ? scale(values, bottom, top, {}) : settingScale(column, bottom, top));
    const x = (/** @type {number} */ at) => FRAME.left + at * gap;
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const colours = heatColours();
    const hue = (/** @type {number} */ run) => colours[high === low ? 5 : 1 + Math.min(4, Math.floor((valueOf(run) - low) / (high - low) * 5))];
    const point = (/** @type {string | number | null} */ value, /** @type {number} */ at) => value === null ? "" : x(at) + "," + scales[at].at(value);
    const lines = runs.map((run) => sweep.link(run, sweep.words(run) + ": " + spelled(valueOf(run), of.unit), shape("polyline", {
      points: columns.map((column, at) => point(column.values[run], at)).join(" "), fill: "none", stroke: hue(run), "stroke-width": 1.6, class: "run" })));
    const marks = columns.flatMap((column, at) => [shape("line", { x1: x(at), x2: x(at), y1: FRAME.top, y2: FRAME.height - FRAME.bottom, class: "axis" }),
      letters(x(at), FRAME.top - 10, column.name, { "text-anchor": at === 0 ? "start" : at === columns.length - 1 ? "end" : "middle", class: "name" }),
      ...scales[at].marks.map(([value, label]) => letters(x(at) - 5, scales[at].at(value) + 4, typeof label === "number" ? spelled(label, column.unit) : label, { "text-anchor": "end" }))]);
    return { shapes: [...lines, ...marks], text: counted(runs.length, sweep.data.kind === "tuning" ? "setting" : "run") + " of " + sweep.all.length + ", a line each, coloured by " + of.name + ", the highest strongest. A line leads to the folder of its runs." };
  };
  const made = figure([measure.box], render, "Settings and a measure of each run");
  return made;
}
