// Ranks of a job over time: a row for each rank, coloured by what it does, and the critical path from row to row. The cursor is
// that of all curves; a click moves the fabric's picture to its moment.
import { fittingUnit, short, spelled } from "./format.js";
import { button, element, inTurn, onceInTurn } from "./dom.js";
import { colour, onColours } from "./palette.js";
import { shorts } from "./arrays.js";
import { ticks } from "./plane.js";
import { SvgBrush, savers } from "./saving.js";

/** @import { Brush, Cell, Timeline } from "./types.js" */
/** @import { TimeAxis } from "./axis.js" */

/** Words of the states, and their colours, those of the lines of shares; a rank that does nothing has none. */
const RANK_STATES = ["computes", "sends", "waits for a message", "does nothing"];
const RANKS_STATES = ["compute", "send", "wait for a message", "do nothing"];
export const RANK_COLOURS = ["line-0", "line-1", "line-2"];
/** Parts of a job's time that changes count in. */
const RANK_PARTS = 65535;
/** Edges around the rows, in px: as wide as those of curves, so that times stand one below the other. */
const RANK_EDGE = { left: 84, right: 24, axis: 34 };
/** Height of a row by the most rows that have it, in px. More rows share the height of the last, and are taller on demand. */
const RANK_HEIGHTS = [[16, 18], [32, 12], [64, 8], [128, 4]];
const RANK_ROOM = 512;
const RANK_TALL = 12;
/** Least distance of names of rows, in px. */
const RANK_NAMES = 14;
const RANK_FONT = "12px system-ui, sans-serif";
const SAVED_RANKS = 1100;
/** Range of time for each step of the cursor by a key. */
const RANK_STEPS = 200;

/** Rows of a job, laid out. */
class RankRows {
  /** @param {Timeline} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    this.changes = shorts(timeline.changes);
    this.row = 0;
    this.height = 0;
    this.first = [0];
    timeline.lengths.forEach((length) => this.first.push(this.first[this.first.length - 1] + length));
    const count = timeline.ranks.length;
    this.isMany = count > RANK_HEIGHTS[RANK_HEIGHTS.length - 1][0];
    this.fit(RANK_HEIGHTS.find(([most]) => count <= most)?.[1] ?? RANK_ROOM / count);
    this.path = Array.from(timeline.path);
    this.hasPath = true;
  }

  /** Sets the height of a row.
   * @param {number} row */
  fit(row) {
    this.row = row;
    this.height = row * this.timeline.ranks.length;
  }

  /** Returns the time of a change.
   * @param {number} at */
  time(at) {
    const { from_s, to_s } = this.timeline;
    return from_s + (to_s - from_s) * this.changes[2 * at] / RANK_PARTS;
  }

  /** Returns the middle of a rank's row; a rank without a row is between its neighbours.
   * @param {number} rank */
  middle(rank) {
    const { ranks } = this.timeline;
    const next = ranks.findIndex((one) => one >= rank);
    const place = next < 0 ? ranks.length - 0.5 : ranks[next] === rank ? next : next - 0.5;
    return (place + 0.5) * this.row;
  }

  /** Returns the state of a row at a time.
   * @param {number} row
   * @param {number} time */
  state(row, time) {
    let state = RANK_STATES.length - 1;
    for (let at = this.first[row]; at < this.first[row + 1] && this.time(at) <= time; at += 1) state = this.changes[2 * at + 1];
    return state;
  }

  /** Returns the step of the critical path at a time in words.
   * @param {number} time */
  step(time) {
    const { steps } = this.timeline;
    for (let at = 0; at < steps.length; at += 1) {
      const [from, to, rank, other] = this.path.slice(4 * at, 4 * at + 4);
      if (from > time) return "";
      if (to > time) return " The critical path is at rank " + rank + (other === rank ? "" : ", on its way to " + other) + ": " + steps[at] + ".";
    }
    return "";
  }

  /**
   * Draws rows, names, ends of iterations and the path.
   *
   * @param {Brush} ctx
   * @param {number} width
   * @param {[number, number]} range
   */
  draw(ctx, width, range) {
    const { ranks, iterations } = this.timeline;
    const [left, right] = [RANK_EDGE.left, width - RANK_EDGE.right];
    const x = (/** @type {number} */ time) => left + (Math.min(Math.max(time, range[0]), range[1]) - range[0]) / (range[1] - range[0]) * (right - left);
    ctx.fillStyle = colour("panel");
    ctx.fillRect(left, 0, right - left, this.height);
    const gap = this.row >= 8 ? 1 : 0;
    RANK_COLOURS.forEach((name, state) => {
      ctx.fillStyle = colour(name);
      ranks.forEach((_, row) => {
        for (let at = this.first[row]; at < this.first[row + 1]; at += 1) {
          if (this.changes[2 * at + 1] !== state) continue;
          const [from, to] = [this.time(at), at + 1 < this.first[row + 1] ? this.time(at + 1) : this.timeline.to_s];
          if (to > range[0] && from < range[1]) ctx.fillRect(x(from), row * this.row, x(to) - x(from), this.row - gap);
        }
      });
    });
    ctx.font = RANK_FONT;
    ctx.fillStyle = colour("ink");
    ctx.textAlign = "right";
    const every = Math.max(1, Math.ceil(RANK_NAMES / this.row));
    ranks.forEach((rank, row) => { if (row % every === 0) ctx.fillText("rank " + rank, left - 8, row * this.row + Math.max(this.row / 2 + 4, 10)); });
    ctx.strokeStyle = colour("ink");
    ctx.lineWidth = 1;
    ctx.setLineDash([2, 3]);
    iterations.filter((end) => end > range[0] && end < range[1]).forEach((end) => upright(ctx, x(end), this.height));
    ctx.setLineDash([]);
    if (this.hasPath) this.drawPath(ctx, x, range);
  }

  /**
   * Draws the path: along a row while a rank computes or waits, from row to row with a message.
   *
   * @param {Brush} ctx
   * @param {(time: number) => number} x
   * @param {[number, number]} range
   */
  drawPath(ctx, x, range) {
    ctx.lineCap = "round";
    [["paper", this.row >= 8 ? 4 : 2.5], ["ink", this.row >= 8 ? 2 : 1.2]].forEach(([name, width]) => {
      ctx.strokeStyle = colour(String(name));
      ctx.lineWidth = Number(width);
      ctx.beginPath();
      for (let at = 0; at < this.path.length; at += 4) {
        const [from, to, rank, other] = this.path.slice(at, at + 4);
        if (to < range[0] || from > range[1]) continue;
        // A step that the range cuts keeps its slope.
        const y = (/** @type {number} */ time) => this.middle(rank) + (this.middle(other) - this.middle(rank)) * (to > from ? (time - from) / (to - from) : 0);
        const [start, end] = [Math.max(from, range[0]), Math.min(to, range[1])];
        ctx.moveTo(x(start), y(start));
        ctx.lineTo(x(end), y(end));
      }
      ctx.stroke();
    });
  }
}

/**
 * @param {Brush} ctx
 * @param {number} x
 * @param {number} height
 */
function upright(ctx, x, height) {
  ctx.beginPath();
  ctx.moveTo(x, 0);
  ctx.lineTo(x, height);
  ctx.stroke();
}

/**
 * Draws the axis of time, from `top` on.
 *
 * @param {Brush} ctx
 * @param {number} width
 * @param {[number, number]} range
 * @param {number} top
 */
function drawTimes(ctx, width, [from, to], top) {
  const [left, right] = [RANK_EDGE.left, width - RANK_EDGE.right];
  const [size, name] = fittingUnit(to, "s");
  ctx.font = RANK_FONT;
  ctx.fillStyle = colour("ink");
  ctx.textAlign = "center";
  ticks(from / size, to / size, Math.max(2, Math.floor((right - left) / 110))).forEach((mark) =>
    ctx.fillText(short(mark), left + (mark * size - from) / (to - from) * (right - left), top + 13));
  ctx.fillText("time (" + name + ")", (left + right) / 2, top + 30);
}

/**
 * Returns a canvas with its brush, as sharp as the screen.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
function fitted(canvas, width, height) {
  const sharp = Math.min(devicePixelRatio || 1, 2);
  // Browsers draw nothing on a canvas of more pixels.
  const scale = Math.min(sharp, 32000 / height);
  [canvas.width, canvas.height] = [width * scale, height * scale];
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  return ctx;
}

/** Returns the meaning of the colours. */
function rankLegend() {
  const entry = (/** @type {string} */ name, /** @type {string} */ words) => {
    const sign = element("span", { class: "heat" });
    sign.style.background = "var(--" + name + ")";
    return element("span", { class: "entry" }, sign, words);
  };
  return element("p", { class: "legend" }, RANK_COLOURS.map((name, state) => entry(name, RANK_STATES[state])), entry("ink", "critical path"));
}

/**
 * Returns the rows as a table of states.
 *
 * @param {RankRows} rows
 * @returns {Cell[][]}
 */
function rankCells(rows) {
  const { ranks, hosts, to_s } = rows.timeline;
  /** @type {Cell[][]} */
  const cells = [["rank", "host", "from_s", "to_s", "state"]];
  ranks.forEach((rank, row) => {
    for (let at = rows.first[row]; at < rows.first[row + 1]; at += 1) {
      cells.push([rank, hosts[row], rows.time(at), at + 1 < rows.first[row + 1] ? rows.time(at + 1) : to_s, RANK_STATES[rows.changes[2 * at + 1]]]);
    }
  });
  return cells;
}

/**
 * Makes the figure of a job.
 *
 * @param {Timeline} timeline
 * @param {TimeAxis} axis
 */
export function rankFigure(timeline, axis) {
  const rows = new RankRows(timeline);
  const name = "Ranks of " + timeline.job;
  const [canvas, times] = [element("canvas"), element("canvas", { "aria-hidden": "true" })];
  const marker = element("span", { class: "rank-cursor", hidden: true });
  const moment = element("span", { class: "rank-cursor marked", hidden: true });
  const holder = element("div", { class: "ranks", tabindex: "0", role: "application", "aria-roledescription": "timeline",
    "aria-label": name + " over time. " + timeline.about + " Arrow keys move the cursor, Enter shows the fabric at it; plus, minus and 0 zoom." }, canvas, marker, moment);
  const reading = element("p", { class: "status", "aria-live": "polite" });
  const width = () => Math.max(holder.clientWidth, 300);
  const paint = () => {
    const ctx = fitted(canvas, width(), rows.height);
    ctx.clearRect(0, 0, width(), rows.height);
    rows.draw(ctx, width(), axis.range);
    drawTimes(fitted(times, width(), RANK_EDGE.axis), width(), axis.range, 0);
    put(moment, axis.moment);
    put(marker, axis.cursor);
  };
  const put = (/** @type {HTMLElement} */ line, /** @type {number | null} */ time) => {
    const [from, to] = axis.range;
    line.hidden = time === null || time < from || time > to;
    if (time === null || line.hidden) return;
    line.style.height = rows.height + "px";
    line.style.left = RANK_EDGE.left + (time - from) / (to - from) * (width() - RANK_EDGE.left - RANK_EDGE.right) + "px";
  };
  const timeAt = (/** @type {PointerEvent | MouseEvent} */ event) => {
    const part = (event.offsetX - RANK_EDGE.left) / (width() - RANK_EDGE.left - RANK_EDGE.right);
    return part < 0 || part > 1 ? null : axis.range[0] + part * (axis.range[1] - axis.range[0]);
  };
  const tell = (/** @type {number | null} */ time, /** @type {number | null} */ row) => {
    if (time === null) reading.textContent = "";
    else if (row !== null) reading.textContent = "At " + spelled(time, "s") + ": rank " + timeline.ranks[row] + " on " + timeline.hosts[row] + " " + RANK_STATES[rows.state(row, time)] + "." + rows.step(time);
    else {
      const counts = RANK_STATES.map(() => 0);
      timeline.ranks.forEach((_, at) => { counts[rows.state(at, time)] += 1; });
      reading.textContent = "At " + spelled(time, "s") + ": " + counts.map((count, state) => count + " " + (count === 1 ? RANK_STATES : RANKS_STATES)[state]).join(", ") + "." + rows.step(time);
    }
  };
  canvas.addEventListener("pointermove", (event) => {
    const time = timeAt(event);
    axis.hover(time);
    tell(time, Math.min(Math.floor(event.offsetY / rows.row), timeline.ranks.length - 1));
  });
  canvas.addEventListener("pointerleave", () => {
    axis.hover(null);
    tell(null, null);
  });
  canvas.addEventListener("click", (event) => {
    const time = timeAt(event);
    if (time !== null) axis.seek(time);
  });
  canvas.addEventListener("dblclick", () => axis.showAll());
  const step = (/** @type {number} */ by) => {
    const [from, to] = axis.range;
    const time = Math.min(Math.max((axis.cursor ?? from) + by * (to - from) / RANK_STEPS, from), to);
    axis.hover(time);
    tell(time, null);
  };
  /** @type {Record<string, () => void>} */
  const keys = { "ArrowLeft": () => step(-1), "ArrowRight": () => step(1), "Enter": () => { if (axis.cursor !== null) axis.seek(axis.cursor); },
    "+": () => axis.zoom(0.5), "=": () => axis.zoom(0.5), "-": () => axis.zoom(2), "0": () => axis.showAll() };
  holder.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  });
  axis.followCursor((time) => {
    put(marker, time);
    if (!holder.matches(":hover")) tell(time, null);
  });
  const path = element("input", { type: "checkbox", checked: true, onchange: () => {
    rows.hasPath = path.checked;
    paint();
  } });
  const tall = element("input", { type: "checkbox", onchange: () => {
    rows.fit(tall.checked ? RANK_TALL : RANK_ROOM / timeline.ranks.length);
    paint();
  } });
  const svg = () => {
    const brush = new SvgBrush(SAVED_RANKS, rows.height + RANK_EDGE.axis);
    rows.draw(brush, SAVED_RANKS, axis.range);
    drawTimes(brush, SAVED_RANKS, axis.range, rows.height);
    return brush.svg;
  };
  inTurn(() => {
    paint();
    new ResizeObserver(onceInTurn(paint)).observe(holder);
    axis.follow(onceInTurn(paint));
    onColours(holder, paint);
  });
  const range = button(timeline.job + " alone", () => axis.show(timeline.from_s, timeline.to_s));
  const controls = element("div", { class: "controls" }, timeline.steps.length > 0 ? element("label", {}, path, " Critical path") : null, rows.isMany ? element("label", {}, tall, " Tall rows") : null, range, savers(name, { svg, rows: () => rankCells(rows) }));
  return element("div", { class: "timeline" }, holder, times, reading, rankLegend(), controls,
    element("p", { class: "note" }, "A click shows the fabric at that time. Dots end iterations. A row shows one state at a time: computing before sending before waiting."));
}
