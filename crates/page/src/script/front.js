// Two measures of a sweep's settings, and the settings that no other beats in both.
import { counted, spelled } from "./format.js";
import { pen } from "./palette.js";
import { front, grouped, meanOf } from "./statistics.js";
import { axes, scale, shape } from "./plane.js";
import { FRAME, byInterest, chooser, figure, fixedSettings, places } from "./runs.js";

/** @import { Sweep } from "./runs.js" */
/** @import { Mean, Measure } from "./types.js" */

/**
 * Front: means of two measures for each setting, and the settings that no other dominates. A condition, such as a load, is not to be
 * chosen: there is a front for each of its values.
 *
 * @param {Sweep} sweep
 */
export function frontFigure(sweep) {
  const { measures } = sweep.data;
  const options = places(measures);
  /** @type {[string, string][]} */
  const sides = [["1", "less is better"], ["-1", "more is better"]];
  const change = () => made.show();
  const best = byInterest(sweep.data);
  const chosen = [0, 1].map((axis) => [chooser(axis ? "against" : "Measure", options, change, best[axis]),
    chooser("", sides, change, measures[best[axis]].better === "larger" ? "-1" : "1")]);
  const fixed = fixedSettings(sweep, change);
  const choices = sweep.varied.filter((setting) => !sweep.isCondition(setting));
  const render = () => {
    const runs = fixed.leave(choices);
    const [x, y] = chosen.map(([measure]) => measures[measure.at()]);
    const signs = chosen.map(([, side]) => side.at());
    const groups = sweep.data.kind === "tuning" ? runs.map((run) => ({ runs: [run] })) : grouped(choices, runs);
    const points = groups.flatMap((group) => {
      const [first, other] = [meanOf(x, group.runs), meanOf(y, group.runs)];
      return first.mean === null || other.mean === null ? [] : [{ first: group.runs[0], of: [first, other] }];
    });
    return drawFront(sweep, { x, y, signs, points });
  };
  const made = figure([...chosen.flat().map((one) => one.box), fixed.box], render, "Two measures of each setting");
  return made;
}

/**
 * @param {Sweep} sweep
 * @param {{ x: Measure, y: Measure, signs: number[], points: { first: number, of: Mean[] }[] }} contents
 */
function drawFront(sweep, { x, y, signs, points }) {
  if (points.length === 0) return { shapes: [], text: "No setting has both measures." };
  const means = points.map((point) => point.of.map((one) => one.mean));
  const certain = points.map((_, place) => place).filter((place) => points[place].of.every((one) => one.censored === 0 && one.missing === 0) && sweep.isFeasible(points[place].first));
  const best = new Set(front(certain.map((place) => means[place]), signs).map((place) => certain[place]));
  const across = scale(means.map((mean) => mean[0]), FRAME.left, FRAME.width - FRAME.right, { withZero: means.every((mean) => (mean[0] ?? 0) >= 0) });
  const up = scale(means.map((mean) => mean[1]), FRAME.height - FRAME.bottom, FRAME.top, { withZero: means.every((mean) => (mean[1] ?? 0) >= 0) });
  const largest = (/** @type {number} */ axis) => Math.max(...means.map((mean) => Math.abs(mean[axis])));
  const { stroke } = pen(1);
  const line = [...best].map((place) => means[place]).sort((a, b) => a[0] - b[0]).map((mean) => across.at(mean[0]) + "," + up.at(mean[1]));
  const marks = points.map((point, place) => {
    const words = sweep.settingWords(point.first) + ": " + x.name + " " + spelled(means[place][0], x.unit) + ", " + y.name + " " + spelled(means[place][1], y.unit);
    const isBest = best.has(place);
    return sweep.link(point.first, (isBest ? "On the front: " : "") + words, shape(isBest ? "rect" : "circle", isBest
      ? { x: across.at(means[place][0]) - 5, y: up.at(means[place][1]) - 5, width: 10, height: 10, fill: stroke }
      : { cx: across.at(means[place][0]), cy: up.at(means[place][1]), r: 4, fill: point.of.some((one) => one.censored || one.missing) || !sweep.isFeasible(point.first) ? "var(--paper)" : "var(--soft)", stroke: "var(--soft)" }));
  });
  const shapes = [axes(FRAME, { scale: across, name: x.name, unit: x.unit, largest: largest(0) }, { scale: up, name: y.name, unit: y.unit, largest: largest(1) }),
    shape("polyline", { points: line.join(" "), fill: "none", stroke, "stroke-width": 1.5 }), ...marks];
  const names = [...best].map((place) => sweep.settingWords(points[place].first));
  const bounds = points.length - certain.length;
  const rows = points.map((point, place) => [sweep.settingWords(point.first), ...means[place], best.has(place)]);
  return { shapes, rows: [["setting", x.name, y.name, "on the front"], ...rows], text: "Squares are the " + counted(best.size, "setting") + " that no other beats in both: " + names.slice(0, 8).join("; ") +
    (names.length > 8 ? " and more" : "") + "." + (bounds ? " Hollow: " + counted(bounds, "setting") + " with lower bounds, with runs that lack a value, or that break a constraint: not on the front." : "") };
}
