// The stage: the runs of a case side by side, as moving pictures, with one chart of the flow that the reader follows.
import { element } from "../../../crates/page/src/script/dom.js";
import { onColours } from "../../../crates/page/src/script/palette.js";
import type { Panel } from "../../../crates/page/src/script/types.js";
import type { Outcome } from "../side.ts";
import type { Progress, Result } from "../simulator.ts";
import { Board, MOST_HOSTS, type Rates } from "./board.ts";
import type { Cast } from "./cast.ts";
import { goodputs } from "./goodputs.ts";
import { Race } from "./race.ts";
import { arranged } from "./scene.ts";

/** A side of the stage: a run before it begins. */
export interface Part {
  cast: Cast;
  label: string;
}

/** Height of a small fabric's picture, in px: with room for four hosts one below the other. */
const HEIGHT = 190;
const LOW = 150;
const NARROW = 700;
/** Room of a host in a column with as many again on the other side, in px. */
const ROOM = 30;

/** The stage. */
export class Stage {
  readonly box: HTMLElement;
  private readonly boards = element("div", { class: "boards" });
  private readonly race = new Race();
  private readonly legend = element("p", { class: "note stage-legend" });
  private readonly scales = element("p", { class: "note", hidden: true }, "The bar of a group has a scale of its own: its highest goodput in these runs.");
  private parts: Part[] = [];
  private shown: Board[] = [];
  private panels: (Panel | null)[] = [];
  private finals: (Rates | null)[] = [];
  private ends = 0;
  private followed: string | null = null;
  private wanted: string | null = null;
  private said: string | undefined = undefined;
  private says: [number, string][] = [];
  /** Called with words of the moment. */
  onWords: (words: string) => void = () => {};

  constructor() {
    this.race.box.hidden = true;
    this.box = element("div", { class: "stage" }, this.boards, this.scales, this.legend, this.race.box);
    onColours(this.box, () => this.shown.forEach((board) => board.paint()));
  }

  /** Sets the flow to follow, by name; `null` for the one that the page takes for the victim. `says` are words, each from a time in s on. */
  want(name: string | null, says: [number, string][]): void {
    this.wanted = name;
    this.says = says;
  }

  /** Shows runs before they begin. The same runs keep what they show. */
  prepare(parts: Part[]): void {
    const isSame = parts.length === this.parts.length && parts.every(({ cast, label }, at) => label === this.parts[at]?.label && JSON.stringify(cast.graph) === JSON.stringify(this.parts[at]?.cast.graph)
      && JSON.stringify(cast.flows) === JSON.stringify(this.parts[at]?.cast.flows));
    if (isSame) return;
    this.parts = parts;
    this.lay();
  }

  /** Empties the pictures, before runs begin. */
  begin(): void {
    this.said = undefined;
    this.lay();
  }

  progress(place: number, progress: Progress): void {
    const board = this.shown[place];
    if (!board) return;
    board.progress(progress);
    this.panels[place] = progress.panels.find(({ id }) => id === "goodput") ?? null;
    this.ends = Math.max(this.ends, progress.end_s);
    const said = this.says.findLast(([from]) => from <= progress.now_s)?.[1];
    if (place === 0 && said !== undefined && said !== this.said) this.onWords(said);
    if (place === 0) this.said = said;
    this.tell();
  }

  ended(place: number, outcome: Outcome): void {
    if ("result" in outcome) {
      const { result } = outcome;
      this.panels[place] = result.panels.find(({ id }) => id === "goodput") ?? null;
      const named = (this.panels[place]?.lines ?? []).filter(({ kind }) => kind === "flow" || kind === "group").map(({ name }) => name);
      this.finals[place] = new Map([...goodputs(result)].filter(([name]) => named.includes(name)));
    }
    this.shown[place]?.end();
    this.said = undefined;
    this.tell();
  }

  /** Returns the name of the flow or group that the page follows, and what it got in each run. */
  answer(results: (Result | null)[]): { name: string; rates: (number | null)[] } | null {
    const name = this.name();
    if (name === null) return null;
    return { name, rates: results.map((result) => result && (goodputs(result).get(name) ?? null)) };
  }

  private lay(): void {
    const least = this.box.clientWidth < NARROW && this.box.clientWidth > 0 ? LOW : HEIGHT;
    const height = Math.max(least, ROOM * Math.max(0, ...this.parts.map(({ cast }) => cast.graph.hosts / 2)));
    this.followed = this.wanted ?? victimOf(this.parts[0]?.cast.flows.map(({ name }) => name) ?? []);
    this.panels = [];
    this.finals = [];
    this.ends = 0;
    this.shown = this.parts.map(({ cast, label }) => new Board(cast, label, this.followed, height, (name) => this.follow(name)));
    this.boards.replaceChildren(...this.shown.map((board) => board.box));
    this.boards.classList.toggle("two", this.parts.length === 2);
    const isMoving = (this.parts[0]?.cast.graph.hosts ?? 0) <= MOST_HOSTS;
    this.legend.replaceChildren(...isMoving ? [sign("dot"), "packets: on a link a sample, as dense as its load; " + (isBoxed(this.parts[0]) ? "in a switch those that wait. " : "beside a switch those that wait in it, a dot for four. "), sign("held"), "an output that may not send: the buffer at its far end is full."]
      : ["Links: colour for stalls, width for load."]);
    this.race.box.hidden = true;
    this.scales.hidden = true;
  }

  private name(): string | null {
    if (this.followed !== null) return this.followed;
    const lines = this.panels.find((panel) => panel !== null && panel !== undefined)?.lines ?? [];
    return victimOf(lines.filter(({ kind }) => kind === "flow" || kind === "group").map(({ name }) => name)) ?? lines[0]?.name ?? null;
  }

  private follow(name: string): void {
    this.wanted = name;
    this.followed = name;
    this.shown.forEach((board) => board.follow(name));
    this.tell();
  }

  private tell(): void {
    const rates = this.shown.map((board, place) => this.finals[place] ?? board.rates);
    const scale = scaleOf(rates, this.panels);
    this.shown.forEach((board, place) => board.show(rates[place] as Rates, scale));
    this.scales.hidden = !this.panels.some((panel) => panel?.lines.some(({ kind }) => kind === "group"));
    const name = this.name();
    if (name === null) return;
    const courses = this.parts.flatMap(({ label }, place) => {
      const line = this.panels[place]?.lines.find((one) => one.name === name);
      return line ? [{ label, x: this.panels[place]?.x ?? [], y: line.y }] : [];
    });
    if (courses.length === 0) return;
    this.race.box.hidden = false;
    this.race.show(name, courses, this.ends);
  }
}

/** Returns the scales of bars: flows share that of the highest rate, and a group, which may have thousands of flows, has its own highest goodput. */
function scaleOf(rates: Rates[], panels: (Panel | null)[]): (name: string) => number {
  const groups = new Map<string, number>();
  for (const { name, kind, y } of panels.flatMap((panel) => panel?.lines ?? [])) {
    if (kind === "group") groups.set(name, [...y].reduce<number>((most, value) => Math.max(most, value ?? 0), groups.get(name) ?? 1));
  }
  const most = Math.max(1, ...rates.flatMap((one) => [...one].flatMap(([name, rate]) => groups.has(name) ? [] : [rate])));
  return (name) => groups.get(name) ?? most;
}

/** Returns the flow that is likely to be the victim, by its name, else the first. */
function victimOf(names: string[]): string | null {
  return names.find((name) => /victim/i.test(name)) ?? names.find((name) => name === "V") ?? names[0] ?? null;
}

/** Returns true if each waiting packet has a dot. */
function isBoxed(part: Part | undefined): boolean {
  return part !== undefined && arranged(part.cast.graph, part.cast.flows, NARROW, HEIGHT).isBoxed;
}

function sign(kind: string): HTMLElement {
  return element("span", { class: "stage-sign " + kind, "aria-hidden": "true" });
}
