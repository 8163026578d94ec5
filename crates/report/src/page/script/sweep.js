// The page of a sweep: a measure against settings, as lines with intervals, a heat map, a front, and parallel coordinates.
import { element, place } from "./dom.js";
import { counted, exact, spelled } from "./format.js";
import { sortableTable } from "./table.js";
import { heatColours, onColours, pen } from "./palette.js";
import { front, grouped, meanOf, valuesOf } from "./statistics.js";
import { axes, letters, scale, shape } from "./plane.js";

const FRAME = { width: 900, height: 380, left: 74, right: 16, top: 30, bottom: 46 };
const ANY = "";
const MOST_PARALLEL = 2000;
const MOST_MARKS = 9;
const KEY = 200;

/** Returns the scale of a setting, with a mark at each value where there are few. */
function settingScale(setting, from, to) {
  const values = valuesOf(setting);
  const made = scale(values, from, to, { isWords: setting.kind !== "number" });
  if (setting.kind !== "number" || values.length > MOST_MARKS) return { ...made, marks: made.marks.map(([value]) => [value, spelledSetting(setting, value)]) };
  return { ...made, marks: values.map((value) => [value, exact(value, setting.unit)]) };
}

/** Returns the name of a value of a setting: exact, unless values are many, as those of a search are. */
function spelledSetting(setting, value) {
  if (setting.kind !== "number") return String(value);
  setting.isMany ??= new Set(setting.values).size > MOST_MARKS;
  return setting.isMany ? spelled(value, setting.unit) : exact(value, setting.unit);
}

/** Returns the places of measures, those first that differ from run to run and have neither gaps nor lower bounds. */
function byInterest(measures) {
  const interest = ({ values, censored }) => {
    const present = values.filter((value) => value !== null);
    const differ = present.length > 0 && Math.max(...present) - Math.min(...present) > 1e-3 * Math.max(...present.map(Math.abs));
    return (differ ? 2 : 0) + (present.length === values.length && !(censored && censored.includes(true)) ? 1 : 0);
  };
  const ranks = measures.map(interest);
  return measures.map((_, at) => at).sort((one, other) => ranks[other] - ranks[one] || one - other);
}

/** Returns a labelled choice. `options` are pairs of value and name. */
function chooser(label, options, onChange, selected) {
  const select = element("select", { onchange: onChange }, options.map(([value, name]) =>
    element("option", { value, selected: String(value) === String(selected) }, name)));
  return { box: element("label", { class: "choice" }, label + " ", select), value: () => select.value };
}

/** Returns a figure with its controls, drawing and table, and draws it again at every change. */
function figure(controls, render, label) {
  const drawing = element("div", { class: "scroll" });
  const words = element("p", { class: "note" });
  const svg = shape("svg", { viewBox: "0 0 " + FRAME.width + " " + FRAME.height, role: "group", "aria-label": label, class: "plane" });
  drawing.append(svg);
  const show = () => {
    const { shapes, text } = render();
    svg.replaceChildren(...shapes);
    words.textContent = text;
  };
  onColours(show);
  return { box: element("div", {}, element("div", { class: "controls" }, controls), drawing, words), show };
}

/** The runs of a sweep, and what its figures have in common. */
class Sweep {
  constructor(data) {
    this.data = data;
    this.varied = data.settings.filter((setting) => new Set(setting.values).size > 1);
    this.all = data.names.map((_, run) => run);
  }

  /** Returns the address of a run's folder; of a setting of a tuning that of its first run, or of all runs if it had none. */
  address(run) {
    const folder = this.data.folders[run];
    return folder === "" ? this.data.runs : this.data.runs + encodeURIComponent(folder) + "/";
  }

  /** Returns the settings and the seed of a run in words. */
  words(run) {
    const settings = this.varied.filter((setting) => setting.values[run] !== null).map((setting) => setting.name + " = " + spelledSetting(setting, setting.values[run]));
    return this.data.kind === "tuning" ? [this.data.names[run], settings.join(", ")].filter((part) => part !== "").join(": ") : [...settings, "seed " + this.data.seeds[run]].join(", ");
  }

  /** Returns the settings of a run in words. */
  settingWords(run) {
    return this.words(run).replace(/, seed [^,]*$/, "");
  }

  /** Returns false for a setting of a tuning that breaks a constraint. */
  isFeasible(run) {
    return !this.data.feasible || this.data.feasible[run];
  }

  /** Returns a link around shapes, with a tooltip. */
  link(run, words, ...shapes) {
    return shape("a", { href: this.address(run), "aria-label": words }, shape("title", {}, words), ...shapes);
  }
}

/** Returns choices that fix the settings that a figure does not show, and the runs that they leave. */
function fixedSettings(sweep, onChange) {
  const box = element("span", { class: "fixed" });
  let choosers = new Map();
  const leave = (shown) => {
    const rest = sweep.varied.filter((setting) => !shown.includes(setting));
    const before = choosers;
    choosers = new Map(rest.map((setting) => [setting, before.get(setting) || chooser(setting.name,
      valuesOf(setting).map((value, at) => [at, spelledSetting(setting, value)]), onChange, 0)]));
    box.replaceChildren(...[...choosers.values()].map((one) => one.box));
    return sweep.all.filter((run) => rest.every((setting) => setting.values[run] === valuesOf(setting)[Number(choosers.get(setting).value())]));
  };
  return { box, leave };
}

/** Lines: a measure against a setting, a line for each value of another, with 95 % intervals over the other runs. */
function lineFigure(sweep) {
  const { measures } = sweep.data;
  const names = sweep.varied.map((setting, at) => [at, setting.name]);
  const change = () => made.show();
  const measure = chooser("Measure", measures.map((one, at) => [at, one.name]), change, byInterest(measures)[0]);
  const across = chooser("against", names, change, 0);
  const lines = chooser("a line for each", [[ANY, "(one line)"], ...names], change, sweep.varied.length > 1 ? 1 : ANY);
  const fixed = fixedSettings(sweep, change);
  const render = () => {
    const [of, x] = [measures[measure.value()], sweep.varied[across.value()]];
    const by = lines.value() === ANY || lines.value() === across.value() ? null : sweep.varied[lines.value()];
    const runs = fixed.leave([x, by].filter(Boolean));
    const parts = grouped(by ? [by] : [], runs).map((part) => ({ name: by ? by.name + " = " + spelledSetting(by, part.values[0]) : of.name,
      points: grouped([x], part.runs).map((point) => ({ x: point.values[0], first: point.runs[0], ...meanOf(of, point.runs) })).filter((point) => point.mean !== null) }));
    return drawLines(sweep, of, x, parts);
  };
  const made = figure([measure.box, across.box, lines.box, fixed.box], render, "A measure against a setting");
  return made;
}

function drawLines(sweep, of, x, parts) {
  const points = parts.flatMap((part) => part.points);
  if (points.length === 0) return { shapes: [], text: "No run has a value." };
  const ends = points.flatMap((point) => [point.mean - (point.half || 0), point.mean + (point.half || 0)]);
  const isWords = x.kind !== "number";
  const frame = parts.length > 1 ? { ...FRAME, right: KEY } : FRAME;
  const across = settingScale(x, frame.left, frame.width - frame.right);
  const up = scale(ends, FRAME.height - FRAME.bottom, FRAME.top, { withZero: Math.min(...ends) >= 0 });
  const largest = (values) => Math.max(...values.map(Math.abs));
  const shapes = [axes(frame, { scale: across, name: x.name, unit: "", largest: 1 },
    { scale: up, name: of.name, unit: of.unit, largest: largest(ends) })];
  parts.forEach((part, at) => {
    const { stroke, dash } = pen(at);
    const order = isWords ? part.points : [...part.points].sort((a, b) => a.x - b.x);
    const place = (point) => [across.at(point.x) + (at - (parts.length - 1) / 2) * 4, up.at(point.mean)];
    shapes.push(shape("polyline", { points: order.map((point) => place(point).join(",")).join(" "), fill: "none", stroke, "stroke-width": 2, "stroke-dasharray": dash.join(" ") }));
    order.forEach((point) => {
      const [left, top] = place(point);
      const half = point.half === null ? "" : " ± " + spelled(point.half, of.unit);
      const words = part.name + ", " + x.name + " " + spelledSetting(x, point.x) + ": " + (point.censored ? "at least " : "") +
        spelled(point.mean, of.unit) + half + " over " + counted(point.count, "run");
      if (point.half !== null) shapes.push(shape("line", { x1: left, x2: left, y1: up.at(point.mean - point.half), y2: up.at(point.mean + point.half), stroke, "stroke-width": 1.5 }));
      shapes.push(sweep.link(point.first, words, shape("circle", { cx: left, cy: top, r: 5, fill: point.censored ? "var(--paper)" : stroke, stroke, "stroke-width": 2 })));
    });
    if (parts.length > 1) shapes.push(...key(frame, at, part.name, { stroke, "stroke-width": 2, "stroke-dasharray": dash.join(" ") }));
  });
  const censored = points.reduce((sum, point) => sum + point.censored, 0);
  const missing = points.reduce((sum, point) => sum + point.missing, 0);
  return { shapes, text: "Means with 95 % intervals (Student's t) over the runs of a point. " + (censored ? counted(censored, "value") +
    " are lower bounds: hollow points are at least that. " : "") + (missing ? "Left out: " + counted(missing, "run") + " without a value. " : "") +
    "A point leads to the folder of its first run." };
}

/** Returns an entry of the key beside a drawing. */
function key(frame, at, name, line) {
  const [left, top] = [frame.width - frame.right + 12, frame.top + 10 + 18 * at];
  return [shape("line", { x1: left, x2: left + 26, y1: top, y2: top, ...line }), letters(left + 32, top + 4, name, { class: "key" })];
}

/** Heat map: the mean of a measure for each pair of values of two settings. */
function heatFigure(sweep) {
  const { measures } = sweep.data;
  const names = sweep.varied.map((setting, at) => [at, setting.name]);
  const table = element("div", { class: "scroll" });
  const change = () => show();
  const measure = chooser("Measure", measures.map((one, at) => [at, one.name]), change, byInterest(measures)[0]);
  const [down, across] = [chooser("rows", names, change, 0), chooser("columns", names, change, 1)];
  const fixed = fixedSettings(sweep, change);
  const show = () => {
    const [of, rows, columns] = [measures[measure.value()], sweep.varied[down.value()], sweep.varied[across.value()]];
    const runs = fixed.leave([rows, columns]);
    const cells = new Map(grouped([rows, columns], runs).map((cell) => [JSON.stringify(cell.values), { ...meanOf(of, cell.runs), first: cell.runs[0] }]));
    const missing = [...cells.values()].reduce((sum, cell) => sum + cell.missing, 0);
    const note = missing ? "†: " + counted(missing, "run") + " without a value left out of the means." : "";
    table.replaceChildren(heatTable(sweep, { of, rows, columns, cells }), element("p", { class: "note" }, note));
  };
  onColours(show);
  return { box: element("div", {}, element("div", { class: "controls" }, measure.box, down.box, across.box, fixed.box), table), show };
}

function heatTable(sweep, { of, rows, columns, cells }) {
  const means = [...cells.values()].map((cell) => cell.mean).filter((mean) => mean !== null);
  const [low, high] = [Math.min(...means), Math.max(...means)];
  const colours = heatColours();
  const classOf = (mean) => high === low ? 0 : Math.min(5, Math.floor((mean - low) / (high - low) * 6));
  const cell = (row, column) => {
    const found = cells.get(JSON.stringify([row, column]));
    if (!found || found.mean === null) return element("td", { class: "heatcell" }, "–");
    const made = element("td", { class: "heatcell" }, element("a", { href: sweep.address(found.first) }, (found.censored ? "≥ " : "") + spelled(found.mean, of.unit) + (found.missing ? " †" : "")));
    made.style.borderBottomColor = colours[classOf(found.mean)];
    return made;
  };
  const named = (setting) => (value) => element("th", { scope: "col", class: "number" }, spelledSetting(setting, value));
  return element("table", { class: "heatmap" }, element("caption", {}, of.name),
    element("thead", {}, element("tr", {}, element("th", {}, rows.name + " ↓, " + columns.name + " →"), valuesOf(columns).map(named(columns)))),
    element("tbody", {}, valuesOf(rows).map((row) => element("tr", {}, element("th", { scope: "row" }, spelledSetting(rows, row)),
      valuesOf(columns).map((column) => cell(row, column))))));
}

/** Front: means of two measures for each setting, and the settings that no other dominates. */
function frontFigure(sweep) {
  const { measures } = sweep.data;
  const options = measures.map((one, at) => [at, one.name]);
  const sides = [["1", "less is better"], ["-1", "more is better"]];
  const change = () => made.show();
  const isGain = (measure) => /goodput|fairness/.test(measure.name);
  const best = byInterest(measures);
  const chosen = [0, 1].map((axis) => [chooser(axis ? "against" : "Measure", options, change, best[axis]),
    chooser("", sides, change, isGain(measures[best[axis]]) ? "-1" : "1")]);
  const render = () => {
    const [x, y] = chosen.map(([measure]) => measures[measure.value()]);
    const signs = chosen.map(([, side]) => Number(side.value()));
    const groups = sweep.data.kind === "tuning" ? sweep.all.map((run) => ({ runs: [run] })) : grouped(sweep.varied, sweep.all);
    const points = groups.map((group) => ({ first: group.runs[0], of: [x, y].map((one) => meanOf(one, group.runs)) }))
      .filter((point) => point.of.every((one) => one.mean !== null));
    return drawFront(sweep, { x, y, signs, points });
  };
  const made = figure(chosen.flat().map((one) => one.box), render, "Two measures of each setting");
  return made;
}

function drawFront(sweep, { x, y, signs, points }) {
  if (points.length === 0) return { shapes: [], text: "No setting has both measures." };
  const means = points.map((point) => point.of.map((one) => one.mean));
  const certain = points.map((_, place) => place).filter((place) => points[place].of.every((one) => one.censored === 0 && one.missing === 0) && sweep.isFeasible(points[place].first));
  const best = new Set(front(certain.map((place) => means[place]), signs).map((place) => certain[place]));
  const across = scale(means.map((mean) => mean[0]), FRAME.left, FRAME.width - FRAME.right, {});
  const up = scale(means.map((mean) => mean[1]), FRAME.height - FRAME.bottom, FRAME.top, {});
  const largest = (axis) => Math.max(...means.map((mean) => Math.abs(mean[axis])));
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
  return { shapes, text: "Squares are the " + counted(best.size, "setting") + " that no other beats in both: " + names.slice(0, 8).join("; ") +
    (names.length > 8 ? " and more" : "") + "." + (bounds ? " Hollow: " + counted(bounds, "setting") + " with lower bounds, with runs that lack a value, or that break a constraint: not on the front." : "") };
}

/** Parallel coordinates: a line a run, through its settings and measures. */
function parallelFigure(sweep) {
  const { measures } = sweep.data;
  const change = () => made.show();
  const measure = chooser("Measure", measures.map((one, at) => [at, one.name]), change, byInterest(measures)[0]);
  const render = () => {
    const of = measures[measure.value()];
    const columns = [...sweep.varied, { ...of, kind: "number" }];
    const runs = sweep.all.filter((run) => of.values[run] !== null).slice(0, MOST_PARALLEL);
    const gap = (FRAME.width - FRAME.left - FRAME.right - 40) / Math.max(columns.length - 1, 1);
    const [bottom, top] = [FRAME.height - FRAME.bottom, FRAME.top + 12];
    const scales = columns.map((column) => column === columns[columns.length - 1]
      ? scale(runs.map((run) => of.values[run]), bottom, top, {}) : settingScale(column, bottom, top));
    const x = (at) => FRAME.left + at * gap;
    const [low, high] = [Math.min(...runs.map((run) => of.values[run])), Math.max(...runs.map((run) => of.values[run]))];
    const colours = heatColours();
    const hue = (run) => colours[high === low ? 5 : 1 + Math.min(4, Math.floor((of.values[run] - low) / (high - low) * 5))];
    const lines = runs.map((run) => sweep.link(run, sweep.words(run) + ": " + spelled(of.values[run], of.unit), shape("polyline", {
      points: columns.map((column, at) => column.values[run] === null ? "" : x(at) + "," + scales[at].at(column.values[run])).join(" "), fill: "none", stroke: hue(run), "stroke-width": 1.6, class: "run" })));
    const marks = columns.flatMap((column, at) => [shape("line", { x1: x(at), x2: x(at), y1: FRAME.top, y2: FRAME.height - FRAME.bottom, class: "axis" }),
      letters(x(at), FRAME.top - 10, column.name, { "text-anchor": at === 0 ? "start" : at === columns.length - 1 ? "end" : "middle", class: "name" }),
      ...scales[at].marks.map(([value, label]) => letters(x(at) - 5, scales[at].at(value) + 4, typeof label === "number" ? spelled(label, column.unit) : label, { "text-anchor": "end" }))]);
    return { shapes: [...lines, ...marks], text: counted(runs.length, sweep.data.kind === "tuning" ? "setting" : "run") + " of " + sweep.all.length + ", a line each, coloured by " + of.name + ", the highest strongest. A line leads to the folder of its runs." };
  };
  const made = figure([measure.box], render, "Settings and a measure of each run");
  return made;
}

/** Returns the table of all runs. */
function runTable(sweep) {
  const { data } = sweep;
  const isTuning = data.kind === "tuning";
  const text = (words, values) => ({ words, kind: "string", values });
  const columns = [text(isTuning ? "setting" : "run", data.names), ...data.settings.map((setting) => ({ words: setting.name, kind: setting.kind === "number" ? "number" : "string", unit: setting.unit, values: setting.values })),
    { words: isTuning ? "seeds" : "seed", kind: "integer", values: data.seeds }, text(isTuning ? "state" : "ended", data.ended),
    ...data.measures.map((measure) => ({ words: measure.name, kind: "number", unit: measure.unit, values: measure.values }))];
  return sortableTable({ caption: isTuning ? "All settings" : "All runs", about: isTuning ? "A row a setting." : "A row a run; its name leads to its folder.", columns, rows: data.names.length, link: (run) => sweep.address(run) });
}

/** Fills the page of a sweep. */
export function showSweep(data) {
  const sweep = new Sweep(data);
  const show = (id, made) => {
    place(id).append(made.box);
    made.show();
  };
  if (data.measures.length > 0 && sweep.varied.length > 0) {
    if (data.kind === "sweep") {
      show("lines", lineFigure(sweep));
      if (sweep.varied.length > 1) show("heat", heatFigure(sweep));
    }
    if (data.measures.length > 1) show("front", frontFigure(sweep));
    show("parallel", parallelFigure(sweep));
  }
  place("runs").append(runTable(sweep));
}
