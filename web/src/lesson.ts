// The page of a lesson: its sentences, a button for its run and one for each thing to try, and what is to be seen.
import { button, element, withCode } from "../../crates/page/src/script/dom.js";
import { short } from "../../crates/page/src/script/format.js";
import { column } from "../../crates/page/src/script/arrays.js";
import type { Engine } from "./run.ts";
import { LESSONS, type Lesson, type Sight, type Stated, type Tried } from "./lessons.ts";
import { encoded, type Case } from "./share.ts";
import type { Outcome } from "./side.ts";
import type { Result } from "./simulator.ts";
import { wordList } from "./words.ts";
import { Workbench, type Outcomes } from "./workbench.ts";

/** Returns the goodput of a flow, group or of all over the second half of the last phase, in bit/s. */
export function goodput(result: Result, name: string): number | null {
  const table = result.tables.find((one) => one.id === "phases-csv");
  if (!table) return null;
  const values = (of: string) => column(table.values[table.columns.findIndex(([column]) => column === of)] ?? []);
  const [changes, kinds, names, goodputs] = [values("change"), values("kind"), values("name"), values("second_half_goodput_bps")];
  const last = changes[changes.length - 1];
  const row = names.findLastIndex((_, at) => changes[at] === last && (name === "total" ? kinds[at] === "total" : kinds[at] !== "total" && names[at] === name));
  return row < 0 ? null : goodputs[row] as number;
}

/** Returns a goodput in Gb/s with as many decimals as a stated one. */
function likewise(bps: number, stated: string): string {
  return (bps / 1e9).toFixed(stated.split(".")[1]?.length ?? 0);
}

/** Returns the links to all lessons. */
export function lessonList(): HTMLElement {
  return element("div", { class: "lessons" }, element("h1", {}, "Lessons"), element("p", { class: "lead" }, "Seven short pages, each with a scenario, two things to try, and what to see."),
    element("ol", {}, LESSONS.map(({ id, title, sentences }) => element("li", {}, element("a", { href: "#lesson=" + id }, title), element("p", { class: "note" }, withCode(sentences[0]))))));
}

/** The page. */
export class LessonPage {
  readonly box: HTMLElement;
  private readonly workbench: Workbench;
  private readonly sight = element("div", { class: "sight", "aria-live": "polite" });
  private of: Case;
  private sights: (Sight & { label?: string })[];

  constructor(engine: Engine, private readonly lesson: Lesson) {
    const text = engine.shipped.find((one) => one.name === lesson.scenario)?.text ?? "";
    this.of = { scenario: lesson.scenario, text: null, seed: null, a: lesson.base.sets, b: null };
    this.sights = [lesson.base];
    this.workbench = new Workbench(() => ({ of: this.of, text, labels: ["The lesson's run", "Your try"], duration: 0 }), (outcomes) => this.tell(outcomes));
    const choices = lesson.tries.map((one) => button(one.label, () => this.choose(one), { class: "try" }));
    const place = LESSONS.indexOf(lesson);
    const next = LESSONS[place + 1];
    this.box = element("article", { class: "lesson" }, element("p", { class: "note" }, "Lesson " + (place + 1) + " of " + LESSONS.length), element("h1", {}, lesson.title),
      lesson.sentences.map((sentence) => element("p", { class: "lead" }, withCode(sentence))), wordList(),
      element("h2", {}, "Try"), element("div", { class: "tries" }, button("Run the lesson", () => this.choose(null), { class: "run" }), choices),
      element("p", { class: "note" }, "A thing to try runs beside the lesson's own run, with the same random streams."),
      this.sight, this.workbench.bar, this.workbench.box,
      element("p", { class: "onward" }, button("Open in the playground", () => void this.open()), next ? element("a", { href: "#lesson=" + next.id }, "Next: " + next.title) : element("a", { href: "#" }, "On to the playground")));
    this.tell(null);
  }

  leave(): void {
    this.workbench.clear();
  }

  private choose(tried: Tried | null): void {
    this.workbench.clear();
    this.of = { ...this.of, b: tried?.sets ?? null };
    this.sights = tried === null ? [this.lesson.base] : [this.lesson.base, tried];
    this.tell(null);
    void this.workbench.run();
  }

  private async open(): Promise<void> {
    location.hash = await encoded(this.of);
  }

  private tell(outcomes: Outcomes | null): void {
    const all = outcomes ? [outcomes.a, outcomes.b] : [];
    this.sight.replaceChildren(element("h2", {}, "What to see"), ...this.sights.map((sight, place) => shown(sight, all[place] ?? null)));
  }
}

/** Returns what a run shows: its words, and its goodputs as stated and as they came out. */
function shown(sight: Sight & { label?: string }, outcome: Outcome | null): HTMLElement {
  const result = outcome && "result" in outcome ? outcome.result : null;
  const parts: HTMLElement[] = [element("h3", {}, sight.label ?? "The lesson's run"), element("p", {}, withCode(sight.see))];
  if (sight.stated.length > 0) parts.push(table(sight.stated, result));
  if (outcome && sight.ends) {
    const isSo = "ended" in outcome && outcome.ended.how === sight.ends;
    parts.push(element("p", { class: "verdict", "data-holds": String(isSo) }, isSo ? "Your run ended in a deadlock, as stated." : "Your run did not end in a deadlock."));
  }
  if (result && sight.stated.length > 0) {
    const isSo = sight.stated.every(({ name, gbps }) => likewise(goodput(result, name) ?? NaN, gbps) === gbps);
    parts.push(element("p", { class: "verdict", "data-holds": String(isSo) }, isSo ? "Your run gives the stated numbers." : "Your run gives other numbers than stated: please report that."));
  }
  return element("div", { class: "seen" }, parts);
}

function table(stated: Stated[], result: Result | null): HTMLElement {
  const own = (one: Stated) => {
    const bps = result ? goodput(result, one.name) : null;
    return bps === null ? "–" : likewise(bps, one.gbps);
  };
  const share = (one: Stated) => short(Number(one.gbps) / Math.max(...stated.map((other) => Number(other.gbps))) * 100) + " %";
  const bar = (one: Stated) => element("meter", { min: 0, max: Math.max(...stated.map((other) => Number(other.gbps))), value: one.gbps, "aria-hidden": "true", title: share(one) });
  return element("table", { class: "stated" }, element("caption", {}, "Goodput over the second half of the last phase, in Gb/s"),
    element("thead", {}, element("tr", {}, ["Gb/s", "stated", "your run", ""].map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, stated.map((one) => element("tr", {}, element("th", { scope: "row" }, one.name), element("td", { class: "number" }, one.gbps), element("td", { class: "number own" }, own(one)), element("td", {}, bar(one))))));
}
