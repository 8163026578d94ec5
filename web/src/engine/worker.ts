// The simulator in a worker: one run at a time, in steps short enough for a pause.
//
// Invariant: the steps do not change the results. The length of a step follows the elapsed time of the last.
import init, { Run, check, scenarios, type Parcel as ModuleParcel } from "../../../target/web-module/web.js";
import type { Reply, Request, Task } from "./messages.ts";
import { memoryOf, type Parcel } from "./parcel.ts";
import type { ResultFile } from "../simulator.ts";

/** Elapsed time of a step, in ms. */
const STEP_MS = 40;
/** Elapsed time between two reports of progress, in ms. */
const REPORT_MS = 120;
/** The same for a run that is held to a pace, whose picture moves. */
const PACED_REPORT_MS = 50;

declare global {
  // eslint-disable-next-line no-var
  var simulatorPanicked: (message: string) => void;
}

let panic = "";
globalThis.simulatorPanicked = (message) => { panic = message; };
let begin: (module: WebAssembly.Module) => void;
/** Done once the page has sent the module, which it compiles once for all workers. */
const ready = new Promise<WebAssembly.Module>((done) => { begin = done; }).then((module) => init({ module_or_path: module }));
let isPaused = false;
/** Most simulated time in s that the run covers in a second; `null` for as fast as it goes. */
let pace: number | null = null;
let wake = () => {};

function say(reply: Reply, memory: ArrayBuffer[] = []): void {
  postMessage(reply, { transfer: memory });
}

/** Takes a parcel out of the module's memory. */
function taken(from: ModuleParcel): Parcel {
  const parcel = { names: from.names(), floats: from.floats() as Parcel["floats"], shorts: from.shorts() as Parcel["shorts"] };
  from.free();
  return parcel;
}

/** Returns after messages have been taken, and after a pause. */
async function breath(): Promise<void> {
  await new Promise<void>((done) => {
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = () => { port1.close(); done(); };
    port1.postMessage(null);
  });
  while (isPaused) await new Promise<void>((done) => { wake = done; });
}

/** Returns after some ms, and after a pause. */
async function rest(ms: number): Promise<void> {
  await new Promise((done) => { setTimeout(done, ms); });
  await breath();
}

async function run(id: number, task: Task, asked: number | null): Promise<void> {
  isPaused = false;
  pace = asked;
  let elapsed = 0;
  const run = new Run(JSON.stringify(task));
  const most = Math.max(run.sample_s * 50, 1e-9);
  let step = run.sample_s;
  let reported = performance.now();
  const report = () => {
    const parcel = taken(run.progress());
    say({ kind: "progress", id, parcel }, memoryOf(parcel));
    reported = performance.now();
  };
  say({ kind: "began", id, graph: run.graph });
  report();
  let owed = 0;
  let last = performance.now();
  for (let isOver = false; !isOver;) {
    const began = performance.now();
    // A paced run may cover what the pace has allowed since the last step, but no more than a report's worth after a pause.
    owed = pace === null ? Infinity : (Number.isFinite(owed) ? owed : 0) + pace * Math.min(began - last, 2 * PACED_REPORT_MS) / 1000;
    last = began;
    if (pace !== null && owed < Math.min(step, pace * PACED_REPORT_MS / 2000)) {
      await rest(PACED_REPORT_MS / 4);
      continue;
    }
    const length = Math.min(step, owed);
    try {
      isOver = run.advance(length);
    } catch (error) {
      // A deadlock is worth a look: the picture shows where packets stand. After a panic there is nothing to see.
      if (panic === "") report();
      throw error;
    }
    owed -= length;
    const took = performance.now() - began;
    elapsed += took;
    step = Math.min(most, Math.max(step * Math.min(2, Math.max(0.25, STEP_MS / Math.max(took, 0.5))), run.sample_s / 1000));
    if (performance.now() - reported > (pace === null ? REPORT_MS : PACED_REPORT_MS) || isOver) report();
    await breath();
  }
  const results = run.finish(elapsed / 1000);
  const page = taken(results.page() as ModuleParcel);
  const files: ResultFile[] = [];
  for (let name = results.file; name !== undefined; name = results.file) files.push({ name, contents: results.contents() as ResultFile["contents"] });
  const { digest } = results;
  results.free();
  say({ kind: "result", id, digest, seconds: elapsed / 1000, page, files }, [...memoryOf(page), ...files.map(({ contents }) => contents.buffer)]);
}

/** Returns the end of a run that an error tells of: as the module says it, or a panic. */
function ended(error: unknown): { how: string; message: string } {
  if (panic !== "") return { how: "panic", message: panic };
  try {
    const { how, message } = JSON.parse(String(error));
    return { how, message };
  } catch {
    return { how: "panic", message: String(error) };
  }
}

onmessage = async ({ data }: MessageEvent<Request>) => {
  if (data.kind === "module") {
    begin(data.module);
    return;
  }
  if (data.kind === "hurry") {
    pace = null;
    return;
  }
  if (data.kind === "pause" || data.kind === "resume") {
    isPaused = data.kind === "pause";
    if (!isPaused) wake();
    return;
  }
  try {
    await ready;
    if (data.kind === "scenarios") say({ kind: "answer", id: data.id, text: scenarios() });
    else if (data.kind === "check") say({ kind: "answer", id: data.id, text: check(JSON.stringify(data.task)) });
    else await run(data.id, data.task, data.pace);
  } catch (error) {
    say({ kind: "failed", id: data.id, ...ended(error) });
  }
};
