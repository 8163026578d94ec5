// The page of a sweep: a measure against settings, as lines with intervals, a heat map, a front, and parallel coordinates.
import { element, place } from "./dom.js";
import { spelled } from "./format.js";
import { sortableTable } from "./table.js";
import { Sweep, spelledSetting } from "./runs.js";
import { lineFigure } from "./lines.js";
import { heatFigure } from "./heat.js";
import { frontFigure } from "./front.js";
import { parallelFigure } from "./parallel.js";
import { heldOut, sensitivity, settingsToSet } from "./tuning.js";

/** @import { Shown } from "./runs.js" */
/** @import { SweepAnswer, SweepPage } from "./types.js" */

/**
 * Returns the table of all runs.
 *
 * @param {Sweep} sweep
 */
function runTable(sweep) {
  const { data } = sweep;
  const isTuning = data.kind === "tuning";
  const text = (/** @type {string} */ words, /** @type {string[]} */ values) => ({ words, kind: "string", values });
  const columns = [text(isTuning ? "setting" : "run", data.names), ...data.settings.map((setting) => ({ words: setting.name, kind: setting.kind === "number" ? "number" : "string", unit: setting.unit, values: setting.values, spell: (/** @type {string | number} */ value) => spelledSetting(setting, value) })),
    { words: isTuning ? "seeds" : "seed", kind: "integer", values: data.seeds }, text(isTuning ? "state" : "ended", data.ended),
    ...data.measures.map((measure) => ({ words: measure.name, kind: "number", unit: measure.unit, values: measure.values, bounds: measure.censored }))];
  return sortableTable({ caption: isTuning ? "All settings" : "All runs", about: isTuning ? "A row a setting." : "A row a run; its name leads to its folder.", columns, rows: data.names.length, link: (run) => sweep.address(run) });
}

/**
 * Returns the means of all settings under each condition, with the answer there.
 *
 * @param {SweepAnswer} answer
 */
function meansTable({ conditions, choices, cases }) {
  const rows = cases.flatMap(({ condition, best, settings }) => settings.map((setting, at) => ({ condition, setting, state: at === best ? "best" : setting.is_worse ? "worse" : setting.is_worse === false && best !== null ? "not decided" : "" })));
  const text = (/** @type {string} */ words, /** @type {string[]} */ values) => ({ words, kind: "string", values });
  const measures = rows[0].setting.means.map(({ measure, unit }, at) => {
    const means = rows.map(({ setting }) => setting.means[at]);
    const shown = unit === "1" ? "" : unit;
    const half = text("± of " + measure, means.map(({ mean, ci95 }) => mean === null || ci95 === null ? "–" : spelled(ci95, shown)));
    return [{ words: measure, kind: "number", unit: shown, values: means.map(({ mean }) => mean), bounds: means.map((mean) => mean.is_bound) }, half];
  });
  const columns = [...conditions.map((name, at) => text(name, rows.map(({ condition }) => condition[at]))), ...choices.map((name, at) => text(name, rows.map(({ setting }) => setting.values[at]))),
    text("result", rows.map(({ state }) => state)), { words: "runs", kind: "integer", values: rows.map(({ setting }) => setting.runs) }, ...measures.flat()];
  const answers = conditions.length > 0 ? cases.map(({ condition, answer }) => element("li", {}, condition.map((value, at) => conditions[at] + " = " + value).join(", ") + ": " + answer)) : [];
  return element("div", {}, answers.length > 0 ? element("ul", {}, answers) : "", sortableTable({ caption: "Means of all settings", about: "Means over the runs with 95 % intervals.", columns, rows: rows.length }));
}

/**
 * Fills the page of a sweep.
 *
 * @param {SweepPage} data
 */
export function showSweep(data) {
  const sweep = new Sweep(data);
  const show = (/** @type {string} */ id, /** @type {Shown} */ made) => {
    place(id).append(made.box);
    made.show();
  };
  if (data.found) {
    place("set").append(settingsToSet(data.found));
    place("held-out").append(heldOut(data.found));
    if (data.found.sensitivity.length > 0) place("sensitivity").append(sensitivity(data.found));
  }
  if (data.answer && document.getElementById("figure-means")) place("means").append(meansTable(data.answer));
  if (data.measures.length > 0 && sweep.varied.length > 0) {
    if (data.kind === "sweep") {
      show("lines", lineFigure(sweep));
      if (sweep.varied.length > 1) show("heat", heatFigure(sweep));
    }
    if (document.getElementById("figure-front")) show("front", frontFigure(sweep));
    show("parallel", parallelFigure(sweep));
  }
  place("runs").append(runTable(sweep));
}
