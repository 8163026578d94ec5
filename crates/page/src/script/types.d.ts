// Shapes of the data that the components draw. Rust writes them for the report (`page/data.rs`, `page/run/fabric.rs`), and the
// simulator's worker hands them to the playground.

import type UPlot from "uplot";

declare global {
  /** Draws curves. The report's page holds it as a script, the playground imports it. */
  // eslint-disable-next-line no-var
  var uPlot: typeof UPlot;
}

/** Text, element, or nothing, as the child of an element. */
export type Child = Node | string | number | null | undefined | Child[];

/** A line of a panel. */
export interface Line {
  name: string;
  /** Kind of its subject: `flow`, `group`, `others`, `total`, `output`, `source`. */
  kind: string;
  /** Values, one for each of the axis; `null` where there is none. */
  y: ArrayLike<number | null> & Iterable<number | null>;
  /** True while the line is on. */
  shown: boolean;
  /** True if congestion trees held its subject back. */
  isVictim?: boolean;
}

/** Curves over one axis. */
export interface Panel {
  id: string;
  heading: string;
  /** A sentence for those who do not see the figure. */
  about: string;
  /** Unit of the values: `bit/s`, `B`, or none for shares. */
  unit: string;
  /** Values of the axis in s, ascending. */
  x: ArrayLike<number> & Iterable<number>;
  lines: Line[];
  /** Samples behind each pair of values; 1 if the lines have every sample. */
  samples_a_pair: number;
  /** Name of the values at their axis. */
  quantity?: string;
  /** Number of colours after which lines repeat them, if that has a meaning. */
  colours?: number;
}

/** Ranks of a job over time. */
export interface Timeline {
  job: string;
  /** Sentences on the rows. */
  about: string;
  from_s: number;
  to_s: number;
  /** Number of each row's rank, ascending, and its host. */
  ranks: number[];
  hosts: string[];
  /** Number of changes of each row. */
  lengths: number[];
  /** Changes, row after row: time in 1/65,535 of the job's time, and state (0 computing, 1 sending, 2 waiting, 3 nothing), in turn. */
  changes: Shares;
  /** Steps of the critical path: start and end in s, rank, and the rank that a message goes to, else the same, in turn. */
  path: ArrayLike<number> & Iterable<number>;
  /** Each step in words. */
  steps: string[];
  /** Ends of iterations in s. */
  iterations: number[];
}

/** A congestion tree at a moment: outputs by their places, hosts by theirs. */
export interface Tree {
  moment: number;
  root: number;
  branches: number[];
  contributors: number[];
  victims: number[];
}

/** A fabric's graph: nodes, hosts first, and outputs as node, port and peer in turn. */
export interface Graph {
  nodes: string[];
  hosts: number;
  outputs: ArrayLike<number> & { slice(from: number, to: number): ArrayLike<number> & Iterable<number> };
}

/** Shares in ten-thousandths: an array, or as 16-bit numbers in base64, the lower byte first. */
export type Shares = string | Uint16Array;

/** A fabric at moments. */
export interface Fabric extends Graph {
  /** Ends of the intervals in s; none if the run recorded no moments. */
  moments: number[];
  /** Load, moment by moment and output by output. */
  load: Shares;
  /** Share of the interval for which the output was stalled, likewise. */
  stalled: Shares;
  whole_load: Shares;
  whole_stalled: Shares;
  trees: Tree[];
  /** Roots at each moment that are not among `trees`, by output. */
  further_roots: number[][];
  /** Bytes that wait for each output at each moment, moment by moment, in units of `queue_unit`. */
  queue?: Shares;
  queue_unit?: number;
  /** Rate of each output's link in Gb/s. */
  rates_gbps?: number[];
  /** Output that is the root which cost most, and the moment that shows it best. */
  headline?: number | null;
  opens_at?: number | null;
  /** Paths of the first flows: number of outputs of each, and the outputs in turn; `null` without the file. */
  paths?: { lengths: ArrayLike<number>; outputs: number[] | Float64Array; left_out_flows: number } | null;
}

/** Place of a node in the picture, in pixels. */
export interface Place {
  x: number;
  y: number;
  level: number;
  isHost: boolean;
  /** Side of its switch: -1 on the left, 1 on the right, 0 below. */
  side: number;
  /** True for a host that a bar stands for. */
  inBar?: boolean;
}

/** Hosts of a switch as a single mark. */
export interface Bar {
  leaf: number;
  hosts: number[];
  /** Middle of its upper edge. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Places of all nodes. */
export interface Plan {
  places: Place[];
  width: number;
  height: number;
  /** Radius of a host. */
  radius: number;
  /** Room of a host. */
  cell: number;
  /** Returns the room of a node of a level. */
  spacing(level: number): number;
  bars: Bar[];
  /** True if hosts stand beside their switch. */
  isBeside: boolean;
}

/** Outputs and hosts that belong to trees. */
export interface Marks {
  roots: Set<number>;
  branches: Set<number>;
  contributors: Set<number>;
  victims: Set<number>;
}

/** The picture at a moment: shares by output, and marks. */
export interface PictureState {
  colours: number[];
  widths: number[];
  marks: Marks;
  /** Root with a name of its own, by output. */
  headline?: number | null;
  /** Outputs and nodes that a reader chose or points to; the outputs of a tree have the colour of trees. */
  chosen?: { outputs: Set<number>; nodes: Set<number>; isTree?: boolean };
}

/** Lane of a link: the way from an output to its peer, beside that of the other direction. */
export interface Lane {
  a: { x: number; y: number };
  control: { x: number; y: number };
  b: { x: number; y: number };
}

/** The part of a canvas that a picture of a fabric needs. An SVG offers it too. */
export type Brush = Pick<CanvasRenderingContext2D, "strokeStyle" | "fillStyle" | "lineWidth" | "lineCap" | "lineJoin" | "font" | "textAlign" | "globalAlpha" |
  "setLineDash" | "beginPath" | "moveTo" | "lineTo" | "quadraticCurveTo" | "arc" | "stroke" | "fill" | "fillRect" | "strokeRect" | "strokeText" | "fillText" |
  "measureText" | "clearRect">;

/** A flow with its hosts. */
export interface FlowFact {
  flow: string;
  src: string;
  dst: string;
  group: string;
  /** Outputs by which its data may leave nodes, from the source on; none if its path is not known. */
  outputs: number[];
}

/** Flows of a run, and their parts in its congestion trees. */
export interface FlowFacts {
  flows: FlowFact[];
  /** Flows by the outputs of their paths. */
  users: Map<number, FlowFact[]>;
  /** By flow and by name of a root's output. */
  contributors: { flow: string; root: string }[];
  victims: { flow: string; root: string }[];
}

/** A flow or a group against its best, as the verdict counts it. */
export interface Subject {
  name: string;
  /** `flow`, `group`, or `pattern` for flows without a group. */
  kind: string;
  delivered_bytes: number;
  lost_bytes: number;
  flows: number;
  victims: number;
  contributors: number;
  /** Quantity of its share: `fair_share`, `rate_alone`, `message_time`, `time` or `payload`. */
  quantity: string;
  /** Share of its best. */
  share: number;
  goodput_bps: number | null;
  best_bps: number | null;
  /** The outcome in the words of the verdict. */
  outcome: string;
}

/** A value of a table. */
export type Cell = string | number | boolean | null;

/** A column of a table. */
export interface Column {
  words: string;
  /** `string`, `boolean`, `integer` or `number`. */
  kind: string;
  unit?: string;
  meaning?: string;
  /** Spelling of its values, if it is not that of its unit. */
  spell?(value: any): string;
  /** Rows whose number is a lower bound; none is if absent. */
  bounds?: boolean[] | null;
  values: ArrayLike<Cell> & Cell[];
}

/** A table of the page's data. */
export interface PageTable {
  id: string;
  heading: string;
  about: string;
  /** Name, kind and meaning of each column. */
  columns: [string, string, string][];
  rows: number;
  /** Values by column; texts that repeat as words and their places. */
  values: (Cell[] | Float64Array | { words: string[]; at: number[] | Float64Array })[];
}

/** A scale from values to units of a drawing. */
export interface Scale {
  at(value: string | number): number;
  /** Values with a mark, and the words or number of each. */
  marks: [string | number, string | number][];
}

/** A setting of a sweep, or a column of parallel coordinates. */
export interface Setting {
  name: string;
  /** `number` or `text`. */
  kind: string;
  unit: string;
  /** Values by run; `null` where the baseline of a tuning has none. */
  values: (string | number | null)[];
  /** True if it has more values than a drawing marks one by one; not known at first. */
  isMany?: boolean;
}

/** A measure of a sweep's runs. */
export interface Measure {
  name: string;
  unit: string;
  /** Direction of better numbers. */
  better: "larger" | "smaller";
  /** Values by run; `null` where a run has none. */
  values: (number | null)[];
  /** Runs whose value is a lower bound; none is if absent. */
  censored?: boolean[] | null;
}

/** Mean of a measure over the runs of a point. */
export interface Mean {
  /** Number of runs with a value. */
  count: number;
  mean: number;
  /** Half the width of the 95 % interval; `null` of one run. */
  half: number | null;
  /** Number of lower bounds among the values. */
  censored: number;
  /** Number of runs without a value. */
  missing: number;
}

/** A mean with half of its 95 % interval. */
export interface Estimated {
  mean: number;
  half: number | null;
}

/** What a tuning found: settings, the judgement on held-out seeds, and the effect of each parameter. */
export interface TuningAnswer {
  /** The setting beside the baseline: `winner`, or `best other setting` if the baseline wins. */
  rival: string;
  parameters: { name: string; path: string; baseline: string; winner: string }[];
  /** Overrides of the winner, as `--set` takes them. */
  set: string[];
  scenario: string;
  seeds: number;
  objectives: { name: string; unit: string; better: "larger" | "smaller"; baseline: Estimated | null; winner: Estimated | null; gain: Estimated | null }[];
  /** Constraints, with the held-out runs that keep them in words. */
  constraints: { name: string; baseline: string; winner: string }[];
  /** Loss of the first objective if a parameter is moved alone. */
  sensitivity: { parameter: string; rank_correlation: number | null; neighbours: { value: string; loss: Estimated | null }[] }[];
}

/** Data of the page of a sweep or a tuning. */
export interface SweepPage {
  kind: "sweep" | "tuning";
  /** Address of the folder of all runs. */
  runs: string;
  /** Measures that were asked for, the first of them first. */
  asked: string[];
  /** The answer of a tuning. */
  found?: TuningAnswer | null;
  settings: Setting[];
  measures: Measure[];
  seeds: (number | null)[];
  ended: string[];
  /** Folders by run; empty where a setting of a tuning had no run. */
  folders: string[];
  names: string[];
  /** By setting of a tuning: false if it breaks a constraint. */
  feasible: boolean[] | null;
  /** Answer and means of a sweep, as `sweep.json` has them. */
  answer: SweepAnswer | null;
}

/** The answer of a sweep. */
export interface SweepAnswer {
  measure: string;
  better: "larger" | "smaller";
  conditions: string[];
  choices: string[];
  verdict: { loss: string; cause: string; confidence: string; advice: string };
  cases: { condition: string[]; best: number | null; answer: string; settings: SweepSetting[] }[];
}

/** A setting of a sweep under a condition. */
export interface SweepSetting {
  values: string[];
  runs: number;
  /** True if the best setting is significantly better; `null` for the best setting itself. */
  is_worse: boolean | null;
  means: { measure: string; unit: string; mean: number | null; ci95: number | null; is_bound: boolean; missing: number }[];
}
