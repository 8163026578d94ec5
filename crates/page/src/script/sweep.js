// The page of a sweep: a measure against settings, as lines with intervals, a heat map, a front, and parallel coordinates.
import { place } from "./dom.js";
import { sortableTable } from "./table.js";
import { Sweep, spelledSetting } from "./runs.js";
import { lineFigure } from "./lines.js";
import { heatFigure } from "./heat.js";
import { frontFigure } from "./front.js";
import { parallelFigure } from "./parallel.js";
import { heldOut, sensitivity, settingsToSet } from "./tuning.js";

/** @import { Shown } from "./runs.js" */
/** @import { SweepPage } from "./types.js" */

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
