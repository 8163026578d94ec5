// The parts of a fabric's moving picture: nodes, outputs, and the flows whose way is known.
//
// Invariant: an output has the colour of a flow only if it is on the flow's path, as the plan has it.
import type { Graph } from "../../../crates/page/src/script/types.js";
import type { Checked } from "../simulator.ts";

/** A flow with a name, and the outputs of its path. */
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
  const { graph } = checked;
  const flows = checked.flows.map(({ outputs, ...flow }) => ({ ...flow, outputs: new Set(outputs) }));
  return { graph, flows, packet: bytesOf(value("link.mtu")) ?? 2048, scheme: checked.facts.scheme };
}

/** Returns the nodes next to each node, once for each output. */
export function peersOf({ nodes, outputs }: Graph): number[][] {
  const peers: number[][] = nodes.map(() => []);
  for (let at = 0; at < outputs.length; at += 3) peers[outputs[at] as number]?.push(outputs[at + 2] as number);
  return peers;
}
