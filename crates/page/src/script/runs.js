// The runs of a sweep, and what its figures have in common: choices, scales of settings, and the frame of a drawing.
import { element } from "./dom.js";
import { exact, spelled } from "./format.js";
import { onColours } from "./palette.js";
import { valuesOf } from "./statistics.js";
import { letters, scale, shape } from "./plane.js";
import { savers } from "./saving.js";

/** @import { Cell, Measure, Scale, Setting, SweepPage } from "./types.js" */

/**
 * Figure with its drawing, made again by `show`.
 *
 * @typedef {{ box: HTMLElement, show: () => void }} Shown
 *
 * A drawing with the words below it, entries of its key, its numbers as rows of a table, and its frame if it is not `FRAME`.
 *
 * @typedef {{ shapes: SVGElement[], text: string, frame?: typeof WIDE, key?: { name: string, look: Record<string, string | number> }[], rows?: Cell[][] }} Drawn
 */

/** Screens of a phone, as in the style. A drawing is as narrow as they are, since one that is cut hides values. */
const NARROW = matchMedia("(max-width: 640px)");
/** Frame of a drawing with more columns than a phone has room for, which is scrolled there. */
export const WIDE = { width: 900, height: 380, left: 74, right: 16, top: 30, bottom: 46 };
export const FRAME = { ...WIDE, get width() { return NARROW.matches ? 380 : WIDE.width; } };
const MOST_MARKS = 9;
/** Widest name of a value at an axis, in characters. Longer ones have a letter there, and stand below whole. */
const WIDEST_MARK = 16;

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
  if (setting.kind !== "number") return { ...made, marks: made.marks.map(([value]) => [value, markOf(setting, value)]) };
  if (values.length > MOST_MARKS) return { ...made, marks: made.marks.map(([value]) => [value, spelledSetting(setting, value)]) };
  return { ...made, marks: values.map((value) => [value, exact(Number(value), setting.unit)]) };
}

/**
 * Returns the name of a value at an axis: a letter if one of the setting's names is too long.
 *
 * @param {Setting} setting
 * @param {string | number} value
 */
function markOf(setting, value) {
  const values = valuesOf(setting);
  const isLong = values.some((one) => String(one).length > WIDEST_MARK);
  return isLong ? String.fromCharCode(65 + values.indexOf(value) % 26) : String(value);
}

/**
 * Returns the values of settings that have only a letter at an axis, in words.
 *
 * @param {Setting[]} settings
 */
export function wholeNames(settings) {
  const long = settings.filter((setting) => setting.kind !== "number" && valuesOf(setting).some((one) => String(one).length > WIDEST_MARK));
  return long.map((setting) => " " + setting.name + ": " + valuesOf(setting).map((value) => markOf(setting, value ?? "") + " is " + value).join("; ") + ".").join("");
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
 * Returns the places of measures: first that which was asked for, then those that differ from run to run and have neither gaps nor lower
 * bounds.
 *
 * @param {SweepPage} data
 */
export function byInterest({ measures, asked }) {
  const interest = (/** @type {Measure} */ { name, values, censored }) => {
    if (asked.includes(name)) return 4;
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
 * Returns an entry of a key: a line with its look, and its name, which breaks where it is long.
 *
 * @param {{ name: string, look: Record<string, string | number> }} entry
 */
function keyEntry({ name, look }) {
  const line = shape("svg", { width: 30, height: 12, "aria-hidden": "true" }, shape("line", { x1: 1, x2: 29, y1: 6, y2: 6, ...look }));
  return element("span", { class: "entry" }, line, element("span", {}, name));
}

/**
 * Returns a figure with its controls, drawing and key, and draws it again at every change.
 *
 * @param {HTMLElement[]} controls
 * @param {() => Drawn} render
 * @param {string} label
 * @returns {Shown}
 */
export function figure(controls, render, label) {
  const key = element("div", { class: "keys" });
  /** @type {Drawn} */
  let drawn = { shapes: [], text: "" };
  // A saved drawing has no HTML below it, so its key moves into it.
  const whole = () => {
    const entries = drawn.key ?? [];
    const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
    copy.setAttribute("viewBox", "0 0 " + (drawn.frame ?? FRAME).width + " " + (FRAME.height + 18 * entries.length));
    entries.forEach(({ name, look }, at) => {
      const y = FRAME.height + 10 + 18 * at;
      copy.append(shape("line", { x1: FRAME.left, x2: FRAME.left + 28, y1: y, y2: y, ...look }), letters(FRAME.left + 36, y + 4, name));
    });
    copy.classList.add("unseen");
    drawing.append(copy);
    setTimeout(() => copy.remove());
    return copy;
  };
  const save = savers(label, { svg: whole, rows: () => drawn.rows ?? [] });
  const drawing = element("div", { class: "scroll" });
  const words = element("p", { class: "note" });
  const svg = shape("svg", { role: "group", "aria-label": label, class: "plane" });
  drawing.append(svg);
  const show = () => {
    drawn = render();
    const { width, height } = drawn.frame ?? FRAME;
    svg.setAttribute("viewBox", "0 0 " + width + " " + height);
    svg.classList.toggle("fits", width < WIDE.width);
    svg.replaceChildren(...drawn.shapes);
    key.replaceChildren(...(drawn.key ?? []).map(keyEntry));
    words.textContent = drawn.text;
  };
  onColours(drawing, show);
  NARROW.addEventListener("change", show);
  return { box: element("div", {}, element("div", { class: "controls" }, controls, save), drawing, key, words), show };
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
   * Returns true if a setting is a condition, such as a load: it is not to be chosen.
   *
   * @param {Setting} setting
   */
  isCondition({ name }) {
    return this.data.answer?.conditions.includes(name) ?? false;
  }

  /**
   * Returns the places of the settings of two axes among those that are varied: first that of a condition, if there is one, or of a
   * number, then another.
   */
  axes() {
    const rank = (/** @type {Setting} */ setting) => (this.isCondition(setting) ? 2 : 0) + (setting.kind === "number" ? 1 : 0);
    return this.varied.map((_, at) => at).sort((one, other) => rank(this.varied[other]) - rank(this.varied[one]) || one - other);
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
