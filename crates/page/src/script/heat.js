// The mean of a measure of a sweep for each pair of values of two settings, as a table with bars that begin at zero.
import { element } from "./dom.js";
import { counted, spelled } from "./format.js";
import { grouped, meanOf, valuesOf } from "./statistics.js";
import { savers } from "./saving.js";
import { byInterest, chooser, fixedSettings, places, spelledSetting } from "./runs.js";

/** @import { Sweep } from "./runs.js" */
/** @import { Measure, Setting } from "./types.js" */

/**
 * Heat map: the mean of a measure for each pair of values of two settings.
 *
 * @param {Sweep} sweep
 */
export function heatFigure(sweep) {
  const { measures } = sweep.data;
  const names = places(sweep.varied);
  const table = element("div", { class: "scroll" });
  const change = () => show();
  const measure = chooser("Measure", places(measures), change, byInterest(sweep.data)[0]);
  // Columns are conditions: the settings to choose from stand one below the other.
  const [first, second] = sweep.axes();
  const [down, across] = [chooser("rows", names, change, second), chooser("columns", names, change, first)];
  const fixed = fixedSettings(sweep, change);
  const show = () => {
    const [of, rows, columns] = [measures[measure.at()], sweep.varied[down.at()], sweep.varied[across.at()]];
    const runs = fixed.leave([rows, columns]);
    const cells = new Map(grouped([rows, columns], runs).map((cell) => [JSON.stringify(cell.values), { ...meanOf(of, cell.runs), first: cell.runs[0] }]));
    const missing = [...cells.values()].reduce((sum, cell) => sum + cell.missing, 0);
    const note = missing ? "†: " + counted(missing, "run") + " without a value left out of the means." : "";
    table.replaceChildren(heatTable(sweep, { of, rows, columns, cells }), element("p", { class: "note" }, note));
  };
  const rows = () => {
    const [of, one, other] = [measures[measure.at()], sweep.varied[down.at()], sweep.varied[across.at()]];
    const cells = grouped([one, other], fixed.leave([one, other])).map((cell) => [...cell.values, meanOf(of, cell.runs).mean]);
    return [[one.name, other.name, "mean of " + of.name + (of.unit ? " (" + of.unit + ")" : "")], ...cells];
  };
  return { box: element("div", {}, element("div", { class: "controls" }, measure.box, down.box, across.box, fixed.box, savers("Heat map", { rows })), table), show };
}

/**
 * @param {Sweep} sweep
 * @param {{ of: Measure, rows: Setting, columns: Setting, cells: Map<string, ReturnType<typeof meanOf> & { first: number }> }} contents
 */
function heatTable(sweep, { of, rows, columns, cells }) {
  const means = [...cells.values()].map((cell) => cell.mean).filter((mean) => mean !== null);
  const largest = Math.max(...means.map(Math.abs));
  // Settings are compared under equal conditions: a number under one load is no better than that under another.
  const [byRow, byColumn] = [rows, columns].map((setting) => sweep.isCondition(setting));
  const condition = (/** @type {string | number | null} */ row, /** @type {string | number | null} */ column) => JSON.stringify([byRow ? row : null, byColumn ? column : null]);
  /** @type {Map<string, number>} */
  const bests = new Map();
  cells.forEach(({ mean }, key) => {
    if (mean === null) return;
    const [row, column] = JSON.parse(key);
    const known = bests.get(condition(row, column)) ?? mean;
    bests.set(condition(row, column), of.better === "larger" ? Math.max(known, mean) : Math.min(known, mean));
  });
  const cell = (/** @type {string | number | null} */ row, /** @type {string | number | null} */ column) => {
    const found = cells.get(JSON.stringify([row, column]));
    if (!found || found.mean === null) return element("td", { class: "heatcell" }, "–");
    const bar = element("span", { class: "cellbar", "aria-hidden": "true" });
    bar.style.width = (largest > 0 ? Math.abs(found.mean) / largest * 100 : 0) + "%";
    return element("td", { class: found.mean === bests.get(condition(row, column)) && !(byRow && byColumn) ? "heatcell best" : "heatcell" }, element("a", { href: sweep.address(found.first) }, (found.censored ? "≥ " : "") + spelled(found.mean, of.unit) + (found.missing ? " †" : "")), bar);
  };
  const named = (/** @type {Setting} */ setting) => (/** @type {string | number | null} */ value) => element("th", { scope: "col", class: "number" }, spelledSetting(setting, value));
  return element("table", { class: "heatmap" }, element("caption", {}, of.name),
    element("thead", {}, element("tr", {}, element("th", {}, rows.name + " ↓, " + columns.name + " →"), valuesOf(columns).map(named(columns)))),
    element("tbody", {}, valuesOf(rows).map((row) => element("tr", {}, element("th", { scope: "row" }, spelledSetting(rows, row)),
      valuesOf(columns).map((column) => cell(row, column))))));
}
