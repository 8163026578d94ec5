// One run: its progress and curves while it goes on, and its results.
import { button, element, isCalm, lazyDetails } from "../../crates/page/src/script/dom.js";
import { counted, spelled } from "../../crates/page/src/script/format.js";
import { curves } from "../../crates/page/src/script/curves.js";
import { dataTable } from "../../crates/page/src/script/table.js";
import { fabricFigure } from "../../crates/page/src/script/fabric.js";
import { rankFigure } from "../../crates/page/src/script/ranks.js";
import { flowFacts } from "../../crates/page/src/script/facts.js";
import { TimeAxis } from "../../crates/page/src/script/axis.js";
import type { PageTable, Panel } from "../../crates/page/src/script/types.js";
import { RunEnded, type Progress, type Result } from "./simulator.ts";
import { LivePicture } from "./live.ts";
import { Run, type Task } from "./run.ts";

/** What a run tells while it goes on, and how fast it may go. */
export interface Around {
  onProgress(progress: Progress): void;
  /** Most simulated time in s in a second; `null` for as fast as it goes. */
  pace: number | null;
}

/** Quantities at the axes of panels. */
const QUANTITIES: Record<string, string> = { ranks: "share of ranks", goodput: "goodput", queues: "queue", rates: "rate", marks: "marks" };
/** Tables of the section on victims. */
const HOLDERS = ["roots-csv", "contributors-csv", "victims-csv"];
/** Hosts of a fabric beyond which its picture takes the width of two figures. */
const LARGE_HOSTS = 64;

/** Shortest time between two states of the curves for readers who ask for less motion, in ms. */
const CALM_MS = 1000;

/** How a run ended. */
export type Outcome = { result: Result } | { ended: RunEnded };

/** A run on the page. */
export class Side {
  readonly box: HTMLElement;
  private readonly bar = element("progress", { max: 1, value: 0 });
  private readonly words = element("p", { class: "status" });
  private readonly body = element("div", { class: "outcome" });
  private live: Live | null = null;
  private run: Run | null = null;

  /** `name` is A or B; `isAlone` if there is no other run beside it. */
  constructor(readonly name: string, private readonly isAlone: boolean, private readonly around: Around) {
    this.bar.setAttribute("aria-label", "Progress of run " + name);
    const heading = element("h2", {}, isAlone ? "The run" : "Run " + name);
    this.box = element("section", { class: "side", "data-side": name, "aria-label": isAlone ? "The run" : "Run " + name }, heading, this.bar, this.words, this.body);
  }

  /** Runs a task to its end, and shows it. `command` gives the same digest natively. */
  async start(task: Task, axis: TimeAxis, command: string): Promise<Outcome> {
    this.box.dataset.state = "running";
    this.body.replaceChildren();
    this.live = { axis, figures: new Map(), picture: null, box: element("div", { class: "live" }), drawn: -Infinity };
    this.body.append(this.live.box);
    this.words.textContent = "Starting.";
    this.run = new Run(task, this.around.pace, (progress) => this.progress(progress));
    let outcome: Outcome;
    try {
      outcome = { result: await this.run.result };
    } catch (error) {
      outcome = { ended: error instanceof RunEnded ? error : new RunEnded("panic", String(error)) };
    }
    this.live = null;
    this.run = null;
    if ("result" in outcome) await this.results(outcome.result, axis, command);
    else this.ended(outcome.ended, command);
    this.box.dataset.state = "done";
    return outcome;
  }

  pause(): void { this.run?.pause(); }
  resume(): void { this.run?.resume(); }
  hurry(): void { this.run?.hurry(); }
  cancel(): void { this.run?.cancel(); }

  private progress(progress: Progress): void {
    const { now_s, end_s, events, panels, graph, fabric } = progress;
    this.bar.value = end_s > 0 ? now_s / end_s : 0;
    this.around.onProgress(progress);
    this.words.textContent = spelled(now_s, "s") + " of " + spelled(end_s, "s") + ", " + counted(events, "event") + ".";
    if (!this.live) return;
    this.live.axis.reach(end_s);
    if (this.live.picture === null) {
      this.live.picture = new LivePicture(graph);
      this.live.box.append(section("The fabric now", this.live.picture.box));
    }
    this.live.picture.show(fabric);
    if (isCalm() && performance.now() - this.live.drawn < CALM_MS) return;
    this.live.drawn = performance.now();
    for (const panel of panels) {
      const known = this.live.figures.get(panel.id);
      if (known && known.lines === panel.lines.length) {
        known.figure.update([...panel.x], panel.lines.map((line) => [...line.y]));
        continue;
      }
      if (panel.x.length === 0) continue;
      const figure = this.curves(panel, this.live.axis);
      if (known) known.figure.parentElement?.replaceWith(section(panel.heading, figure));
      else this.live.box.append(section(panel.heading, figure));
      this.live.figures.set(panel.id, { figure, lines: panel.lines.length });
    }
  }

  private curves(panel: Panel, axis: TimeAxis): ReturnType<typeof curves> {
    return curves({ ...panel, quantity: QUANTITIES[panel.id] ?? panel.quantity }, axis);
  }

  /** Shows the results, a section after the other, so that the page answers between them. */
  private async results(result: Result, axis: TimeAxis, command: string): Promise<void> {
    this.bar.value = 1;
    this.words.textContent = (this.isAlone ? "The run" : "Run " + this.name) + " is complete.";
    this.body.replaceChildren();
    for (const [part, make] of this.sections(result, axis, command)) {
      const isLarge = part === "fabric" && (result.fabric?.hosts ?? 0) > LARGE_HOSTS;
      this.body.append(element("div", { "data-part": part, class: isLarge ? "large" : null }, make()));
      await breath();
    }
    performance.mark("results shown");
  }

  /** Returns what makes the sections of the results, by the names under which the sections of two runs stand beside each other (style.css). */
  private sections(result: Result, axis: TimeAxis, command: string): [string, () => HTMLElement[]][] {
    axis.phases = result.phases;
    axis.reach(result.end_s);
    const { fabric, completions, timelines } = result;
    // Shares of ranks stand with the ranks, above the fabric.
    const shares = result.panels.filter((panel) => panel.id === "ranks");
    const panels = result.panels.filter((panel) => panel.id !== "ranks");
    const holders = result.tables.filter((table) => HOLDERS.includes(table.id) && table.rows > 0);
    const others = result.tables.filter((table) => !HOLDERS.includes(table.id));
    const curve = (panel: Panel): [string, () => HTMLElement[]] => [panel.id, () => [section(panel.heading, element("p", { class: "note" }, panel.about), this.curves(panel, axis))]];
    const ranks = () => [...timelines.map((one) => section("Ranks of " + one.job + " over time", element("p", { class: "note" }, one.about), rankFigure(one, axis))),
      ...shares.flatMap((panel) => curve(panel)[1]())];
    return [
      ["digest", () => [provenance(result, command), ...result.leads.map((lead) => element("p", {}, lead))]],
      ...timelines.length + shares.length > 0 ? [["ranks", ranks] as [string, () => HTMLElement[]]] : [],
      ["fabric", () => fabric ? [section("The fabric, played back", fabricFigure(fabric, axis, flowFacts(result.tables, fabric)))] : []],
      ...panels.slice(0, 1).map(curve),
      ["holders", () => [section("Who was held back, by whom", ...(holders.length > 0 ? holders.map(titled)
        : [element("p", {}, "No flow was held back by a congestion tree to which it did not contribute.")]))]],
      ...panels.slice(1).map(curve),
      ["completions", () => completions ? [section("Completions", element("p", { class: "note" }, completions.about), curves({ ...completions, quantity: "share of posted messages" }, null))] : []],
      ["tables", () => [section("Tables", ...others.map((table) => lazyDetails(table.heading, () => dataTable(table))))]],
      ["files", () => [section("Files", element("p", { class: "note" }, "The files that ", element("code", {}, "backwater sim"), " writes. A button makes the file in this page; nothing is sent."), downloads(result))]],
    ];
  }

  private ended(ended: RunEnded, command: string): void {
    const words: Record<string, string> = {
      cancelled: "Cancelled.", deadlock: "The run ended in a deadlock.", violation: "The run violated an invariant of the simulator, which is a bug of it.",
      refused: "The scenario cannot run here.", panic: "The simulator failed, which is a bug of it.",
    };
    this.words.textContent = words[ended.how] ?? "The run ended early.";
    const message = ended.how === "cancelled" ? [] : [element("pre", { class: "message", tabindex: "0" }, ended.message), commandLine(command)];
    this.body.replaceChildren(...message);
  }
}

/** What the page shows of a run that goes on. */
interface Live {
  axis: TimeAxis;
  figures: Map<string, { figure: ReturnType<typeof curves>; lines: number }>;
  picture: LivePicture | null;
  box: HTMLElement;
  /** Time of the last state of the curves, in ms. */
  drawn: number;
}

/** Returns once the page has answered what waits. */
function breath(): Promise<void> {
  return new Promise((done) => { setTimeout(done, 0); });
}

function section(heading: string, ...contents: HTMLElement[]): HTMLElement {
  return element("section", { class: "figure" }, element("h3", {}, heading), contents);
}

function titled(table: PageTable): HTMLElement {
  return element("div", {}, element("h4", {}, table.heading), dataTable(table));
}

/** Returns the command line that gives the same digest, with a button that copies it. */
export function commandLine(command: string): HTMLElement {
  const said = element("span", { class: "note", role: "status" });
  const copy = button("Copy", async () => {
    await navigator.clipboard.writeText(command).then(() => { said.textContent = " Copied."; }, () => { said.textContent = " Select the text to copy it."; });
  }, { "aria-label": "Copy the command line" });
  return element("p", { class: "command" }, element("code", { tabindex: "0" }, command), " ", copy, said);
}

function provenance(result: Result, command: string): HTMLElement {
  return element("div", { class: "provenance" }, element("p", {}, "Digest ", element("code", { class: "digest" }, result.digest), ". This command gives the same natively:"), commandLine(command));
}

function downloads(result: Result): HTMLElement {
  return element("ul", { class: "files" }, result.files.map(({ name, contents }) =>
    element("li", {}, button(name, () => save(name, contents)), " ", spelled(contents.length, "B"))));
}

/** Offers a text as a file. */
export function save(name: string, contents: BlobPart): void {
  const address = URL.createObjectURL(new Blob([contents], { type: "text/plain" }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
