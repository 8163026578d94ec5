// The figure of the fabric: picture, slider, choice of tree, and a table of the outputs at the moment.
import { element, inTurn, lazyDetails, onceInTurn } from "./dom.js";
import { counted, percent, spelled } from "./format.js";
import { shorts } from "./arrays.js";
import { sortableTable } from "./table.js";
import { heatColours, heatNames, onColours } from "./palette.js";
import { layout } from "./layout.js";
import { listed, marksOf, outputName, treesAt } from "./trees.js";
import { along, draw, lanes } from "./drawing.js";
import { player } from "./player.js";
import { SvgBrush, savers } from "./saving.js";
import { chosenBox, subjectBelonging } from "./paths.js";
import { belonging, tipOf, treeBelonging } from "./tips.js";
import { nameField } from "./choice.js";

/** @import { Cell, Fabric, FlowFacts, Graph, Lane, PictureState, Plan, Tree } from "./types.js" */
/** @import { Scene, Spot } from "./tips.js" */

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
/** Longest ways from a pointer to a node and to a link, in px. */
const NEAR = { node: 13, link: 8 };
const WIDEST_TIP = 340;
/** Most hosts of a fabric whose picture never has bars. */
export const MOST_WITHOUT_BARS = 64;
/** @type {FlowFacts} */
const NO_FACTS = { flows: [], users: new Map(), contributors: [], victims: [] };
/** Most names that a field suggests. */
const MOST_SUGGESTED = 300;
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
 * Returns the classes of shares with their colours, and the marks of trees if the picture `hasTrees`; `hasBars` is true if it may draw
 * the hosts of a switch as a bar.
 *
 * @param {boolean} hasTrees
 * @param {boolean} [hasBars]
 */
export function legend(hasTrees, hasBars = false) {
  const swatches = heatNames().map((name, place) => {
    const swatch = element("span", { class: "heat", "aria-hidden": "true" });
    return { swatch, place, entry: element("span", { class: "entry" }, swatch, name) };
  });
  const recolour = () => swatches.forEach(({ swatch, place }) => { swatch.style.background = heatColours()[place]; });
  recolour();
  const marks = !hasTrees ? [] : [["■", "root of a tree", "tree"], ["═", "its branches", "tree"], ["▲", "host of a contributor", "tree"], ["■", "host of a victim", "victim"],
    ["▥", "hosts of a switch as a bar: contributors, mean of their links, victims", "tree"]].slice(0, hasBars ? 5 : 4);
  const box = element("p", { class: "legend" }, "Share of the interval (stalls) or of the capacity (load): ", swatches.map(({ entry }) => entry),
    marks.map(([sign, name, kind]) => element("span", { class: "entry" }, element("span", { class: "sign " + kind, "aria-hidden": "true" }, sign), name)));
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
    /** @type {Lane[]} */
    this.links = [];
    /** Switch with hosts that are drawn one by one, where others have a bar.
     * @type {number | null} */
    this.expanded = null;
  }

  /** Draws the picture as wide as its place, and again when that changes or colours do. */
  follow() {
    new ResizeObserver(onceInTurn(() => this.fit())).observe(this.holder);
    onColours(this.holder, () => this.paint());
    this.fit();
  }

  fit() {
    this.plan = layout(this.fabric, Math.max(this.holder.clientWidth, 240), { isRich: true, expanded: this.expanded });
    const { width, height } = this.plan;
    this.links = lanes(this.fabric, this.plan);
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

  /** Returns the picture as an SVG. */
  svg() {
    const brush = new SvgBrush(this.plan?.width ?? 1, this.plan?.height ?? 1);
    if (this.state && this.plan) draw(brush, this.fabric, this.plan, this.links, this.state);
    return brush.svg;
  }

  /**
   * Returns what is near a point of the canvas: a node, a bar, or else the lane of an output.
   *
   * @param {number} x
   * @param {number} y
   * @returns {Spot | null}
   */
  spotAt(x, y) {
    if (!this.plan) return null;
    const bar = this.plan.bars.find((one) => Math.abs(one.x - x) <= one.width / 2 && y >= one.y && y <= one.y + one.height);
    if (bar) return { bar };
    /** @type {Spot | null} */
    let best = null;
    let distance = NEAR.node;
    this.plan.places.forEach((place, node) => {
      const away = place.inBar ? Infinity : Math.hypot(place.x - x, place.y - y);
      if (away < distance) [best, distance] = [{ node }, away];
    });
    if (best) return best;
    distance = NEAR.link;
    this.links.forEach((lane, output) => {
      const away = distanceTo(lane, x, y);
      if (away < distance) [best, distance] = [{ output }, away];
    });
    return best;
  }
}

/**
 * Returns the distance of a point from a lane, in steps of a twelfth of its way.
 *
 * @param {Lane} lane
 * @param {number} x
 * @param {number} y
 */
function distanceTo(lane, x, y) {
  let nearest = Infinity;
  let before = lane.a;
  for (let step = 1; step <= 12; step += 1) {
    const after = along(lane, step / 12);
    const [dx, dy] = [after.x - before.x, after.y - before.y];
    const part = Math.min(1, Math.max(0, ((x - before.x) * dx + (y - before.y) * dy) / (dx * dx + dy * dy || 1)));
    nearest = Math.min(nearest, Math.hypot(before.x + dx * part - x, before.y + dy * part - y));
    before = after;
  }
  return nearest;
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
 * Returns a sign beside the pointer, with what is there. It shows what it last showed for as long as it is held.
 *
 * @param {Picture} picture
 * @param {(spot: Spot) => string[]} tip
 * @param {(spot: Spot | null) => void} onChoice
 */
function signs(picture, tip, onChoice) {
  const box = element("div", { class: "tip", role: "status", hidden: true });
  /** @type {Spot | null} */
  let held = null;
  const show = (/** @type {Spot | null} */ spot, /** @type {PointerEvent | MouseEvent} */ event) => {
    box.hidden = spot === null;
    picture.canvas.classList.toggle("over", spot !== null);
    if (!spot) return;
    const [first, ...rest] = tip(spot);
    box.replaceChildren(element("strong", {}, first), ...rest.map((line) => element("div", {}, line)));
    const left = event.offsetX - picture.holder.scrollLeft;
    const width = Math.min(WIDEST_TIP, picture.holder.clientWidth);
    box.style.maxWidth = width + "px";
    box.style.left = Math.max(0, Math.min(left + 14, picture.holder.clientWidth - width)) + "px";
    box.style.top = event.offsetY + 16 + "px";
  };
  const spotOf = (/** @type {MouseEvent} */ event) => picture.spotAt(event.offsetX, event.offsetY);
  picture.canvas.addEventListener("pointermove", (event) => { if (!held) show(spotOf(event), event); });
  picture.canvas.addEventListener("pointerleave", () => { if (!held) box.hidden = true; });
  picture.canvas.addEventListener("click", (event) => {
    const spot = spotOf(event);
    held = spot;
    show(spot, event);
    onChoice(spot);
  });
  const forget = () => {
    held = null;
    box.hidden = true;
  };
  picture.holder.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    forget();
    onChoice(null);
  });
  return { box: element("div", { class: "signed" }, picture.holder, box), forget };
}

/**
 * Returns fields that choose a flow and a link by their names, flows of trees first.
 *
 * @param {Fabric} fabric
 * @param {FlowFacts} facts
 * @param {import("./axis.js").TimeAxis} axis
 * @param {(output: number) => void} onOutput
 */
function nameChoices(fabric, facts, axis, onOutput) {
  const names = [...new Set([...facts.victims, ...facts.contributors, ...facts.flows].map(({ flow }) => flow))];
  const outputs = Array.from({ length: fabric.outputs.length / 3 }, (_, output) => outputName(fabric, output));
  const flow = nameField("Flow", { names: () => names, most: MOST_SUGGESTED, onChoice: (place) => axis.choose("flow " + names[place]) });
  const link = nameField("Link", { names: () => outputs, most: MOST_SUGGESTED, onChoice: onOutput });
  axis.follow(() => { if (axis.chosen !== "flow " + flow.input.value) flow.input.value = axis.chosen?.replace(/^flow /, "") ?? ""; });
  return names.length > 0 ? [flow.box, link.box] : [link.box];
}

/**
 * Makes the figure. `facts` are the flows of the run, which a page may not know.
 *
 * @param {Fabric} fabric
 * @param {import("./axis.js").TimeAxis} axis
 * @param {FlowFacts} [facts]
 */
export function fabricFigure(fabric, axis, facts = NO_FACTS) {
  const count = fabric.outputs.length / 3;
  const load = { all: shorts(fabric.load), whole: shorts(fabric.whole_load), count };
  const stalled = { all: shorts(fabric.stalled), whole: shorts(fabric.whole_stalled), count };
  const queues = fabric.queue ? shorts(fabric.queue) : null;
  /** @type {{ moment: number | null, colour: Quantity, tree: string, spot: Spot | null }} */
  const view = { moment: fabric.moments.length > 0 ? 0 : null, colour: "stalled", tree: "", spot: null };
  // Without a stall, stalls leave all links grey.
  if (!stalled.whole.some((share) => share > 0) && !stalled.all.some((share) => share > 0)) view.colour = "load";
  const picture = new Picture(fabric);
  const title = element("p", { class: "moment" });
  const words = element("ul", { class: "trees" });
  const choice = element("select", { onchange: () => { view.tree = choice.value; end(); } });
  const table = element("div");
  const details = lazyDetails("Table of the outputs at this moment", () => { fillTable(); return table; });
  const named = (/** @type {number} */ moment) => {
    const from = moment === 0 ? 0 : fabric.moments[moment - 1];
    return spelled(from, "s") + " to " + spelled(fabric.moments[moment], "s");
  };
  const name = () => view.moment === null ? "the whole run" : named(view.moment);
  const found = () => view.moment === null ? { trees: [], further: [] } : treesAt(fabric, view.moment);
  /** @returns {Scene} */
  const scene = () => ({ fabric, facts, load: sharesAt(load, view.moment), stalled: sharesAt(stalled, view.moment), trees: found().trees,
    queue: queues && view.moment !== null ? Array.from(queues.subarray(view.moment * count, (view.moment + 1) * count), (part) => part * (fabric.queue_unit ?? 1)) : null });
  // A pointer asks for it at each move, so that it is made once a moment.
  let now = scene();
  const fillTable = () => table.replaceChildren(outputTable(fabric, now.load, now.stalled, name()));
  const chooseTrees = (/** @type {Found} */ { trees, further }) => {
    const options = [element("option", { value: "" }, "all trees (" + (trees.length + further.length) + ")"),
      ...trees.map((tree) => element("option", { value: tree.root, selected: String(tree.root) === view.tree }, outputName(fabric, tree.root)))];
    choice.replaceChildren(...options);
    choice.disabled = trees.length === 0;
    return trees.filter((tree) => choice.value === "" || String(tree.root) === choice.value);
  };
  const show = () => {
    const all = found();
    const trees = chooseTrees(all);
    now = scene();
    const isAll = choice.value === "";
    const part = axis.subject !== null ? subjectBelonging(fabric, facts, axis.subject) : view.spot ? belonging(now, view.spot) : isAll || !trees[0] ? null : treeBelonging(now, trees[0]);
    picture.state = { colours: now[view.colour], widths: now[view.colour === "load" ? "stalled" : "load"], headline: fabric.headline,
      marks: marksOf(trees, isAll ? all.further : []), chosen: (view.spot || axis.subject !== null) && part ? part : undefined };
    axis.light(part && part.lines.size > 0 ? part.lines : null);
    title.textContent = "From " + name() + ": " + extremes(now.load, now.stalled) + ".";
    picture.canvas.setAttribute("aria-label", title.textContent);
    if (view.moment !== null) words.replaceChildren(...sentences(fabric, isAll ? all : { trees, further: [] }).map((line) => element("li", {}, line)));
    picture.paint();
    told.show(axis.chosen, view.spot);
    if (details.open) fillTable();
  };
  const held = signs(picture, (spot) => tipOf(now, spot), (spot) => {
    view.spot = spot;
    followed = null;
    axis.choose(null);
    if (spot && "bar" in spot) {
      picture.expanded = picture.expanded === spot.bar.leaf ? null : spot.bar.leaf;
      picture.fit();
    }
    show();
  });
  const end = () => {
    held.forget();
    [view.spot, followed] = [null, null];
    axis.choose(null);
    show();
  };
  const told = chosenBox(fabric, facts, axis, end);
  const fields = nameChoices(fabric, facts, axis, (output) => {
    end();
    view.spot = { output };
    show();
  });
  /** Subject that the picture shows.
   * @type {string | null} */
  let followed = null;
  axis.follow(() => {
    if (axis.subject === followed) return;
    followed = axis.subject;
    if (axis.chosen !== null) {
      held.forget();
      view.spot = null;
    }
    show();
  });
  const moments = view.moment === null ? null : player({ count: fabric.moments.length, named, label: "Moment of the picture",
    onMoment: (moment) => { view.moment = moment; axis.mark(fabric.moments[moment]); show(); } });
  /** Time that the picture was last asked for.
   * @type {number | null} */
  let sought = null;
  axis.follow(() => {
    if (axis.sought === sought || axis.sought === null) return;
    sought = axis.sought;
    const moment = fabric.moments.findIndex((end) => end >= Number(sought));
    moments?.set(moment < 0 ? fabric.moments.length - 1 : moment);
  });
  details.addEventListener("toggle", () => details.open && fillTable());
  const controls = element("div", { class: "controls" }, choiceOfColour(picture, view.colour, (value) => { view.colour = value; show(); }),
    element("label", { class: "choice" }, "Trees ", choice), fields, savers("Fabric", { svg: () => picture.svg(), rows: () => outputRows(now) }));
  const figure = element("div", { class: "fabric" }, moments ? moments.box : null, controls, title, held.box, told.box, legend(true, fabric.hosts > MOST_WITHOUT_BARS),
    element("p", { class: "note" }, "Each link has two lanes, one for each direction: traffic keeps to the right. A click on a link lists the flows that use it, a click on a host or a root lights what belongs to it, and a flow's name, here or at a curve, its path; a click beside it, or Escape, ends that."),
    words, details);
  inTurn(() => {
    picture.follow();
    if (moments) moments.set(fabric.opens_at ?? 0);
    else show();
  });
  return figure;
}

/**
 * Returns the outputs of a moment as rows of a table.
 *
 * @param {Scene} scene
 * @returns {Cell[][]}
 */
function outputRows({ fabric, load, stalled, queue, trees }) {
  const role = (/** @type {number} */ output) => trees.some((tree) => tree.root === output) ? "root" : trees.some((tree) => tree.branches.includes(output)) ? "branch" : "";
  return [["output", "load", "stalled", "queue_bytes", "role"], ...load.map((share, output) => [outputName(fabric, output), share, stalled[output], queue ? Math.round(queue[output]) : null, role(output)])];
}
