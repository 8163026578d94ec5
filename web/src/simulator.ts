// What the page asks of the simulator, in the page's words.
import type { Graph, PageTable, Panel, Fabric, Timeline, Tree } from "../../crates/page/src/script/types.js";

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
  /** The first flows with a name, and the outputs of their paths. */
  flows: { name: string; from: number; to: number; outputs: number[] }[];
  fields: Field[];
}

/** Load, stalls and queues of all outputs between two reports of progress, in the order of `Graph.outputs`. */
export interface LiveFabric {
  /** Start and end of the interval, in s: both are 0 in the first report. */
  from_s: number;
  to_s: number;
  /** Share of the link's capacity that was sent, in ten-thousandths. */
  load: Uint16Array;
  /** Share of the interval for which packets waited with the wire free, in ten-thousandths. */
  stalled: Uint16Array;
  /** Bytes that wait in a switch for the output at the end; 0 at hosts. */
  queues: Float64Array;
  /** Congestion trees at the last moment before the end. */
  trees: Omit<Tree, "moment">[];
}

/** Progress of a run, with its curves so far. The first report comes before the first step. */
export interface Progress {
  now_s: number;
  end_s: number;
  events: number;
  /** Curves so far: the same objects in each report, whose arrays grow. */
  panels: Panel[];
  /** The fabric: the same object in each report. */
  graph: Graph;
  fabric: LiveFabric;
}

/** Results of a run: what the report's page shows, and the files. */
export interface Result {
  digest: string;
  /** Time in s that the module worked for it. */
  seconds: number;
  /** Sentences on the run. */
  leads: string[];
  /** Ranks of jobs over time; none without jobs. */
  timelines: Timeline[];
  panels: Panel[];
  completions: Panel | null;
  fabric: Fabric | null;
  tables: PageTable[];
  phases: [string, number, number][];
  end_s: number;
  files: ResultFile[];
}

/** A file of a run, in UTF-8. */
export interface ResultFile {
  name: string;
  contents: Uint8Array<ArrayBuffer>;
}

/** Returns the text of a file of a run; `null` if the run has no such file. */
export function textOf({ files }: Result, name: string): string | null {
  const file = files.find((one) => one.name === name);
  return file ? new TextDecoder().decode(file.contents) : null;
}

/** End of a run without results: `deadlock`, `violation`, `cancelled`, `refused` or `panic`, with its message. */
export class RunEnded extends Error {
  readonly how: string;

  constructor(how: string, message: string) {
    super(message);
    this.how = how;
  }
}
