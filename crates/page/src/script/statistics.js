// Means over runs, with intervals, and the runs that no other dominates.

/** @import { Measure, Setting } from "./types.js" */

// Student's t at 97.5 % by degrees of freedom, from 1 on; 1.96 beyond.
const STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042];

/**
 * Returns the mean of a measure over some runs, with half the width of its 95 % interval, `null` of one run. A run without a value
 * is counted in `missing`, one whose value is a lower bound in `censored`: the mean is then a lower bound itself.
 *
 * @param {Measure} measure
 * @param {number[]} runs
 */
export function meanOf(measure, runs) {
  const present = runs.filter((run) => measure.values[run] !== null);
  const values = present.map((run) => /** @type {number} */ (measure.values[run]));
  const censored = present.filter((run) => measure.censored && measure.censored[run]).length;
  const count = values.length;
  if (count === 0) return { count, mean: null, half: null, censored, missing: runs.length };
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const t = STUDENT[count - 2] ?? 1.96;
  const half = count < 2 ? null : t * Math.sqrt(squares / (count - 1) / count);
  return { count, mean, half, censored, missing: runs.length - count };
}

/**
 * Returns runs by the values of some settings, in the order of their first appearance: `{ values, runs }`.
 *
 * @param {Setting[]} settings
 * @param {number[]} runs
 */
export function grouped(settings, runs) {
  /** @type {Map<string, { values: (string | number | null)[], runs: number[] }>} */
  const groups = new Map();
  runs.forEach((run) => {
    const values = settings.map((setting) => setting.values[run]);
    const key = JSON.stringify(values);
    const group = groups.get(key) ?? { values, runs: [] };
    group.runs.push(run);
    groups.set(key, group);
  });
  return [...groups.values()];
}

/**
 * Returns the different values of a setting: numbers in order, texts in order of appearance. The baseline of a tuning may have none.
 *
 * @param {Setting} setting
 */
export function valuesOf(setting) {
  const different = [...new Set(setting.values)].filter((value) => value !== null);
  return setting.kind === "number" ? different.sort((a, b) => Number(a) - Number(b)) : different;
}

/**
 * Returns the places of points `[x, y]` that no other dominates; `signs` are 1 where less is better, else -1.
 *
 * @param {number[][]} points
 * @param {number[]} signs
 */
export function front(points, signs) {
  const isBetter = (/** @type {number[]} */ one, /** @type {number[]} */ other) => {
    const differences = [0, 1].map((axis) => signs[axis] * (one[axis] - other[axis]));
    return differences.every((difference) => difference <= 0) && differences.some((difference) => difference < 0);
  };
  return points.map((_, place) => place).filter((place) => !points.some((other) => isBetter(other, points[place])));
}
