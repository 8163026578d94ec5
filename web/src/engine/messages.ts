// Messages between the page and a worker.
import type { ResultFile } from "../simulator.ts";
import type { Parcel } from "./parcel.ts";

/** A scenario with settings, as the module takes it. */
export interface Task {
  /** Name of a shipped scenario, or of the file of an edited one. */
  name: string;
  text: string;
  sets: string[];
  seed: number | null;
}

/** What the page asks of a worker. `pace` is the most simulated time in s that a run covers in a second; `null` for as fast as it goes. */
export type Request =
  | { kind: "module"; module: WebAssembly.Module }
  | { kind: "scenarios"; id: number }
  | { kind: "check"; id: number; task: Task }
  | { kind: "run"; id: number; task: Task; pace: number | null }
  | { kind: "pause" }
  | { kind: "resume" }
  | { kind: "hurry" };

/** What a worker says. */
export type Reply =
  | { kind: "answer"; id: number; text: string }
  | { kind: "began"; id: number; graph: string }
  | { kind: "progress"; id: number; parcel: Parcel }
  | { kind: "result"; id: number; digest: string; seconds: number; page: Parcel; files: ResultFile[] }
  | { kind: "failed"; id: number; how: string; message: string };
