// What the page asks of the simulator, in the page's words.
import type { Graph, PageTable, Panel, Fabric } from "../../crates/report/src/page/script/types.js";

/** A scenario that ships. */
export interface Shipped {
  name: string;
  /** A sentence. */
  about: string;
  /** The comment at its head: what to look for, and what to try. */
  story: string;
  text: string;
}

/** A field of the scenario file that a control can set. */
export interface Field {
  path: string;
  /** `time`, `data`, `rate`, `length`, `whole number`, `number`, `text`, `choice` or `true or false`. */
  kind: string;
  range: string;
  default: string | null;
  /** Names of the choices. */
  choices: string[];
  meaning: string;
  /** Value in the checked scenario, as RON; `null` if it is left out. */
  value: string | null;
}

/** A fault of a scenario or a setting. */
export interface Diagnostic {
  /** The text that the command line prints. */
  printed: string;
  /** Path of the field, if one is at fault. */
  path: string;
  /** Line, from 1; `null` if the fault has no place. */
  line: number | null;
  column: number;
  length: number;
  /** The setting in which the fault stands; `null` if it is in the text. */
  setting: string | null;
}

/** A scenario that can run. */
export interface PlanFacts {
  hosts: number;
  switches: number;
  flows: number;
  duration_s: number;
  scheme: string;
  /** Memory that a run takes at most, in bytes: an estimate. */
  memory_bytes: number;
  /** Events that a run handles: an estimate. */
  events: number;
  /** Reason, in words, why it is too large for a page. */
  refusal: string | null;
}

/** Judgement on a scenario with its settings. */
export interface Checked {
  faults: Diagnostic[];
  facts: PlanFacts | null;
  graph: Graph | null;
  fields: Field[];
}

/** Progress of a run, with its curves so far. */
export interface Progress {
  now_s: number;
  end_s: number;
  events: number;
  panels: Panel[];
}

/** Results of a run: what the report's page shows, and the files. */
export interface Result {
  digest: string;
  /** Sentences on the run. */
  leads: string[];
  panels: Panel[];
  completions: Panel | null;
  fabric: Fabric | null;
  tables: PageTable[];
  phases: [string, number, number][];
  end_s: number;
  files: { name: string; contents: string }[];
}

/** End of a run without results: `deadlock`, `violation`, `cancelled`, `refused` or `panic`, with its message. */
export class RunEnded extends Error {
  readonly how: string;

  constructor(how: string, message: string) {
    super(message);
    this.how = how;
  }
}
