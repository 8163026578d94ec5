// A measure of a sweep against a setting, as lines with intervals.
import { counted, spelled } from "./format.js";
import { pen } from "./palette.js";
import { grouped, meanOf } from "./statistics.js";
import { axes, scale, shape } from "./plane.js";
import { FRAME, byInterest, chooser, figure, fixedSettings, places, settingScale, spelledSetting, wholeNames } from "./runs.js";

/** @import { Drawn, Sweep } from "./runs.js" */
/** @import { Mean, Measure, Setting } from "./types.js" */

/**
 * Point of a line: the value of its setting, and its first run.
 *
 * @typedef {Mean & { x: string | number | null, first: number }} LinePoint
 */

const ANY = "";

/**
 * Lines: a measure against a setting, a line for each value of another, with 95 % intervals over the other runs.
 *
 * @param {Sweep} sweep
 */
export function lineFigure(sweep) {
  const { measures } = sweep.data;
  const names = places(sweep.varied);
  const change = () => made.show();
  const measure = chooser("Measure", places(measures), change, byInterest(sweep.data)[0]);
  const [first, second] = sweep.axes();
  const across = chooser("against", names, change, first);
  const lines = chooser("a line for each", [[ANY, "(one line)"], ...names], change, second ?? ANY);
  const fixed = fixedSettings(sweep, change);
  const render = () => {
    const [of, x] = [measures[measure.at()], sweep.varied[across.at()]];
    const by = lines.value() === ANY || lines.value() === across.value() ? null : sweep.varied[lines.at()];
    const runs = fixed.leave(by ? [x, by] : [x]);
    const parts = grouped(by ? [by] : [], runs).map((part) => ({ name: by ? by.name + " = " + spelledSetting(by, part.values[0]) : of.name,
      points: grouped([x], part.runs).flatMap((point) => {
        const mean = meanOf(of, point.runs);
        return mean.mean === null ? [] : [{ x: point.values[0], first: point.runs[0], ...mean }];
      }) }));
    return drawLines(sweep, of, x, parts);
  };
  const made = figure([measure.box, across.box, lines.box, fixed.box], render, "A measure against a setting");
  return made;
}

/**
 * @param {Sweep} sweep
 * @param {Measure} of
 * @param {Setting} x
 * @param {{ name: string, points: LinePoint[] }[]} parts
 * @returns {Drawn}
 */
function drawLines(sweep, of, x, parts) {
  const points = parts.flatMap((part) => part.points);
  if (points.length === 0) return { shapes: [], text: "No run has a value." };
  const ends = points.flatMap((point) => [point.mean - (point.half || 0), point.mean + (point.half || 0)]);
  const isWords = x.kind !== "number";
  /** @type {NonNullable<Drawn["key"]>} */
  const key = [];
  const across = settingScale(x, FRAME.left, FRAME.width - FRAME.right);
  const up = scale(ends, FRAME.height - FRAME.bottom, FRAME.top, { withZero: Math.min(...ends) >= 0 });
  const largest = (/** @type {number[]} */ values) => Math.max(...values.map(Math.abs));
  const shapes = [axes(FRAME, { scale: across, name: x.name, unit: "", largest: 1 },
    { scale: up, name: of.name, unit: of.unit, largest: largest(ends) })];
  parts.forEach((part, at) => {
    const { stroke, dash } = pen(at);
    const order = isWords ? part.points : [...part.points].sort((a, b) => Number(a.x) - Number(b.x));
    const place = (/** @type {LinePoint} */ point) => [across.at(point.x ?? "") + (at - (parts.length - 1) / 2) * 4, up.at(point.mean)];
    shapes.push(shape("polyline", { points: order.map((point) => place(point).join(",")).join(" "), fill: "none", stroke, "stroke-width": 2, "stroke-dasharray": dash.join(" ") }));
    order.forEach((point) => {
      const [left, top] = place(point);
      const half = point.half === null ? "" : " ± " + spelled(point.half, of.unit);
      const words = part.name + ", " + x.name + " " + spelledSetting(x, point.x) + ": " + (point.censored ? "at least " : "") +
        spelled(point.mean, of.unit) + half + " over " + counted(point.count, "run");
      if (point.half !== null) shapes.push(shape("line", { x1: left, x2: left, y1: up.at(point.mean - point.half), y2: up.at(point.mean + point.half), stroke, "stroke-width": 1.5 }));
      shapes.push(sweep.link(point.first, words, shape("circle", { cx: left, cy: top, r: 5, fill: point.censored ? "var(--paper)" : stroke, stroke, "stroke-width": 2 })));
    });
    if (parts.length > 1) key.push({ name: part.name, look: { stroke, "stroke-width": 2, "stroke-dasharray": dash.join(" ") } });
  });
  const censored = points.reduce((sum, point) => sum + point.censored, 0);
  const missing = points.reduce((sum, point) => sum + point.missing, 0);
  const rows = parts.flatMap((part) => part.points.map((point) => [part.name, point.x, point.mean, point.half, point.count, point.censored]));
  const heading = ["line", x.name, "mean of " + of.name + (of.unit ? " (" + of.unit + ")" : ""), "half of the 95 % interval", "runs", "lower bounds"];
  return { shapes, key, rows: [heading, ...rows], text: "Means with 95 % intervals (Student's t) over the runs of a point. " + (censored ? counted(censored, "value") +
    " are lower bounds: hollow points are at least that. " : "") + (missing ? "Left out: " + counted(missing, "run") + " without a value. " : "") +
    "A point leads to the folder of its first run." + wholeNames([x]) };
}
