// The fabric while a run goes on: links by their load and stalls between two reports of progress.
import { element, inTurn, isCalm, lazyDetails, onceInTurn } from "../../crates/page/src/script/dom.js";
import { MOST_WITHOUT_BARS, PARTS, Picture, choiceOfColour, extremes, legend, outputTable } from "../../crates/page/src/script/fabric.js";
import { marksOf } from "../../crates/page/src/script/trees.js";
import { spelled } from "../../crates/page/src/script/format.js";
import type { Graph, PictureState } from "../../crates/page/src/script/types.js";
import type { LiveFabric } from "./simulator.ts";

/** Shortest time between two pictures for readers who ask for less motion, in ms. */
const CALM_MS = 1000;
/** Shortest time between two tables, which a reader may be reading, in ms. */
const TABLE_MS = 1000;

/** Returns the state of a picture with the trees of a report. */
export function marked(colours: number[], widths: number[], trees: LiveFabric["trees"]): PictureState {
  return { colours, widths, marks: marksOf(trees, []) };
}

/** A picture of the fabric, with its legend, and a table of the outputs as its alternative. */
export class LivePicture {
  readonly box: HTMLElement;
  private readonly picture: Picture;
  private readonly title = element("p", { class: "moment" }, "The run begins.");
  private readonly table = element("div");
  private readonly details = lazyDetails("Table of the outputs at this moment", () => this.table);
  /** Load at first: while nothing stalls, stalls leave all links grey. */
  private colour: "load" | "stalled" = "load";
  private load: number[];
  private stalled: number[];
  private trees: LiveFabric["trees"] = [];
  private from = 0;
  private to = 0;
  private drawn = -Infinity;
  private filled = -Infinity;

  constructor(graph: Graph) {
    this.picture = new Picture(graph);
    this.load = Array.from({ length: graph.outputs.length / 3 }, () => 0);
    this.stalled = this.load;
    this.details.addEventListener("toggle", () => this.fill());
    this.box = element("div", { class: "fabric" }, choiceOfColour(this.picture, this.colour, (value) => { this.colour = value; this.draw(); }), this.title, this.picture.holder, legend(true, graph.hosts > MOST_WITHOUT_BARS), this.details);
    this.paint();
    inTurn(() => this.picture.follow());
  }

  /** Shows the shares since the report before; under reduced motion, at most once a second. */
  show({ from_s, to_s, load, stalled, trees }: LiveFabric): void {
    if (to_s <= from_s || isCalm() && performance.now() - this.drawn < CALM_MS) return;
    this.load = Array.from(load, (part) => part / PARTS);
    this.stalled = Array.from(stalled, (part) => part / PARTS);
    this.trees = trees;
    [this.from, this.to] = [from_s, to_s];
    this.drawn = performance.now();
    this.draw();
  }

  private readonly draw = onceInTurn(() => {
    if (this.to > this.from) this.title.textContent = "From " + spelled(this.from, "s") + " to " + spelled(this.to, "s") + ": " + extremes(this.load, this.stalled) + ".";
    this.paint();
    this.fill();
  });

  private paint(): void {
    const [colours, widths] = this.colour === "load" ? [this.load, this.stalled] : [this.stalled, this.load];
    this.picture.state = marked(colours, widths, this.trees);
    this.picture.canvas.setAttribute("aria-label", this.title.textContent ?? "");
    this.picture.paint();
  }

  private fill(): void {
    if (!this.details.open || performance.now() - this.filled < TABLE_MS) return;
    this.filled = performance.now();
    this.table.replaceChildren(outputTable(this.picture.fabric, this.load, this.stalled, spelled(this.to, "s")));
  }
}
