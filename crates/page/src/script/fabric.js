// The figure of the fabric: picture, slider, choice of tree, and a table of the outputs at the moment.
import { element, lazyDetails, onceAFrame } from "./dom.js";
import { counted, percent, spelled } from "./format.js";
import { shorts } from "./arrays.js";
import { sortableTable } from "./table.js";
import { heatColours, heatNames, onColours } from "./palette.js";
import { layout } from "./layout.js";
import { listed, marksOf, outputName, treesAt } from "./trees.js";
import { draw, halves } from "./drawing.js";
import { player } from "./player.js";

/** @import { Fabric, Graph, Half, PictureState, Plan, Tree } from "./types.js" */

/**
 * Shares of all moments and of the whole run, of `count` outputs each, in ten-thousandths.
 *
 * @typedef {{ all: Uint16Array, whole: Uint16Array, count: number }} Series
 *
 * Quantity of an output.
 *
 * @typedef {"load" | "stalled"} Quantity
 *
 * Trees at a moment, and the roots of those that are only counted.
 *
 * @typedef {{ trees: Tree[], further: number[] }} Found
 */

/** Parts of one in which shares are written. */
export const PARTS = 10000;
const TABLE_ROWS = 40;
let figures = 0;

/**
 * Returns shares of one moment, or of the whole run if `moment` is `null`.
 *
 * @param {Series} series
 * @param {number | null} moment
 */
function sharesAt({ all, whole, count }, moment) {
  const from = moment === null ? whole : all.subarray(moment * count, (moment + 1) * count);
  return Array.from(from, (part) => part / PARTS);
}

/**
 * Returns two radio buttons for the quantity that colours show, `first` at first. A page may have several figures. The key C at
 * `picture` chooses the other one.
 *
 * @param {Picture} picture
 * @param {Quantity} first
 * @param {(value: Quantity) => void} onChange
 */
export function choiceOfColour(picture, first, onChange) {
  figures += 1;
  const name = "colour-" + figures;
  const radio = (/** @type {Quantity} */ value, /** @type {string} */ label) => {
    const input = element("input", { type: "radio", name, value, checked: value === first, onchange: () => onChange(value) });
    return { input, label: element("label", {}, input, label) };
  };
  const radios = [radio("stalled", "stalls (width: load)"), radio("load", "load (width: stalls)")];
  picture.holder.setAttribute("aria-keyshortcuts", "C");
  picture.holder.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "c" && !event.ctrlKey && !event.metaKey && !event.altKey) radios.find(({ input }) => !input.checked)?.input.click();
  });
  return element("fieldset", { class: "inline", title: "The key C at the picture chooses the other colours" }, element("legend", {}, "Colour"), radios.map(({ label }) => label));
}

/**
 * Returns the classes of shares with their colours, and the marks of trees if the picture `hasTrees`.
 *
 * @param {boolean} hasTrees
 */
export function legend(hasTrees) {
  const swatches = heatNames().map((name, place) => {
    const swatch = element("span", { class: "heat", "aria-hidden": "true" });
    return { swatch, place, entry: element("span", { class: "entry" }, swatch, name) };
  });
  const recolour = () => swatches.forEach(({ swatch, place }) => { swatch.style.background = heatColours()[place]; });
  recolour();
  const marks = !hasTrees ? [] : [["■", "root of a tree"], ["┋", "branch"], ["▲", "host of a contributor"], ["□", "host of a victim"]];
  const box = element("p", { class: "legend" }, "Share of the interval (stalls) or of the capacity (load): ", swatches.map(({ entry }) => entry),
    marks.map(([sign, name]) => element("span", { class: "entry" }, element("span", { class: "sign", "aria-hidden": "true" }, sign), name)));
  onColours(box, recolour);
  return box;
}

/**
 * Returns sentences on the trees at a moment.
 *
 * @param {Graph} fabric
 * @param {Found} found
 */
function sentences(fabric, { trees, further }) {
  const names = (/** @type {number[]} */ hosts) => hosts.length === 0 ? "none" : listed(hosts.map((host) => fabric.nodes[host]), 6);
  const lines = trees.map((tree) => "Root " + outputName(fabric, tree.root) + ": " + counted(tree.branches.length, "branch") +
    "; contributors from " + names(tree.contributors) + "; victims from " + names(tree.victims) + ".");
  if (further.length > 0) lines.push(counted(further.length, "smaller tree") + ", of which only the roots are marked.");
  return lines.length > 0 ? lines : ["No congestion tree."];
}

/**
 * Returns the highest load and the longest stall in words.
 *
 * @param {number[]} load
 * @param {number[]} stalled
 */
export function extremes(load, stalled) {
  const largest = (/** @type {number[]} */ shares) => percent(shares.reduce((best, one) => Math.max(best, one), 0));
  return "highest load " + largest(load) + ", longest stall " + largest(stalled) + " of the interval";
}

/** The picture: a canvas that is as wide as its place, or wider and scrolled where links would be too narrow. */
export class Picture {
  /** @param {Graph} fabric */
  constructor(fabric) {
    this.fabric = fabric;
    this.canvas = element("canvas", { role: "img" });
    this.holder = element("div", { class: "scroll picture", tabindex: "0", role: "region", "aria-label": "Picture of the fabric" }, this.canvas);
    /** @type {PictureState | null} */
    this.state = null;
    /** @type {Plan | null} */
    this.plan = null;
    /** @type {Half[]} */
    this.links = [];
  }

  /** Draws the picture as wide as its place, and again when that changes or colours do. */
  follow() {
    new ResizeObserver(onceAFrame(() => this.fit())).observe(this.holder);
    onColours(this.holder, () => this.paint());
    this.fit();
  }

  fit() {
    this.plan = layout(this.fabric, Math.max(this.holder.clientWidth, 240));
    const { width, height, places } = this.plan;
    this.links = halves(this.fabric, places);
    const scale = Math.min(devicePixelRatio || 1, 2);
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    this.canvas.style.width = width + "px";
    this.canvas.style.height = height + "px";
    this.context().setTransform(scale, 0, 0, scale, 0, 0);
    this.paint();
  }

  context() {
    return /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
  }

  paint() {
    if (this.state && this.plan) draw(this.context(), this.fabric, this.plan, this.links, this.state);
  }

  /**
   * Returns the node nearest to a point of the canvas, if one is near.
   *
   * @param {number} x
   * @param {number} y
   * @returns {number | null}
   */
  nodeAt(x, y) {
    /** @type {number | null} */
    let best = null;
    let distance = 14;
    this.plan?.places.forEach((place, node) => {
      const away = Math.hypot(place.x - x, place.y - y);
      if (away < distance) [best, distance] = [node, away];
    });
    return best;
  }
}

/**
 * Returns a table of the outputs that stalled longest or carried most at a moment.
 *
 * @param {Graph} fabric
 * @param {number[]} load
 * @param {number[]} stalled
 * @param {string} title
 */
export function outputTable(fabric, load, stalled, title) {
  const order = load.map((_, output) => output).sort((a, b) => stalled[b] - stalled[a] || load[b] - load[a]).slice(0, TABLE_ROWS);
  const column = (/** @type {string} */ words, /** @type {string} */ kind, /** @type {(output: number) => string | number} */ of) => ({ words, kind, values: order.map(of) });
  const columns = [column("output", "string", (output) => outputName(fabric, output)),
    column("load (%)", "number", (output) => Math.round(load[output] * 1e4) / 100),
    column("stalled (%)", "number", (output) => Math.round(stalled[output] * 1e4) / 100)];
  return sortableTable({ caption: "Outputs at " + title, about: "The " + order.length + " of " + load.length +
    " outputs that were stalled longest, then those with the most load.", columns, rows: order.length });
}

/**
 * Makes the figure.
 *
 * @param {Fabric} fabric
 * @param {import("./axis.js").TimeAxis} axis
 */
export function fabricFigure(fabric, axis) {
  const count = fabric.outputs.length / 3;
  const load = { all: shorts(fabric.load), whole: shorts(fabric.whole_load), count };
  const stalled = { all: shorts(fabric.stalled), whole: shorts(fabric.whole_stalled), count };
  /** @type {{ moment: number | null, colour: Quantity, tree: string }} */
  const view = { moment: fabric.moments.length > 0 ? 0 : null, colour: "stalled", tree: "" };
  const picture = new Picture(fabric);
  const title = element("p", { class: "moment" });
  const words = element("ul", { class: "trees" });
  const tip = element("p", { class: "status" }, " ");
  const choice = element("select", { onchange: () => { view.tree = choice.value; show(); } });
  const table = element("div");
  const details = lazyDetails("Table of the outputs at this moment", () => { fillTable(); return table; });
  const named = (/** @type {number} */ moment) => {
    const from = moment === 0 ? 0 : fabric.moments[moment - 1];
    return spelled(from, "s") + " to " + spelled(fabric.moments[moment], "s");
  };
  const name = () => view.moment === null ? "the whole run" : named(view.moment);
  const fillTable = () => table.replaceChildren(outputTable(fabric, sharesAt(load, view.moment), sharesAt(stalled, view.moment), name()));
  const chooseTrees = (/** @type {Found} */ { trees, further }) => {
    const options = [element("option", { value: "" }, "all trees (" + (trees.length + further.length) + ")"),
      ...trees.map((tree) => element("option", { value: tree.root, selected: String(tree.root) === view.tree }, outputName(fabric, tree.root)))];
    choice.replaceChildren(...options);
    choice.disabled = trees.length === 0;
    return trees.filter((tree) => choice.value === "" || String(tree.root) === choice.value);
  };
  const show = () => {
    /** @type {Found} */
    const found = view.moment === null ? { trees: [], further: [] } : treesAt(fabric, view.moment);
    const chosen = chooseTrees(found);
    const shares = { load: sharesAt(load, view.moment), stalled: sharesAt(stalled, view.moment) };
    /** @type {Quantity} */
    const other = view.colour === "load" ? "stalled" : "load";
    const all = choice.value === "";
    picture.state = { colours: shares[view.colour], widths: shares[other], marks: marksOf(chosen, all ? found.further : []) };
    title.textContent = "From " + name() + ": " + extremes(shares.load, shares.stalled) + ".";
    picture.canvas.setAttribute("aria-label", title.textContent);
    if (view.moment !== null) words.replaceChildren(...sentences(fabric, all ? found : { trees: chosen, further: [] }).map((line) => element("li", {}, line)));
    picture.paint();
    if (details.open) fillTable();
  };
  picture.canvas.addEventListener("pointermove", (event) => {
    const node = picture.nodeAt(event.offsetX, event.offsetY);
    tip.textContent = node === null ? " " : "Node " + fabric.nodes[node];
  });
  const moments = view.moment === null ? null : player({ count: fabric.moments.length, named, label: "Moment of the picture",
    onMoment: (moment) => { view.moment = moment; axis.mark(fabric.moments[moment]); show(); } });
  details.addEventListener("toggle", () => details.open && fillTable());
  const controls = element("div", { class: "controls" }, choiceOfColour(picture, view.colour, (value) => { view.colour = value; show(); }),
    element("label", { class: "choice" }, "Trees ", choice));
  const figure = element("div", { class: "fabric" }, moments ? moments.box : null, controls, title, picture.holder, tip, legend(true), words, details);
  requestAnimationFrame(() => {
    picture.follow();
    if (moments) moments.set(worstMoment(fabric));
    else show();
  });
  return figure;
}

/**
 * Returns the moment at which a tree has most branches, of several the one with most hosts of victims; without a tree, the last.
 *
 * @param {Fabric} fabric
 */
function worstMoment(fabric) {
  const isWorse = (/** @type {Tree} */ one, /** @type {Tree} */ other) => one.branches.length - other.branches.length || one.victims.length - other.victims.length;
  const worst = fabric.trees.reduce((best, tree) => !best || isWorse(tree, best) > 0 ? tree : best, /** @type {Tree | null} */ (null));
  return worst ? worst.moment : fabric.moments.length - 1;
}
