// The runs of a sweep, and what its figures have in common: choices, scales of settings, and the frame of a drawing.
import { element } from "./dom.js";
import { exact, spelled } from "./format.js";
import { onColours } from "./palette.js";
import { valuesOf } from "./statistics.js";
import { scale, shape } from "./plane.js";

/** @import { Measure, Scale, Setting, SweepPage } from "./types.js" */

/**
 * Figure with its drawing, made again by `show`.
 *
 * @typedef {{ box: HTMLElement, show: () => void }} Shown
 */

export const FRAME = { width: 900, height: 380, left: 74, right: 16, top: 30, bottom: 46 };
const MOST_MARKS = 9;

/**
 * Returns the scale of a setting, with a mark at each value where there are few.
 *
 * @param {Setting} setting
 * @param {number} from
 * @param {number} to
 * @returns {Scale}
 */
export function settingScale(setting, from, to) {
  const values = valuesOf(setting);
  const made = scale(values, from, to, { isWords: setting.kind !== "number" });
  if (setting.kind !== "number" || values.length > MOST_MARKS) return { ...made, marks: made.marks.map(([value]) => [value, spelledSetting(setting, value)]) };
  return { ...made, marks: values.map((value) => [value, exact(Number(value), setting.unit)]) };
}

/**
 * Returns the name of a value of a setting: exact, unless values are many, as those of a search are.
 *
 * @param {Setting} setting
 * @param {string | number | null} value
 */
export function spelledSetting(setting, value) {
  if (setting.kind !== "number") return String(value);
  setting.isMany ??= new Set(setting.values).size > MOST_MARKS;
  return setting.isMany ? spelled(Number(value), setting.unit) : exact(Number(value), setting.unit);
}

/**
 * Returns the places of measures, those first that differ from run to run and have neither gaps nor lower bounds.
 *
 * @param {Measure[]} measures
 */
export function byInterest(measures) {
  const interest = (/** @type {Measure} */ { values, censored }) => {
    const present = values.filter((value) => value !== null);
    const differ = present.length > 0 && Math.max(...present) - Math.min(...present) > 1e-3 * Math.max(...present.map(Math.abs));
    return (differ ? 2 : 0) + (present.length === values.length && !(censored && censored.includes(true)) ? 1 : 0);
  };
  const ranks = measures.map(interest);
  return measures.map((_, at) => at).sort((one, other) => ranks[other] - ranks[one] || one - other);
}

/**
 * Returns named things as options of a choice, by their places.
 *
 * @param {{ name: string }[]} things
 * @returns {[number, string][]}
 */
export function places(things) {
  return things.map(({ name }, at) => [at, name]);
}

/**
 * Returns a labelled choice. `options` are pairs of value and name.
 *
 * @param {string} label
 * @param {[string | number, string][]} options
 * @param {() => void} onChange
 * @param {string | number} selected
 */
export function chooser(label, options, onChange, selected) {
  const select = element("select", { onchange: onChange }, options.map(([value, name]) =>
    element("option", { value, selected: String(value) === String(selected) }, name)));
  return { box: element("label", { class: "choice" }, label + " ", select), value: () => select.value, at: () => Number(select.value) };
}

/**
 * Returns a figure with its controls, drawing and table, and draws it again at every change.
 *
 * @param {HTMLElement[]} controls
 * @param {() => { shapes: SVGElement[], text: string }} render
 * @param {string} label
 * @returns {Shown}
 */
export function figure(controls, render, label) {
  const drawing = element("div", { class: "scroll" });
  const words = element("p", { class: "note" });
  const svg = shape("svg", { viewBox: "0 0 " + FRAME.width + " " + FRAME.height, role: "group", "aria-label": label, class: "plane" });
  drawing.append(svg);
  const show = () => {
    const { shapes, text } = render();
    svg.replaceChildren(...shapes);
    words.textContent = text;
  };
  onColours(drawing, show);
  return { box: element("div", {}, element("div", { class: "controls" }, controls), drawing, words), show };
}

/** The runs of a sweep, and what its figures have in common. */
export class Sweep {
  /** @param {SweepPage} data */
  constructor(data) {
    this.data = data;
    this.varied = data.settings.filter((setting) => new Set(setting.values).size > 1);
    this.all = data.names.map((_, run) => run);
  }

  /**
   * Returns the address of a run's folder; of a setting of a tuning that of its first run, or of all runs if it had none.
   *
   * @param {number} run
   */
  address(run) {
    const folder = this.data.folders[run];
    return folder === "" ? this.data.runs : this.data.runs + encodeURIComponent(folder) + "/";
  }

  /**
   * Returns the settings and the seed of a run in words.
   *
   * @param {number} run
   */
  words(run) {
    const settings = this.varied.filter((setting) => setting.values[run] !== null).map((setting) => setting.name + " = " + spelledSetting(setting, setting.values[run]));
    return this.data.kind === "tuning" ? [this.data.names[run], settings.join(", ")].filter((part) => part !== "").join(": ") : [...settings, "seed " + this.data.seeds[run]].join(", ");
  }

  /**
   * Returns the settings of a run in words.
   *
   * @param {number} run
   */
  settingWords(run) {
    return this.words(run).replace(/, seed [^,]*$/, "");
  }

  /**
   * Returns false for a setting of a tuning that breaks a constraint.
   *
   * @param {number} run
   */
  isFeasible(run) {
    return !this.data.feasible || this.data.feasible[run];
  }

  /**
   * Returns a link around shapes, with a tooltip.
   *
   * @param {number} run
   * @param {string} words
   * @param {SVGElement[]} shapes
   */
  link(run, words, ...shapes) {
    return shape("a", { href: this.address(run), "aria-label": words }, shape("title", {}, words), ...shapes);
  }
}

/**
 * Returns choices that fix the settings that a figure does not show, and the runs that they leave.
 *
 * @param {Sweep} sweep
 * @param {() => void} onChange
 */
export function fixedSettings(sweep, onChange) {
  const box = element("span", { class: "fixed" });
  /** @type {Map<Setting, ReturnType<typeof chooser>>} */
  let choosers = new Map();
  const leave = (/** @type {Setting[]} */ shown) => {
    const rest = sweep.varied.filter((setting) => !shown.includes(setting));
    const before = choosers;
    choosers = new Map(rest.map((setting) => [setting, before.get(setting) || chooser(setting.name,
      valuesOf(setting).map((value, at) => /** @type {[number, string]} */ ([at, spelledSetting(setting, value)])), onChange, 0)]));
    box.replaceChildren(...[...choosers.values()].map((one) => one.box));
    return sweep.all.filter((run) => rest.every((setting) => setting.values[run] === valuesOf(setting)[Number(choosers.get(setting)?.at())]));
  };
  return { box, leave };
}
