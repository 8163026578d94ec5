// The simulator for the page: a worker that lists and checks, and a worker for each run, which a cancel ends at once.
import { Reports } from "./engine/joining.ts";
import { opened } from "./engine/parcel.ts";
import type { Reply, Request, Task } from "./engine/messages.ts";
import { RunEnded, type Checked, type Progress, type Result, type Shipped } from "./simulator.ts";
import { withGaps } from "../../crates/page/src/script/arrays.js";
import type { PageTable, Panel } from "../../crates/page/src/script/types.js";

export type { Task };

/** The simulator. */
export interface Engine {
  shipped: Shipped[];
  /** Sends a request to the worker that checks, and returns its answer. */
  ask(request: (id: number) => Request): Promise<string>;
}

/** The module, compiled while it is fetched, and once for all workers. */
const module = compiled(new URL("../../target/web-module/web_bg.wasm", import.meta.url));
/** A worker for the next run, made in advance. */
let spare: Worker | null = null;

async function compiled(address: URL): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error("the module is not there: status " + response.status);
  const isNamed = response.headers.get("content-type") === "application/wasm";
  return isNamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

function worker(): Worker {
  const made = new Worker(new URL("./engine/worker.ts", import.meta.url), { type: "module", name: "simulator" });
  module.then((one) => made.postMessage({ kind: "module", module: one } satisfies Request), () => {});
  return made;
}

/** Returns the worker made in advance, and makes the next. */
function ready(): Worker {
  const made = spare ?? worker();
  spare = worker();
  return made;
}

/** Starts the simulator. */
export async function open(): Promise<Engine> {
  const checker = worker();
  const waiting = new Map<number, { done: (text: string) => void; failed: (error: Error) => void }>();
  let last = 0;
  checker.onmessage = ({ data }: MessageEvent<Reply>) => {
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.kind === "answer") one?.done(data.text);
    else if (data.kind === "failed") one?.failed(new RunEnded(data.how, data.message));
  };
  const broken = new Promise<never>((_, failed) => {
    module.catch(failed);
    checker.onerror = (event) => failed(new Error(event.message || "the worker did not load"));
  });
  const ask = (request: (id: number) => Request) => Promise.race([broken, new Promise<string>((done, failed) => {
    last += 1;
    waiting.set(last, { done, failed });
    checker.postMessage(request(last));
  })]);
  const shipped = JSON.parse(await ask((id) => ({ kind: "scenarios", id })));
  spare ??= worker();
  return { shipped, ask };
}

/** Checks a scenario with its settings. */
export async function check(engine: Engine, task: Task): Promise<Checked> {
  return JSON.parse(await engine.ask((id) => ({ kind: "check", id, task })));
}

/** A run in a worker of its own. */
export class Run {
  readonly result: Promise<Result>;
  private readonly worker = ready();
  private end: (error: RunEnded) => void = () => {};

  constructor(task: Task, pace: number | null, onProgress: (progress: Progress) => void) {
    this.result = new Promise<Result>((done, failed) => {
      this.end = failed;
      this.worker.onerror = (event) => failed(new RunEnded("panic", event.message || "the worker did not load"));
      let reports: Reports;
      this.worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        if (data.kind === "began") reports = new Reports(JSON.parse(data.graph));
        else if (data.kind === "progress") onProgress(reports.join(data.parcel));
        else if (data.kind === "result") done(resultOf(data));
        else if (data.kind === "failed") failed(new RunEnded(data.how, data.message));
      };
    }).finally(() => this.worker.terminate());
    this.post({ kind: "run", id: 0, task, pace });
  }

  pause(): void { this.post({ kind: "pause" }); }
  resume(): void { this.post({ kind: "resume" }); }
  /** Leaves the pace, and goes as fast as it can. */
  hurry(): void { this.post({ kind: "hurry" }); }

  /** Ends the worker, whatever it does. */
  cancel(): void {
    this.worker.terminate();
    this.end(new RunEnded("cancelled", "The run was cancelled."));
  }

  private post(request: Request): void {
    this.worker.postMessage(request);
  }
}

/** The data of the report's page. */
type PageData = Pick<Result, "leads" | "timelines" | "panels" | "completions" | "fabric" | "phases" | "end_s"> & Record<"tables" | "margins" | "completion_tables", PageTable[]>;

function resultOf({ digest, seconds, page, files }: Extract<Reply, { kind: "result" }>): Result {
  const { tables, margins, completion_tables, ...data } = opened(page) as PageData;
  const shown = (panel: Panel): Panel => ({ ...panel, lines: panel.lines.map((line) => ({ ...line, y: withGaps(line.y as Float64Array) })) });
  const panels = data.panels.map(shown);
  const completions = data.completions && shown(data.completions);
  return { ...data, panels, completions, digest, seconds, files, tables: [...tables, ...margins, ...completion_tables] };
}
