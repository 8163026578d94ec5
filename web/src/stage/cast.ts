// The parts of a fabric's moving picture: nodes, outputs, and the flows whose way is known.
//
// Invariant: an output has the colour of a flow only if the flow must go through it. Where a flow may take several outputs, or where
// routing does not follow shortest paths, only its first and last link are known.
import type { Graph } from "../../../crates/page/src/script/types.js";
import type { Checked } from "../simulator.ts";
import { bare } from "../values.ts";

/** A flow with a name, and the outputs through which it goes for certain. */
export interface Known {
  name: string;
  from: number;
  to: number;
  outputs: Set<number>;
}

/** What one side of the stage shows. */
export interface Cast {
  graph: Graph;
  flows: Known[];
  /** Size of the largest packet, in bytes. */
  packet: number;
  /** Congestion control, as the scenario names it. */
  scheme: string;
}

const SIZES: Record<string, number> = { B: 1, KB: 1e3, MB: 1e6, KiB: 1024, MiB: 1048576 };
/** Routings that send packets by shortest paths. */
const SHORTEST = [null, "", "MinHop", "Ecmp"];

/** Returns a size in bytes. */
function bytesOf(written: string | null | undefined): number | null {
  const found = /^"?([\d.]+)\s*([A-Za-z]+)"?$/.exec(written ?? "");
  const size = found ? SIZES[found[2] as string] : undefined;
  return found && size !== undefined ? Number(found[1]) * size : null;
}

/** Returns the cast of a scenario that can run, or `null`. */
export function castOf(checked: Checked | null): Cast | null {
  if (!checked?.graph || !checked.facts) return null;
  const values = new Map(checked.fields.map((field) => [field.path, field.value]));
  const value = (path: string) => values.get(path) ?? null;
  const name = (path: string) => {
    const written = value(path);
    return written === null ? null : bare(written);
  };
  const { graph } = checked;
  const hops = distances(graph);
  const isShortest = SHORTEST.includes(value("routing"));
  const flows: Known[] = [];
  for (const { path } of checked.fields) {
    const flow = /^(flows[.[].+)\.from$/.exec(path)?.[1];
    if (flow === undefined) continue;
    const [from, to] = ["from", "to"].map((end) => graph.nodes.indexOf(name(`${flow}.${end}`) ?? "")) as [number, number];
    if (from >= 0 && to >= 0) flows.push({ name: name(flow + ".name") ?? flow, from, to, outputs: outputsOf(graph, [from, to], [hops(from), hops(to)], isShortest) });
  }
  return { graph, flows, packet: bytesOf(value("link.mtu")) ?? 2048, scheme: checked.facts.scheme };
}

/** Returns the outputs through which every shortest path between two hosts goes; without `isShortest`, those next to the hosts. `away` and `left` are the hops from either host to all nodes. */
function outputsOf(graph: Graph, [from, to]: [number, number], [away, left]: [number[], number[]], isShortest: boolean): Set<number> {
  const length = away[to] as number;
  const found = new Set<number>();
  for (let hop = 0; hop < length; hop += 1) {
    if (!isShortest && hop > 0 && hop < length - 1) continue;
    const possible: number[] = [];
    for (let at = 0; at < graph.outputs.length; at += 3) {
      const [node, peer] = [graph.outputs[at] as number, graph.outputs[at + 2] as number];
      const isOnWay = isShortest ? away[node] === hop && left[peer] === length - hop - 1 : hop === 0 ? node === from : peer === to;
      if (isOnWay) possible.push(at / 3);
    }
    if (possible.length === 1) found.add(possible[0] as number);
  }
  return found;
}

/** Returns the nodes next to each node, once for each output. */
export function peersOf({ nodes, outputs }: Graph): number[][] {
  const peers: number[][] = nodes.map(() => []);
  for (let at = 0; at < outputs.length; at += 3) peers[outputs[at] as number]?.push(outputs[at + 2] as number);
  return peers;
}

/** Returns what gives the hops from a node to each other, found once for each node. */
function distances(graph: Graph): (from: number) => number[] {
  const peers = peersOf(graph);
  const known = new Map<number, number[]>();
  return (from) => {
    const before = known.get(from);
    if (before) return before;
    const hops = graph.nodes.map(() => Infinity);
    known.set(from, hops);
    hops[from] = 0;
    let row = [from];
    for (let hop = 1; row.length > 0; hop += 1) {
      row = [...new Set(row.flatMap((node) => peers[node] as number[]))].filter((node) => hops[node] === Infinity);
      row.forEach((node) => { hops[node] = hop; });
    }
    return hops;
  };
}
