// The place of a case's runs: one, or two side by side with the same random streams, with their stage and common controls.
import { button, element, isCalm, withCode } from "../../crates/page/src/script/dom.js";
import { percent, spelled } from "../../crates/page/src/script/format.js";
import { TimeAxis } from "../../crates/page/src/script/axis.js";
import { answer } from "./answer.ts";
import { command, encoded, pathOf, sourceName, valueOf, type Case } from "./share.ts";
import { Side, type Outcome } from "./side.ts";
import { noteSpeed, timeInWords, timeOf } from "./speed.ts";
import { Stage } from "./stage/stage.ts";

/** Outcomes of the runs of a case. */
export interface Outcomes {
  a: Outcome;
  b: Outcome | null;
}

/** A case that can run: its text, and the names of its runs. */
export interface Ready {
  of: Case;
  text: string;
  /** Names of the runs, for readers. */
  labels: string[];
  /** Simulated time in s. */
  duration: number;
}

/** Shares of a run at which the page says how far it is. */
const TOLD = [0.25, 0.5, 0.75];
/** Elapsed time of a run in slow motion, in s. */
const SLOW_S = 6;
/** Time of a run from which on it is told before, in s. */
const LONG_S = 2;

/** Controls of the runs of a case, and the runs. */
export class Workbench {
  /** The controls. */
  readonly bar: HTMLElement;
  /** The runs. */
  readonly box: HTMLElement;
  /** Moving pictures of the runs, with the answer above them. */
  readonly stage = new Stage();
  readonly headline = element("div", { class: "headline" });
  /** Place of the buttons, for others that a page has. */
  readonly toolbar: HTMLElement;
  private readonly begin = button("Run", () => void this.run(), { class: "run" });
  private readonly hold = button("Pause", () => this.toggle(), { disabled: true });
  private readonly cancel = button("Cancel", () => this.stop(), { disabled: true });
  private readonly hurry = button("Skip to the end", () => this.sides.forEach((side) => side.hurry()), { hidden: true });
  private readonly slow = element("input", { type: "checkbox" });
  private readonly cost = element("span", { class: "note cost" });
  private readonly said = element("p", { class: "said", role: "status", "aria-live": "polite" });
  private readonly link = element("input", { type: "text", readonly: true, class: "link", "aria-label": "Link to this case", hidden: true });
  private readonly range = element("div", { class: "time", role: "group", "aria-label": "Range of time of all curves", hidden: true });
  private readonly differences = element("div");
  private readonly place = element("div", { class: "sides" });
  private sides: Side[] = [];
  private isPaused = false;

  /** `current` returns the case, or `null` while it has a fault. */
  constructor(private readonly current: () => Ready | null, private readonly onDone: (outcomes: Outcomes) => void = () => {}) {
    const share = button("Share", () => void this.share());
    this.toolbar = element("div", { class: "toolbar" }, this.begin, this.hold, this.cancel, this.hurry,
      element("label", { class: "slow", title: "Runs take some seconds, so that packets can be seen" }, this.slow, "slow motion"), share);
    this.bar = element("div", { class: "bar", id: "run", role: "group", "aria-label": "Run", tabindex: "-1" }, this.toolbar, this.link, element("div", { class: "tellings" }, this.said, this.cost));
    this.stage.onWords = (words) => this.headline.replaceChildren(element("p", { class: "answer" }, withCode(words)));
    this.box = element("div", { class: "workbench" }, this.range, this.differences, this.place);
  }

  /** Chooses whether runs go slowly enough to be watched. Readers who ask for less motion have them as fast as they go. */
  watch(isSlow: boolean): void {
    this.slow.checked = isSlow && !isCalm();
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

  /** True if a run has begun since the page showed this case. */
  hasRun = false;

  /** Says how long a run of these events takes, if it takes long. */
  expect(events: number): void {
    const seconds = timeOf(events);
    this.cost.textContent = seconds === null || seconds < LONG_S ? "" : "A run takes " + timeInWords(events) + ".";
  }

  get isRunning(): boolean {
    return this.sides.length > 0;
  }

  /** Stops the runs, and takes their results from the page. */
  clear(): void {
    this.stop();
    this.sides = [];
    this.working(false);
    this.place.replaceChildren();
    this.differences.replaceChildren();
    this.headline.replaceChildren();
    this.range.hidden = true;
    this.link.hidden = true;
    this.said.textContent = "";
  }

  /** Runs the case, in place of runs that go on. */
  async again(): Promise<Outcomes | null> {
    this.clear();
    return this.run();
  }

  /** Runs the case. */
  async run(): Promise<Outcomes | null> {
    const now = this.current();
    if (now === null || this.isRunning) return null;
    const { of, text, labels } = now;
    const axis = new TimeAxis(0);
    const settings = of.b === null ? [of.a] : [of.a, of.b];
    const pace = this.slow.checked ? now.duration / SLOW_S : null;
    const sides = settings.map((_, place) => {
      const tell = this.teller(settings.length === 1 ? "The run" : "Run " + "AB"[place]);
      return new Side("AB"[place] as string, of.b === null, { pace, onProgress: (progress) => {
        tell(progress.end_s > 0 ? progress.now_s / progress.end_s : 0);
        if (this.sides === sides) this.stage.progress(place, progress);
      } });
    });
    this.sides = sides;
    this.hasRun = true;
    this.headline.replaceChildren();
    this.stage.begin();
    this.place.replaceChildren(...sides.map((side) => side.box));
    this.place.classList.toggle("two", sides.length === 2);
    this.differences.replaceChildren(...(of.b === null ? [] : [differences(of.a, of.b)]));
    this.timeControls(axis);
    performance.mark("run begins");
    this.working(true);
    this.hurry.hidden = pace === null;
    this.said.textContent = sides.length === 2 ? "Both runs go on." : "The run goes on.";
    const outcomes = await Promise.all(sides.map(async (side, place) => {
      const outcome = await side.start({ name: sourceName(of), text, sets: settings[place] as string[], seed: of.seed }, axis, command(of, settings[place] as string[]));
      if (this.sides === sides) this.stage.ended(place, outcome);
      return outcome;
    }));
    const all: Outcomes = { a: outcomes[0] as Outcome, b: outcomes[1] ?? null };
    if (this.sides !== sides) return null;
    this.working(false);
    this.sides = [];
    outcomes.forEach((one) => { if ("result" in one) noteSpeed(one.result); });
    this.headline.replaceChildren(...answer(this.stage, outcomes, labels));
    this.said.textContent = outcomes.map((one, place) => (sides.length === 2 ? "Run " + "AB"[place] + ": " : "") + words(one)).join(" ");
    this.onDone(all);
    return all;
  }

  /** Shows what the page says while nothing has run. */
  promise(words: string): void {
    if (!this.isRunning && this.place.childElementCount === 0) this.headline.replaceChildren(element("p", { class: "answer" }, withCode(words)));
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
    if (!isWorking) this.hurry.hidden = true;
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
    history.replaceState(history.state, "", "#" + fragment);
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
