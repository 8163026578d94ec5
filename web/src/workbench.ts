// The place of a case's runs: one, or two side by side with the same random streams, with their common controls.
import { button, element } from "../../crates/page/src/script/dom.js";
import { percent, spelled } from "../../crates/page/src/script/format.js";
import { TimeAxis } from "../../crates/page/src/script/axis.js";
import { command, encoded, pathOf, sourceName, valueOf, type Case } from "./share.ts";
import { Side, type Outcome } from "./side.ts";

/** Outcomes of the runs of a case. */
export interface Outcomes {
  a: Outcome;
  b: Outcome | null;
}

/** Shares of a run at which the page says how far it is. */
const TOLD = [0.25, 0.5, 0.75];

/** Controls of the runs of a case, and the runs. */
export class Workbench {
  /** The controls. */
  readonly bar: HTMLElement;
  /** The runs. */
  readonly box: HTMLElement;
  /** Place among the controls for that of a second run. */
  readonly second = element("span");
  private readonly begin = button("Run", () => void this.run(), { class: "run" });
  private readonly hold = button("Pause", () => this.toggle(), { disabled: true });
  private readonly cancel = button("Cancel", () => this.stop(), { disabled: true });
  private readonly said = element("p", { class: "said", role: "status", "aria-live": "polite" });
  private readonly link = element("input", { type: "text", readonly: true, class: "link", "aria-label": "Link to this case", hidden: true });
  private readonly range = element("div", { class: "time", role: "group", "aria-label": "Range of time of all curves", hidden: true });
  private readonly differences = element("div");
  private readonly place = element("div", { class: "sides" });
  private sides: Side[] = [];
  private isPaused = false;

  /** `current` returns the case and its text, or `null` while it has a fault. */
  constructor(private readonly current: () => { of: Case; text: string } | null, private readonly onDone: (outcomes: Outcomes) => void = () => {}) {
    const share = button("Share", () => void this.share());
    this.bar = element("div", { class: "bar", id: "run", role: "group", "aria-label": "Run", tabindex: "-1" }, element("div", { class: "toolbar" }, this.begin, this.hold, this.cancel, this.second, share, this.range), this.link, this.said);
    this.box = element("div", { class: "workbench" }, this.differences, this.place);
  }

  /** Allows or forbids a new run, and says why not. */
  allow(isAllowed: boolean, reason: string): void {
    this.begin.disabled = !isAllowed || this.sides.length > 0;
    this.begin.title = isAllowed ? "" : reason;
  }

  /** Says something to readers and screen readers. */
  say(words: string): void {
    this.said.textContent = words;
  }

  get isRunning(): boolean {
    return this.sides.length > 0;
  }

  /** Stops the runs, and takes their results from the page. */
  clear(): void {
    this.stop();
    this.place.replaceChildren();
    this.differences.replaceChildren();
    this.range.hidden = true;
    this.link.hidden = true;
    this.said.textContent = "";
  }

  /** Runs the case. */
  async run(): Promise<Outcomes | null> {
    const now = this.current();
    if (now === null || this.isRunning) return null;
    const { of, text } = now;
    const axis = new TimeAxis(0);
    const settings = of.b === null ? [of.a] : [of.a, of.b];
    const sides = settings.map((_, place) => new Side("AB"[place] as string, of.b === null, this.teller(settings.length === 1 ? "The run" : "Run " + "AB"[place])));
    this.sides = sides;
    this.place.replaceChildren(...sides.map((side) => side.box));
    this.place.classList.toggle("two", sides.length === 2);
    this.differences.replaceChildren(...(of.b === null ? [] : [differences(of.a, of.b)]));
    this.timeControls(axis);
    performance.mark("run begins");
    this.working(true);
    this.said.textContent = sides.length === 2 ? "Both runs go on." : "The run goes on.";
    const outcomes = await Promise.all(sides.map((side, place) =>
      side.start({ name: sourceName(of), text, sets: settings[place] as string[], seed: of.seed }, axis, command(of, settings[place] as string[]))));
    const all: Outcomes = { a: outcomes[0] as Outcome, b: outcomes[1] ?? null };
    if (this.sides !== sides) return null;
    this.working(false);
    this.said.textContent = outcomes.map((one, place) => (sides.length === 2 ? "Run " + "AB"[place] + ": " : "") + words(one)).join(" ");
    this.onDone(all);
    return all;
  }

  /** Returns what says, once each, that a run is a quarter, half and three quarters done. */
  private teller(name: string): (done: number) => void {
    let told = 0;
    return (done) => {
      const reached = TOLD.filter((share) => done >= share).length;
      if (reached > told && done < 1) this.said.textContent = name + ": " + percent(TOLD[reached - 1] as number) + " done.";
      told = reached;
    };
  }

  private working(isWorking: boolean): void {
    this.isPaused = false;
    this.hold.textContent = "Pause";
    this.begin.disabled = isWorking;
    this.hold.disabled = !isWorking;
    this.cancel.disabled = !isWorking;
    if (!isWorking) this.sides = [];
  }

  private toggle(): void {
    this.isPaused = !this.isPaused;
    this.sides.forEach((side) => this.isPaused ? side.pause() : side.resume());
    this.hold.textContent = this.isPaused ? "Resume" : "Pause";
    this.said.textContent = this.isPaused ? "Paused." : "Resumed.";
  }

  private stop(): void {
    this.sides.forEach((side) => side.cancel());
  }

  private async share(): Promise<void> {
    const now = this.current();
    if (now === null) return;
    const fragment = await encoded(now.of).catch((fault: Error) => {
      this.said.textContent = fault.message;
      return null;
    });
    if (fragment === null) return;
    history.replaceState(null, "", "#" + fragment);
    this.link.value = location.href;
    this.link.hidden = false;
    this.link.select();
    const copied = await navigator.clipboard.writeText(location.href).then(() => true, () => false);
    this.said.textContent = "The link holds the whole case" + (copied ? ", and is copied." : ": copy it from the field.");
  }

  private timeControls(axis: TimeAxis): void {
    const shown = element("output", { class: "range" });
    axis.follow(() => { shown.textContent = spelled(axis.range[0], "s") + " to " + spelled(axis.range[1], "s"); });
    this.range.replaceChildren(shown, button("Zoom in", () => axis.zoom(0.5)), button("Zoom out", () => axis.zoom(2)),
      button("Earlier", () => axis.move(-0.5)), button("Later", () => axis.move(0.5)), button("Whole run", () => axis.showAll()));
    this.range.hidden = false;
  }
}

function words(outcome: Outcome): string {
  if ("result" in outcome) return "Complete, digest " + outcome.result.digest + ".";
  return outcome.ended.how === "cancelled" ? "Cancelled." : "Ended: " + outcome.ended.how + ".";
}

/** Returns a list of the settings in which two runs differ. */
function differences(a: string[], b: string[]): HTMLElement {
  const paths = [...new Set([...a, ...b].map(pathOf))].filter((path) => valueOf(a, path) !== valueOf(b, path));
  const of = (sets: string[], path: string) => valueOf(sets, path) ?? "as in the scenario";
  if (paths.length === 0) return element("p", { class: "note" }, "A and B have the same settings: their digests are equal.");
  return element("div", { class: "scroll" }, element("table", { class: "differences" }, element("caption", {}, "Differences between A and B"),
    element("thead", {}, element("tr", {}, ["setting", "run A", "run B"].map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, paths.map((path) => element("tr", {}, element("th", { scope: "row" }, element("code", {}, path)), element("td", {}, of(a, path)), element("td", {}, of(b, path)))))));
}
