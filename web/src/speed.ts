// The speed of this machine, measured by the runs of this page, from which the time of a larger run is told before it begins.
import { spelled } from "../../crates/page/src/script/format.js";
import { Run, type Engine } from "./run.ts";
import { textOf, type Result } from "./simulator.ts";

/** Events of a run that is long enough to measure the speed. */
const LEAST_EVENTS = 20_000;
let events_a_second: number | null = null;
/** A small run that measures the speed where no run has. */
const SMALL = { scenario: "victim", sets: ['duration="25 ms"'] };
let isMeasuring = false;
let told: (() => void)[] = [];

/** Returns the events of a run, as its summary has them. */
function eventsOf(result: Result): number {
  const { events } = JSON.parse(textOf(result, "summary.json") ?? "") as { events?: number };
  return events ?? 0;
}

/** Notes the speed of a run. */
export function noteSpeed(result: Result): void {
  const events = eventsOf(result);
  if (events < LEAST_EVENTS || result.seconds <= 0) return;
  events_a_second = events / result.seconds;
  told.forEach((one) => one());
}

/** Measures the speed by a small run, unless a run has. */
export async function measure({ shipped }: Engine): Promise<void> {
  const text = shipped.find(({ name }) => name === SMALL.scenario)?.text;
  if (text === undefined || isMeasuring || events_a_second !== null) return;
  isMeasuring = true;
  await new Run({ name: SMALL.scenario, text, sets: SMALL.sets, seed: null }, null, () => {}).result.then(noteSpeed, () => {});
  isMeasuring = false;
}

/** Calls `task` whenever a run has measured the speed. */
export function onSpeed(task: () => void): () => void {
  told.push(task);
  return () => { told = told.filter((one) => one !== task); };
}

/** Returns the time in s that a run of these events takes; `null` before a run has measured it. */
export function timeOf(events: number): number | null {
  return events_a_second === null ? null : events / events_a_second;
}

/** Returns the time in words. */
export function timeInWords(events: number): string {
  const seconds = timeOf(events);
  if (seconds === null) return "";
  const time = seconds < 1 ? "less than a second" : seconds < 90 ? "about " + spelled(Number(seconds.toPrecision(1)), "s") : "about " + Math.round(seconds / 60) + " minutes";
  return time + " here";
}
