// The page of a lesson: its sentences, a button for its run and one for each thing to try, and what is to be seen.
import { button, element, withCode } from "../../crates/page/src/script/dom.js";
import { short } from "../../crates/page/src/script/format.js";
import { picture } from "./gallery.ts";
import { check, type Engine } from "./run.ts";
import { LESSONS, type Lesson, type Said, type Sight, type Stated, type Tried } from "./lessons.ts";
import { encoded, type Case } from "./share.ts";
import type { Outcome } from "./side.ts";
import type { Checked, Result } from "./simulator.ts";
import { castOf } from "./stage/cast.ts";
import { goodputs } from "./stage/goodputs.ts";
import { timeOf } from "./speed.ts";
import { wordList } from "./words.ts";
import { Workbench, type Outcomes } from "./workbench.ts";

/** Share by which a goodput may change and still be called about the same. */
const SAME = 0.05;
/** Elapsed time of a run from which on it is not slowed further, in s, and the events of such a run before the speed is known. */
const [SLOW_S, SLOW_EVENTS] = [6, 2e6];
const CHANGES = ["more", "about the same", "less", "nothing: all stops"];

/** Returns a goodput in Gb/s with as many decimals as a stated one. */
function likewise(bps: number, stated: string): string {
  return (bps / 1e9).toFixed(stated.split(".")[1]?.length ?? 0);
}

/** Returns the links to all lessons. */
export function lessonList(): HTMLElement {
  return element("div", { class: "lessons" }, element("h1", {}, "Lessons"), element("p", { class: "lead" }, "Eight short pages. Each has a small fabric that runs beside its text, a guess to make, and two things to try."),
    element("ol", { class: "cards" }, LESSONS.map(({ id, title, guess }, place) => element("li", {}, element("a", { class: "card", href: "#lesson=" + id }, picture("lesson-" + id),
      element("span", { class: "card-title" }, place + 1 + ". " + title), element("span", { class: "card-see" }, withCode(guess.asks)))))));
}

/** The page: text and guess on the left, the fabric and what came out on the right. */
export class LessonPage {
  readonly box: HTMLElement;
  private readonly workbench: Workbench;
  private readonly sight = element("div", { class: "sight", "aria-live": "polite" });
  private readonly judged = element("p", { class: "judged", role: "status" });
  private readonly choices: HTMLButtonElement[];
  private readonly text: string;
  private of: Case;
  private sights: (Sight & { label?: string })[];
  private checked: Checked | null = null;
  private hasLeft = false;
  /** Words on the guess, to be shown once the run is complete. */
  private verdict: string | null = null;

  constructor(private readonly engine: Engine, private readonly lesson: Lesson) {
    this.text = engine.shipped.find((one) => one.name === lesson.scenario)?.text ?? "";
    this.of = { scenario: lesson.scenario, text: null, seed: null, a: lesson.base.sets, b: null };
    this.sights = [lesson.base];
    this.workbench = new Workbench(() => this.checked && { of: this.of, text: this.text, labels: this.labels(), duration: this.checked.facts?.duration_s ?? 0 }, (outcomes) => this.tell(outcomes));
    this.workbench.stage.want(lesson.follow, []);
    const { guess } = lesson;
    this.choices = guess.choices.map((choice, place) => button(withCode(choice), () => this.answer(place), { class: "choice-of" }));
    const place = LESSONS.indexOf(lesson);
    const next = LESSONS[place + 1];
    this.box = element("article", { class: "lesson" }, element("div", { class: "lesson-top" },
      element("div", { class: "lesson-text" }, element("p", { class: "note" }, "Lesson " + (place + 1) + " of " + LESSONS.length), element("h1", {}, lesson.title),
        lesson.sentences.map(({ says }) => element("p", { class: "lead" }, withCode(says)))),
      element("div", { class: "lesson-picture" }, this.workbench.bar, this.workbench.headline, this.workbench.stage.box),
      element("div", { class: "lesson-rest" }, element("h2", {}, "What do you think?"), element("p", {}, withCode(guess.asks)), element("div", { class: "guess" }, this.choices), this.judged, this.sight,
        element("h2", {}, "Try"), element("div", { class: "tries" }, button("Run the lesson", () => this.choose(null), { class: "run" })), lesson.tries.map((one) => this.attempt(one)),
        element("p", { class: "note" }, "A thing to try runs beside the lesson's own run, with the same random streams."), wordList(),
        element("p", { class: "onward" }, button("Open in the playground", () => void this.open()), next ? element("a", { href: "#lesson=" + next.id }, "Next: " + next.title) : element("a", { href: "#" }, "On to the playground")))),
      this.workbench.box);
    this.allow(false, "The scenario is being checked.");
    void this.prepare();
  }

  leave(): void {
    this.hasLeft = true;
    this.workbench.clear();
  }

  /** Shows the fabric before the first run. */
  private async prepare(): Promise<void> {
    const task = (sets: string[]) => ({ name: this.lesson.scenario, text: this.text, sets, seed: null });
    const checked = await check(this.engine, task(this.lesson.base.sets));
    if (this.hasLeft) return;
    this.checked = checked;
    const seconds = timeOf(checked.facts?.events ?? 0);
    this.workbench.watch(seconds === null ? (checked.facts?.events ?? 0) < SLOW_EVENTS : seconds < SLOW_S);
    this.allow(true, "");
    this.set();
  }

  /** Allows or forbids runs, by all buttons that begin one, and says why not. */
  private allow(isRight: boolean, why: string): void {
    this.workbench.allow(isRight, why);
    this.box.querySelectorAll<HTMLButtonElement>(".tries button, .try, .choice-of").forEach((one) => { one.disabled = !isRight; });
  }

  /** Puts the runs of the moment on the stage. */
  private set(): void {
    const cast = castOf(this.checked);
    if (cast) this.workbench.stage.prepare(this.labels().map((label) => ({ cast, label })));
  }

  private labels(): string[] {
    return this.of.b === null ? ["In the lesson's run"] : ["In the lesson's run", "With your try"];
  }

  /** Returns a thing to try, with a guess at what it does. */
  private attempt(tried: Tried): HTMLElement {
    const [before, after] = [this.lesson.base, tried].map(({ stated }) => Number(stated.find(({ name }) => name === this.lesson.follow)?.gbps ?? NaN)) as [number, number];
    const right = tried.ends ? 3 : Math.abs(after - before) <= SAME * before ? 1 : after > before ? 0 : 2;
    const changes = CHANGES.slice(0, this.lesson.tries.some(({ ends }) => ends !== undefined) ? 4 : 3);
    const guess = (place: number) => {
      const answer = (this.lesson.follow + " gets " + (CHANGES[right] as string));
      this.verdict = (place === right ? "Right: " : "Not so: ") + answer + ".";
      this.choose(tried);
    };
    return element("div", { class: "attempt" }, button(withCode(tried.label), () => { this.verdict = null; this.choose(tried); }, { class: "try" }),
      element("p", { class: "note" }, "Guess first: then ", element("code", {}, this.lesson.follow), " gets ", changes.map((change, place) => [button(change, () => guess(place), { class: "choice-of small", "aria-label": tried.label + ": " + this.lesson.follow + " gets " + change }), " "])));
  }

  /** Takes a guess, and runs what gives the answer. */
  private answer(place: number): void {
    const { guess, tries } = this.lesson;
    this.choices.forEach((choice, at) => choice.setAttribute("aria-pressed", String(at === place)));
    this.verdict = place === guess.right ? "Right." : "Not so: " + guess.choices[guess.right];
    this.choose(guess.try === undefined ? null : tries[guess.try] as Tried);
  }

  private choose(tried: Tried | null): void {
    if (this.checked === null) return;
    this.workbench.clear();
    this.of = { ...this.of, b: tried?.sets ?? null };
    this.sights = tried === null ? [this.lesson.base] : [this.lesson.base, tried];
    this.judged.replaceChildren();
    this.sight.replaceChildren();
    this.set();
    void this.workbench.run();
  }

  private async open(): Promise<void> {
    location.hash = await encoded(this.of);
  }

  /** Shows what is to be seen, once there is something. */
  private tell(outcomes: Outcomes): void {
    const all = [outcomes.a, outcomes.b];
    if (this.verdict !== null) this.judged.replaceChildren(...withCode(this.verdict));
    this.verdict = null;
    this.sight.replaceChildren(element("h2", {}, "What to see"), ...this.sights.map((sight, place) => shown(sight, all[place] ?? null)));
    this.sight.scrollIntoView({ block: "nearest" });
  }
}

/** Returns sentences as one paragraph. */
function paragraph(sentences: Said[]): HTMLElement {
  return element("p", {}, withCode(sentences.map(({ says }) => says).join(" ")));
}

/** Returns what a run shows: its words, and its goodputs as stated and as they came out. */
function shown(sight: Sight & { label?: string }, outcome: Outcome | null): HTMLElement {
  const result = outcome && "result" in outcome ? outcome.result : null;
  const parts: HTMLElement[] = [element("h3", {}, sight.label ?? "The lesson's run"), paragraph(sight.see)];
  if (sight.stated.length > 0) parts.push(table(sight.stated, result));
  if (outcome && sight.ends) {
    const isSo = "ended" in outcome && outcome.ended.how === sight.ends;
    parts.push(element("p", { class: "matches", "data-holds": String(isSo) }, isSo ? "Your run ended in a deadlock, as stated." : "Your run did not end in a deadlock."));
  }
  if (result && sight.stated.length > 0) {
    const isSo = sight.stated.every(({ name, gbps }) => likewise(goodputs(result).get(name) ?? NaN, gbps) === gbps);
    parts.push(element("p", { class: "matches", "data-holds": String(isSo) }, isSo ? "Your run gives the stated numbers." : "Your run gives other numbers than stated: please report that."));
  }
  return element("div", { class: "seen" }, parts);
}

function table(stated: Stated[], result: Result | null): HTMLElement {
  const own = (one: Stated) => {
    const bps = result ? goodputs(result).get(one.name) ?? null : null;
    return bps === null ? "–" : likewise(bps, one.gbps);
  };
  const share = (one: Stated) => short(Number(one.gbps) / Math.max(...stated.map((other) => Number(other.gbps))) * 100) + " %";
  const bar = (one: Stated) => element("meter", { min: 0, max: Math.max(...stated.map((other) => Number(other.gbps))), value: one.gbps, "aria-hidden": "true", title: share(one) });
  return element("table", { class: "stated" }, element("caption", {}, "Goodput over the second half of the last phase, in Gb/s"),
    element("thead", {}, element("tr", {}, ["Gb/s", "stated", "your run", ""].map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, stated.map((one) => element("tr", {}, element("th", { scope: "row" }, one.name), element("td", { class: "number" }, one.gbps), element("td", { class: "number own" }, own(one)), element("td", {}, bar(one))))));
}
