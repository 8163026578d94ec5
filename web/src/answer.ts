// The answer of one or two runs, above their pictures: what the followed flow got in each, and the verdict of the worse.
import { element, withCode } from "../../crates/page/src/script/dom.js";
import { spelled } from "../../crates/page/src/script/format.js";
import type { Outcome } from "./side.ts";
import type { Result } from "./simulator.ts";
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

/** Returns the verdict of a run, if its summary has it. */
export function verdictOf(result: Result): Verdict | null {
  const summary = result.files.find(({ name }) => name === "summary.json");
  if (!summary) return null;
  const { verdict } = JSON.parse(new TextDecoder().decode(summary.contents)) as { verdict?: Verdict | null };
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
  const rates = found?.rates ?? [];
  const [one, other] = rates;
  if (found && results.length === 2 && typeof one === "number" && typeof other === "number") {
    const isSame = Math.abs(one - other) <= SAME * Math.max(one, other);
    const [low, high] = one < other ? [0, 1] : [1, 0];
    lines.push(element("p", { class: "answer" }, element("b", {}, found.name), ...isSame ? [" gets the same in both: ", rate(one), "."]
      : [" gets ", rate(rates[low] as number), " " + inside(labels[low] ?? "") + ", and ", rate(rates[high] as number), " " + inside(labels[high] ?? "") + "."]));
  } else if (found && results.length === 1 && typeof one === "number" && (results[0] === null || results[0] === undefined || verdictOf(results[0]) === null)) {
    lines.push(element("p", { class: "answer" }, element("b", {}, found.name), " gets ", rate(one), "."));
  }
  const alone = rates.findIndex((value) => typeof value === "number");
  if (found && results.length === 2 && alone >= 0 && rates.filter((value) => typeof value === "number").length === 1) {
    lines.push(element("p", { class: "answer" }, element("b", {}, found.name), " gets ", rate(rates[alone] as number), " " + inside(labels[alone] ?? "") + "."));
  }
  const worst = results.length === 2 && typeof one === "number" && typeof other === "number" && other < one ? results[1] : results.find((result) => result !== null);
  if (worst) lines.push(...because(worst, results.length === 2 ? labels[results.indexOf(worst)] ?? "" : ""));
  return lines;
}

/** Returns why: cause and advice of the verdict, or the sentences of the report. */
function because(result: Result, label: string): HTMLElement[] {
  const verdict = verdictOf(result);
  const before = label === "" ? "" : label + ": ";
  if (!verdict) return result.leads.slice(-1).map((lead) => element("p", { class: "because" }, withCode(before + lead)));
  return [element("p", { class: "because" }, withCode(before + verdict.loss + " " + verdict.cause)), element("p", { class: "note" }, withCode(verdict.confidence + " " + verdict.advice + (verdict.advice.includes("plan.ron") ? " (`plan.ron` is among the run's files below.)" : "")))];
}

function rate(value: number): HTMLElement {
  return element("b", {}, spelled(value, "bit/s"));
}
