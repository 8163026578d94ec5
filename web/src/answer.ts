// The answer of one or two runs, above their pictures: what the followed flow got in each, and the verdict of the worse.
import { element, withCode } from "../../crates/page/src/script/dom.js";
import { spelled } from "../../crates/page/src/script/format.js";
import type { Outcome } from "./side.ts";
import { textOf, type Result } from "./simulator.ts";
import type { Stage } from "./stage/stage.ts";

/** Verdict of a run, as its summary has it (crates/results/src/verdict.rs). */
export interface Verdict {
  loss: string;
  cause: string;
  confidence: string;
  advice: string;
}

/** Rates that differ by less than this share are called the same. */
const SAME = 0.02;

/** Advice within a sentence that is an option of the program, which the page does not have. */
const OPTION = /; `--[^`]*`[^.;]*/g;

/** Returns the verdict of a run, if its summary has it. */
export function verdictOf(result: Result): Verdict | null {
  const summary = textOf(result, "summary.json");
  if (summary === null) return null;
  const { verdict } = JSON.parse(summary) as { verdict?: Verdict | null };
  return verdict?.loss ? verdict : null;
}

/** Returns the words of a run's label within a sentence. */
function inside(label: string): string {
  const [, run, settings] = /^(Run [AB]): (.*)$/.exec(label) ?? [];
  if (run !== undefined) return "in r" + run.slice(1) + " (" + settings + ")";
  return label.charAt(0).toLowerCase() + label.slice(1);
}

/** Returns the answer. */
export function answer(stage: Stage, outcomes: Outcome[], labels: string[]): HTMLElement[] {
  const results = outcomes.map((one) => "result" in one ? one.result : null);
  const stopped = outcomes.flatMap((one, place) => "ended" in one && one.ended.how === "deadlock" ? [(labels[place] ?? "The run") + ": packets wait for each other in a circle, and nothing can ever move again (deadlock)."] : []);
  const lines: HTMLElement[] = stopped.map((words) => element("p", { class: "answer" }, words));
  const found = stage.answer(results);
  const given = (found?.rates ?? []).flatMap((value, place) => value === null ? [] : [{ value, place }]);
  const isPair = results.length === 2;
  const into = (place: number) => " " + inside(labels[place] ?? "");
  const say = (...words: (string | HTMLElement)[]) => lines.push(element("p", { class: "answer" }, element("b", {}, found?.name ?? ""), ...words));
  const [one, other] = given;
  let worst = results.find((result) => result !== null) ?? null;
  if (one && other) {
    const [low, high] = one.value < other.value ? [one, other] : [other, one];
    if (high.value - low.value <= SAME * high.value) say(" gets the same in both: ", rate(one.value), ".");
    else say(" gets ", rate(low.value), into(low.place) + ", and ", rate(high.value), into(high.place) + ".");
    if (other.value < one.value) worst = results[other.place];
  } else if (one && (isPair || !worst || verdictOf(worst) === null)) {
    say(" gets ", rate(one.value), isPair ? into(one.place) + "." : ".");
  }
  if (worst) lines.push(...because(worst, isPair ? labels[results.indexOf(worst)] ?? "" : ""));
  return lines;
}

/** Returns why: cause and advice of the verdict, or the sentences of the report. */
function because(result: Result, label: string): HTMLElement[] {
  const verdict = verdictOf(result);
  const before = label === "" ? "" : label + ": ";
  if (!verdict) return result.leads.slice(-1).map((lead) => element("p", { class: "because" }, withCode(before + lead)));
  return [element("p", { class: "because" }, withCode(before + verdict.loss + " " + verdict.cause)), element("p", { class: "note" }, withCode(verdict.confidence.replace(OPTION, "") + " " + verdict.advice + (verdict.advice.includes("plan.ron") ? " (`plan.ron` is among the run's files below.)" : "")))];
}

function rate(value: number): HTMLElement {
  return element("b", {}, spelled(value, "bit/s"));
}
