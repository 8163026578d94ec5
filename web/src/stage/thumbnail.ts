// A small picture of a case: its fabric at the moment at which most waits.
import type { Graph } from "../../../crates/page/src/script/types.js";
import type { Cast } from "./cast.ts";
import { arranged, type Scene } from "./scene.ts";
import { shapes, type Shape, type State } from "./shapes.ts";
import { svg } from "./svg.ts";

const [WIDTH, HEIGHT] = [230, 112];
/** Hosts beyond which a leaf's hosts are one bar. */
const MOST_HOSTS = 24;
/** Stalls from which on a link is coloured, and coloured strongly. */
const [SOME, MUCH] = [0.05, 0.5];

/** Returns the picture as SVG. */
export function thumbnail(cast: Cast, state: State, followed: string | null): string {
  if (cast.graph.hosts > MOST_HOSTS) return svg(large(cast.graph, state), WIDTH, HEIGHT);
  const scene = arranged(cast.graph, cast.flows, WIDTH, HEIGHT, true);
  return svg(shapes(scene, cast, state, followed), scene.width, scene.height);
}

/** Returns the shapes of a large fabric: switches in rows, cables by the worse of their two directions, and a bar for the hosts of each leaf. */
function large(graph: Graph, state: State): Shape[] {
  const scene: Scene = arranged(graph, [], WIDTH, HEIGHT);
  const [widest, highest] = [Math.max(...scene.spots.map(({ x }) => x)), Math.max(...scene.spots.filter(({ isHost }) => !isHost).map(({ y }) => y))];
  const lowest = Math.min(...scene.spots.map(({ y }) => y));
  const x = (of: number) => 8 + (WIDTH - 16) * of / widest;
  const y = (of: number) => 10 + (HEIGHT - 40) * (of - lowest) / Math.max(highest - lowest, 1);
  const worst = new Map<string, number>();
  const waiting = new Map<number, number>();
  scene.lanes.forEach(({ node, peer }, output) => {
    const stalled = state.stalled[output] ?? 0;
    if (node < graph.hosts) return void waiting.set(peer, Math.max(waiting.get(peer) ?? 0, stalled));
    if (peer < graph.hosts) return;
    const key = Math.min(node, peer) + " " + Math.max(node, peer);
    worst.set(key, Math.max(worst.get(key) ?? 0, stalled));
  });
  const ink = (stalled: number) => stalled >= MUCH ? "line-1" : stalled >= SOME ? "line-4" : "grid";
  const cables = [...worst].sort(([, one], [, other]) => one - other).map(([key, stalled]): Shape => {
    const [one, other] = key.split(" ").map((node) => scene.spots[Number(node)]) as [Scene["spots"][number], Scene["spots"][number]];
    return { kind: "line", x: x(one.x), y: y(one.y), toX: x(other.x), toY: y(other.y), ink: ink(stalled), width: stalled >= SOME ? 1.4 : 0.6 };
  });
  const switches = scene.spots.flatMap((spot, node): Shape[] => {
    if (spot.isHost) return [];
    const box: Shape = { kind: "box", x: x(spot.x) - 3, y: y(spot.y) - 3, width: 6, height: 6, ink: "faint", fill: "panel" };
    const stalled = waiting.get(node);
    if (stalled === undefined) return [box];
    return [{ kind: "line", x: x(spot.x), y: y(spot.y), toX: x(spot.x), toY: y(spot.y) + 18, ink: stalled >= SOME ? ink(stalled) : "faint", width: 3 }, box];
  });
  return [...cables, ...switches];
}
