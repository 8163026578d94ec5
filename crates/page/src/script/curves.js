// Curves over an axis, with lines to switch on and off, a cursor that all figures share, and a table.
import { button, element, inTurn, lazyDetails, onceInTurn } from "./dom.js";
import { fittingUnit, short, spelled } from "./format.js";
import { sortableTable } from "./table.js";
import { colour, onColours, pen } from "./palette.js";
import { axes, letters, scale, shape } from "./plane.js";
import { savers } from "./saving.js";
import { pointsTo, subjectButton } from "./choice.js";

/** @import UPlot from "uplot" */
/** @import { Cell, Line, Panel } from "./types.js" */
/** @import { TimeAxis } from "./axis.js" */

const HEIGHT = 300;
const FONT = "12px system-ui, sans-serif";
/** Width of the values at the upright axis, in px: least, and what stands around the widest of them. */
const VALUES = { least: 62, around: 20 };
const MOST_SPOKEN = 6;
/** Look of lines that do not belong to what a reader chose. */
const FADED = 0.13;
/** Further width of lines that do, and of victims. */
const STRONGER = 1.6;
/** Frame of a figure that is saved, with room for the names of lines on the right. */
const SAVED = { width: 1100, height: 420, left: 74, right: 250, top: 30, bottom: 46 };
/** Kinds of lines that a reader may choose for all figures. */
const CHOICES = ["flow", "group", "source"];
/** @type {Record<string, string>} */
const KINDS = { flow: "Flows", group: "Groups", others: "Sums", total: "Sums", output: "Outputs", source: "Flows" };

/**
 * Returns the largest value of the lines that are on.
 *
 * @param {Panel} panel
 */
function largestShown(panel) {
  let largest = 0;
  for (const line of panel.lines) {
    if (line.shown) for (const value of line.y) if (value !== null && value > largest) largest = value;
  }
  return largest;
}

/**
 * Returns the width of an upright axis that has room for the widest of its values, in px. Figures whose values fit have the least width,
 * so that they stand one below the other.
 *
 * @param {UPlot} plot
 * @param {string[]} values
 * @param {number} axis
 * @param {number} round
 */
function widthOfValues(plot, values, axis, round) {
  const known = /** @type {{ _size?: number }} */ (plot.axes[axis])._size;
  if (round > 1 && known !== undefined) return known;
  plot.ctx.save();
  plot.ctx.font = FONT;
  const widest = (values ?? []).reduce((most, value) => Math.max(most, plot.ctx.measureText(value).width), 0);
  plot.ctx.restore();
  return Math.max(VALUES.least, Math.ceil(widest) + VALUES.around);
}

/**
 * Returns options of uPlot for a panel. Without an `axis` of time, the axis is the panel's own, and logarithmic.
 *
 * @param {Panel} panel
 * @param {{ width: number, axis: TimeAxis | null, onCursor: (plot: UPlot) => void, onFocus: (place: number | null) => void }} around
 * @returns {UPlot.Options}
 */
function options(panel, { width, axis, onCursor, onFocus }) {
  const ink = colour("ink");
  const grid = { stroke: colour("grid"), width: 1 };
  const marks = { stroke: ink, grid, ticks: grid, font: FONT };
  const labels = (/** @type {string} */ unit) => (/** @type {UPlot} */ _, /** @type {number[]} */ splits) => {
    const span = Math.max(...splits.map(Math.abs));
    const [size] = fittingUnit(span, unit);
    return splits.map((value) => Number((value / size).toPrecision(6)).toLocaleString("en-US"));
  };
  const label = (/** @type {string} */ name, /** @type {string} */ unit, /** @type {number} */ largest) => {
    const [, fitting] = fittingUnit(largest, unit);
    return fitting ? name + " (" + fitting + ")" : name;
  };
  const last = axis ? axis.range[1] : panel.x[panel.x.length - 1];
  return {
    width, height: HEIGHT, pxAlign: 0, legend: { show: false },
    cursor: { sync: axis ? { key: "time" } : undefined, drag: { x: true, y: false, setScale: false }, focus: { prox: 24 } },
    scales: {
      x: axis ? { time: false, range: () => axis.range } : { time: false, distr: 3 },
      y: { range: (_, __, high) => panel.unit === "" ? [0, 1] : [0, (high || 1) * 1.06] },
    },
    axes: [
      { ...marks, label: axis ? label("time", "s", last) : "time after posting", labelSize: 22, size: 36,
        values: axis ? labels("s") : (_, splits) => splits.map((value) => value === null ? "" : spelled(value, "s")) },
      { ...marks, label: label(panel.quantity || "", panel.unit, largestShown(panel)), labelSize: 22, size: widthOfValues, values: labels(panel.unit) },
    ],
    series: [{}, ...panel.lines.map((line, place) => ({
      label: line.name, show: line.shown, width: widthOf(line), spanGaps: axis === null,
      // A share of messages rises where a message arrives, and not before.
      paths: axis === null ? uPlot.paths.stepped?.({ align: 1 }) : undefined,
      // A queue that is known at a moment alone, between gaps, has no line to be seen by.
      points: { show: () => axis !== null && panel.x.length < 40, filter: (/** @type {UPlot} */ plot, /** @type {number} */ at, /** @type {boolean} */ isShown) => isShown || line.kind !== "output" ? null : isolated(plot.data[at]) }, ...pen(place, panel.colours),
    }))],
    hooks: {
      setCursor: [onCursor],
      setSeries: [(_, place, of) => { if (/** @type {{ focus?: boolean }} */ (of).focus) onFocus(place); }],
      setSelect: [(plot) => {
        const { left, width: chosen } = plot.select;
        if (chosen > 3 && axis) axis.show(plot.posToVal(left, "x"), plot.posToVal(left + chosen, "x"));
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
      draw: [(plot) => { if (axis) drawMarks(plot, axis); }],
    },
  };
}

/**
 * Returns the width of a line: victims stand out.
 *
 * @param {Line} line
 */
function widthOf(line) {
  return (line.kind === "total" ? 1.4 : 1.8) + (line.isVictim ? STRONGER : 0);
}

/**
 * Returns kind and name of the subject of a line.
 *
 * @param {Line} line
 */
export function subjectOf({ kind, name }) {
  return (kind === "source" ? "flow" : kind) + " " + name;
}

/**
 * Returns the places of values between two gaps.
 *
 * @param {ArrayLike<number | null | undefined>} values
 */
function isolated(values) {
  const isGap = (/** @type {number} */ at) => at < 0 || at >= values.length || values[at] === null;
  return Array.from(values, (_, at) => at).filter((at) => typeof values[at] === "number" && isGap(at - 1) && isGap(at + 1));
}

/**
 * Returns the values of a line. A queue is not known at each sample: equal values on both sides of a gap are joined, by `undefined` between
 * them, and others are not, since a slope would show a queue that grows before its cause.
 *
 * @param {Line} line
 * @returns {(number | null | undefined)[]}
 */
function joined({ kind, y }) {
  /** @type {(number | null | undefined)[]} */
  const values = [...y];
  if (kind !== "output") return values;
  let last = -1;
  values.forEach((value, at) => {
    if (value === null) return;
    if (last >= 0 && values[last] === value) values.fill(undefined, last + 1, at);
    last = at;
  });
  return values;
}

/**
 * Returns true if a line belongs to what a reader chose. The line of an output may have more behind its name.
 *
 * @param {Line} line
 * @param {Set<string>} lit
 */
function isLit(line, lit) {
  const key = subjectOf(line);
  return lit.has(key) || line.kind === "output" && [...lit].some((one) => key.startsWith(one));
}

/**
 * Returns the lines that are on as an SVG: over the range of time that the page shows, or over all of an axis of their own.
 *
 * @param {Panel} panel
 * @param {TimeAxis | null} axis
 */
function svgOf(panel, axis) {
  const x = [...panel.x];
  const [from, to] = axis ? axis.range : [x[0], x[x.length - 1]];
  const isIn = x.map((at) => at >= from && at <= to);
  const shown = panel.lines.map((line, place) => ({ line, place, y: joined(line) })).filter(({ line }) => line.shown);
  const largest = panel.unit === "" ? 1 : Math.max(largestShown(panel), Number.MIN_VALUE);
  const { width, height, left, right, top, bottom } = SAVED;
  const across = axis ? scale([from, to], left, width - right, {}) : logarithmic(from, to, left, width - right);
  const up = scale([0, largest], height - bottom, top, { withZero: true });
  const parts = [axes(SAVED, { scale: across, name: axis ? "time" : "time after posting", unit: axis ? "s" : "", largest: to }, { scale: up, name: panel.quantity || "", unit: panel.unit, largest })];
  shown.forEach(({ line, place, y }, at) => {
    const { stroke, dash } = pen(place, panel.colours);
    const look = { fill: "none", stroke, "stroke-width": widthOf(line), "stroke-dasharray": dash.join(" ") || null };
    let isOn = false;
    const d = x.map((time, sample) => {
      const value = y[sample];
      if (value === undefined) return "";
      if (value === null || !isIn[sample]) {
        isOn &&= axis === null;
        return "";
      }
      const [px, py] = [across.at(time).toFixed(1), up.at(value).toFixed(1)];
      const step = !isOn ? "M" + px + " " + py : axis ? "L" + px + " " + py : "H" + px + "V" + py;
      isOn = true;
      return step;
    }).join("");
    parts.push(shape("path", { d, ...look }), shape("path", { d: "M" + (width - right + 12) + " " + (top + 8 + 18 * at) + "h26", ...look }),
      letters(width - right + 44, top + 12 + 18 * at, line.name));
  });
  return shape("svg", { viewBox: "0 0 " + width + " " + height, "font-size": 12 }, parts);
}

/**
 * Returns a logarithmic scale of time with a mark at each power of ten.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @returns {import("./types.js").Scale}
 */
function logarithmic(low, high, from, to) {
  const [start, end] = [Math.log10(low), Math.max(Math.log10(high), Math.log10(low) + 1e-9)];
  const at = (/** @type {string | number} */ value) => from + (Math.log10(Number(value)) - start) / (end - start) * (to - from);
  const powers = Array.from({ length: Math.floor(end) - Math.ceil(start) + 1 }, (_, place) => 10 ** (Math.ceil(start) + place));
  return { at, marks: powers.map((power) => [power, spelled(power, "s")]) };
}

/**
 * Returns the lines that are on as rows of a table.
 *
 * @param {Panel} panel
 * @returns {Cell[][]}
 */
function lineRows(panel) {
  const shown = panel.lines.filter((line) => line.shown).map((line) => ({ name: line.name, y: [...line.y] }));
  const unit = panel.unit === "" ? "" : " (" + panel.unit + ")";
  return [["time (s)", ...shown.map(({ name }) => name + unit)], ...[...panel.x].map((time, at) => [time, ...shown.map(({ y }) => y[at])])];
}

/**
 * Draws phases and the moment of the fabric's picture.
 *
 * @param {UPlot} plot
 * @param {TimeAxis} axis
 */
function drawMarks(plot, axis) {
  const { ctx, bbox } = plot;
  const vertical = (/** @type {number} */ time, /** @type {string} */ style, /** @type {number[]} */ dash, /** @type {number} */ width) => {
    if (time < axis.range[0] || time > axis.range[1]) return;
    const x = Math.round(plot.valToPos(time, "x", true));
    ctx.save();
    ctx.strokeStyle = style;
    ctx.lineWidth = width * devicePixelRatio;
    ctx.setLineDash(dash.map((part) => part * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  };
  axis.phases.forEach(([, from]) => from > 0 && vertical(from, colour("faint"), [4, 4], 1));
  if (axis.moment !== null) vertical(axis.moment, colour("ink"), [], 1.5);
}

/**
 * Returns the lines of a panel as boxes to tick, with their values at the cursor.
 *
 * @param {Panel} panel
 * @param {TimeAxis | null} axis
 * @param {(places: number[], shown: boolean) => void} onChange
 */
function toggles(panel, axis, onChange) {
  const values = panel.lines.map(() => element("span", { class: "value" }));
  /** @type {HTMLInputElement[]} */
  const boxes = panel.lines.map((line, place) => element("input", { type: "checkbox", checked: line.shown,
    onchange: () => onChange([place], boxes[place].checked) }));
  const swatches = panel.lines.map(() => element("canvas", { width: 56, height: 16, class: "swatch", "aria-hidden": "true" }));
  const colourSwatches = () => swatches.forEach((swatch, place) => {
    const ctx = /** @type {CanvasRenderingContext2D} */ (swatch.getContext("2d"));
    const { stroke, dash } = pen(place, panel.colours);
    ctx.clearRect(0, 0, 56, 16);
    ctx.strokeStyle = stroke;
    ctx.lineWidth = 5;
    ctx.setLineDash(dash.map((part) => 2 * part));
    ctx.beginPath();
    ctx.moveTo(0, 8);
    ctx.lineTo(56, 8);
    ctx.stroke();
  });
  const set = (/** @type {number[]} */ places, /** @type {boolean} */ shown) => {
    places.forEach((place) => { boxes[place].checked = shown; });
    onChange(places, shown);
  };
  const headings = [...new Set(panel.lines.map((line) => KINDS[line.kind]))];
  const labels = panel.lines.map((line, place) => {
    const [name, kind] = [line.name + (line.isVictim ? " (victim)" : ""), line.isVictim ? "name victim" : "name"];
    const isChoice = axis !== null && CHOICES.includes(line.kind);
    const label = element("label", {}, boxes[place], swatches[place], isChoice ? subjectButton(axis, subjectOf(line), name, kind) : element("span", { class: kind }, name), values[place]);
    if (isChoice) pointsTo(label, axis, subjectOf(line));
    return label;
  });
  const parts = headings.map((heading) => {
    const places = panel.lines.map((_, place) => place).filter((place) => KINDS[panel.lines[place].kind] === heading);
    const all = places.length < 3 ? [] : [button("all", () => set(places, true), { "aria-label": "Show all: " + heading }),
      button("none", () => set(places, false), { "aria-label": "Show none: " + heading })];
    return element("fieldset", {}, element("legend", {}, heading, ...all.flatMap((one) => [" ", one])),
      element("div", { class: "lines" }, places.map((place) => labels[place])));
  });
  colourSwatches();
  return { box: element("div", { class: "toggles" }, parts), labels, values, colourSwatches };
}

/**
 * Returns a table with lowest, mean and highest value of each line, for those who do not see the curves.
 *
 * @param {Panel} panel
 */
function statistics(panel) {
  const of = (/** @type {Line} */ line) => {
    const values = [...line.y].filter((value) => value !== null);
    const sum = values.reduce((total, value) => total + value, 0);
    return values.length ? [values.reduce((a, b) => Math.min(a, b)), sum / values.length, values.reduce((a, b) => Math.max(a, b)), values[values.length - 1]] : [null, null, null, null];
  };
  const rows = panel.lines.map(of);
  const number = (/** @type {string} */ words, /** @type {number} */ place) => ({ words, kind: "number", unit: panel.unit, values: rows.map((row) => row[place]) });
  const mean = panel.samples_a_pair === 1 ? [number("mean", 1)] : [];
  const columns = [{ words: "line", kind: "string", values: panel.lines.map((line) => line.name) },
    number("lowest", 0), ...mean, number("highest", 2), number("last", 3)];
  return sortableTable({ caption: panel.heading + ": a row a line", columns, rows: rows.length });
}

/**
 * Makes a figure of curves. `axis` is the shared axis of time; without one the axis is the panel's own, and logarithmic. The
 * figure's `update(x, values)` shows a run as it goes on: new values of the axis, and of each line.
 *
 * @param {Panel} panel
 * @param {TimeAxis | null} axis
 */
export function curves(panel, axis) {
  const isTime = axis !== null;
  /** @type {HTMLDivElement & { plot?: () => UPlot | null }} */
  const holder = element("div", { class: "plot", tabindex: "0", role: "application", "aria-roledescription": "curves",
    "aria-label": panel.heading + ". " + panel.about + " Arrow keys move the cursor" + (isTime ? "; plus, minus and 0 zoom" : "") + ". A table of these lines follows." });
  /** @type {UPlot | null} */
  let plot = null;
  let unit = "";
  /** Lines that are lit in the plot, of the axis.
   * @type {Set<string> | null} */
  let shownLit = null;
  /** Line near the cursor, in the numbers of the plot.
   * @type {number | null} */
  let near = null;
  const lines = toggles(panel, axis, (places, shown) => {
    places.forEach((place) => {
      panel.lines[place].shown = shown;
      plot?.setSeries(place + 1, { show: shown }, false);
    });
    plot?.redraw();
  });
  const onCursor = (/** @type {UPlot} */ drawn) => {
    const at = drawn.cursor.idx;
    const has = at !== null && at !== undefined;
    lines.values.forEach((value, place) => {
      value.textContent = has ? read(panel.lines[place], at) : "";
    });
    reading.textContent = has ? "Cursor at " + spelled(panel.x[at], "s") : "";
    const left = drawn.cursor.left ?? -1;
    axis?.hover(left < 0 ? null : drawn.posToVal(left, "x"));
  };
  const read = (/** @type {Line} */ line, /** @type {number} */ at) =>
    panel.unit === "" ? short(line.y[at] ?? NaN).replace("NaN", "–") : spelled(line.y[at], panel.unit);
  const reading = element("p", { class: "status" });
  const spoken = element("p", { class: "unseen", "aria-live": "polite" });
  const data = () => /** @type {any} */ ([panel.x, ...panel.lines.map((line) => line.kind === "output" ? joined(line) : line.y)]);
  const make = () => {
    const width = Math.max(holder.clientWidth, 200);
    if (plot) plot.destroy();
    unit = fittingUnit(largestShown(panel), panel.unit)[1];
    shownLit = null;
    plot = new uPlot(options(panel, { width, axis, onCursor, onFocus: (place) => { near = place; } }), data(), holder);
    plot.over.addEventListener("click", choose);
    holder.ondblclick = () => axis?.showAll();
    light();
  };
  const choose = () => {
    const line = near === null ? undefined : panel.lines[near - 1];
    if (axis && line && CHOICES.includes(line.kind)) axis.choose(axis.chosen === subjectOf(line) ? null : subjectOf(line));
    if (axis && axis.cursor !== null) axis.seek(axis.cursor);
  };
  const light = () => {
    const asked = axis?.lit ?? null;
    if (!plot || asked === shownLit) return;
    shownLit = asked;
    // A figure without a line of what was chosen would fade as a whole.
    const lit = asked && panel.lines.some((line) => isLit(line, asked)) ? asked : null;
    panel.lines.forEach((line, place) => {
      const series = /** @type {UPlot.Series} */ (plot?.series[place + 1]);
      series.alpha = lit && !isLit(line, lit) ? FADED : 1;
      series.width = widthOf(line) + (lit && isLit(line, lit) ? STRONGER : 0);
      lines.labels[place].classList.toggle("faded", lit !== null && !isLit(line, lit));
    });
  };
  /** @type {Record<string, () => void>} */
  const keys = {
    "ArrowLeft": () => step(-1), "ArrowRight": () => step(1), "+": () => axis?.zoom(0.5), "=": () => axis?.zoom(0.5),
    "-": () => axis?.zoom(2), "0": () => axis?.showAll(), "Home": () => axis?.showAll(),
  };
  const step = (/** @type {number} */ by) => {
    if (!plot) return;
    const at = Math.min(Math.max((plot.cursor.idx ?? -1) + by, 0), panel.x.length - 1);
    plot.setCursor({ left: plot.valToPos(panel.x[at], "x"), top: 20 });
    const values = panel.lines.filter((line) => line.shown).slice(0, MOST_SPOKEN);
    spoken.textContent = "At " + spelled(panel.x[at], "s") + ": " + values.map((line) => line.name + " " + read(line, at)).join(", ") + ".";
  };
  holder.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (act && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      act();
    }
  });
  const figure = element("div", { class: "curves" }, holder, reading, spoken, lines.box,
    element("div", { class: "controls" }, savers(panel.heading, { svg: () => svgOf(panel, axis), rows: () => lineRows(panel) })), lazyDetails("Table of these lines", () => statistics(panel)));
  const update = (/** @type {number[]} */ x, /** @type {(number | null)[][]} */ values) => {
    panel.x = x;
    panel.lines.forEach((line, place) => { line.y = values[place]; });
    if (plot && fittingUnit(largestShown(panel), panel.unit)[1] === unit) plot.setData(data());
    else if (plot) make();
  };
  inTurn(() => {
    make();
    const resize = onceInTurn(() => plot?.setSize({ width: Math.max(holder.clientWidth, 200), height: HEIGHT }));
    new ResizeObserver(resize).observe(holder);
    axis?.followCursor((time) => plot?.setCursor({ left: time === null ? -10 : plot.valToPos(time, "x"), top: time === null ? -10 : 20 }));
    axis?.follow(onceInTurn(() => {
      light();
      plot?.setData(plot.data);
    }));
    onColours(holder, () => {
      lines.colourSwatches();
      make();
    });
    holder.plot = () => plot;
  });
  return Object.assign(figure, { update });
}
