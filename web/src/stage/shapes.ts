// The moving picture as shapes: packets on their way, packets that wait in switches, and outputs that may not send.
//
// Invariant: pure functions without the page. Dots are a sample: on a link their density is its load, in a switch each stands for the
// same number of packets. Colours are names of the style sheet's, so that dark and light have their own.
import type { Cast, Known } from "./cast.ts";
import { GAP, type Lane, type Scene, type Spot } from "./scene.ts";

export type Shape =
  | { kind: "line"; x: number; y: number; toX: number; toY: number; ink: string; width: number }
  | { kind: "dot"; x: number; y: number; r: number; ink: string }
  | { kind: "box"; x: number; y: number; width: number; height: number; ink: string; fill: string }
  | { kind: "text"; x: number; y: number; text: string; ink: string; align: "start" | "middle" | "end"; isBold?: boolean };

/** State of a fabric, by output. */
export interface State {
  load: ArrayLike<number>;
  stalled: ArrayLike<number>;
  /** Bytes that wait in a switch. */
  queues: ArrayLike<number>;
  /** Rate of each flow with a name, in bit/s. */
  rates: Map<string, number>;
  /** Way that moving packets have gone, in px. */
  way: number;
}

/** Colour of the flow that the page follows, and of the others in turn. */
const FOLLOWED = "line-0";
const OTHERS = ["line-2", "line-3", "line-4", "line-5"];
/** Colour of an output that may not send. */
const HELD = "line-1";
/** Least distance of moving packets, in px: that of a full link. */
const CLOSE = 11;
/** Links beyond which packets do not move, since they would only flicker. */
const MOST_MOVING = 160;
/** Nodes beyond which switches have no names. */
const MOST_NAMED = 60;
/** Flows of a host beyond which their number stands for their names. */
const MOST_NAMES = 2;
/** Least share of an interval for which a stalled output is marked. */
const LEAST_STALL = 0.05;

/** Returns the colour of each flow with a name. */
export function inks(flows: Known[], followed: string | null): Map<string, string> {
  let others = 0;
  return new Map(flows.map(({ name }) => [name, name === followed ? FOLLOWED : OTHERS[others++ % OTHERS.length] as string]));
}

/** Returns packets that a dot in a switch stands for: more in a large picture, where a row of dots has less room. */
export function packetsADot(scene: Scene): number {
  return scene.isBoxed ? 1 : 4;
}

/** Returns the shapes of a fabric in a state. */
export function shapes(scene: Scene, cast: Cast, state: State, followed: string | null): Shape[] {
  const colours = inks(cast.flows, followed);
  const through = scene.lanes.map((_, output) => cast.flows.filter((flow) => flow.outputs.has(output) && (state.rates.get(flow.name) ?? 0) > 0));
  const found: Shape[] = [];
  scene.lanes.forEach((lane, output) => {
    const stalled = state.stalled[output] ?? 0;
    found.push({ kind: "line", x: lane.from.x, y: lane.from.y, toX: lane.to.x, toY: lane.to.y, ink: stalled >= LEAST_STALL ? HELD : "grid", width: stalled >= LEAST_STALL ? 1.5 + 1.5 * stalled : 2 });
  });
  scene.spots.forEach((spot, node) => found.push(...node < cast.graph.hosts ? hostShapes(spot) : switchShapes(spot, scene)));
  scene.lanes.forEach((lane, output) => {
    const flows = through[output] as Known[];
    const pick = picker(flows, state.rates, colours);
    if (scene.lanes.length <= MOST_MOVING) found.push(...moving(lane, state.load[output] ?? 0, state.way, pick));
    found.push(...waiting(lane, (state.queues[output] ?? 0) / cast.packet / packetsADot(scene), pick));
    if ((state.stalled[output] ?? 0) >= LEAST_STALL) found.push(barrier(lane, scene));
  });
  if (scene.isBoxed) found.push(...names(scene, cast, colours, followed));
  return found;
}

/** Returns what picks the flow of the packet with a number, so that each flow has its share of all. */
function picker(flows: Known[], rates: Map<string, number>, colours: Map<string, string>): (number: number) => string {
  const all = flows.reduce((sum, { name }) => sum + (rates.get(name) ?? 0), 0);
  return (number) => {
    // Multiples of the golden ratio, so that the flows' packets lie between each other.
    let rest = (number * 0.6180339887 % 1 + 1) % 1 * all;
    for (const { name } of flows) {
      rest -= rates.get(name) ?? 0;
      if (rest <= 0) return colours.get(name) ?? "soft";
    }
    return "soft";
  };
}

function moving(lane: Lane, load: number, way: number, pick: (number: number) => string): Shape[] {
  if (load < 0.01) return [];
  const step = CLOSE / Math.min(Math.max(load, 0.04), 1);
  const found: Shape[] = [];
  const first = Math.floor(way / step);
  for (let at = way % step, place = 0; at < lane.length; at += step, place += 1) {
    const ink = pick(first - place);
    found.push({ kind: "dot", x: lane.from.x + lane.along.x * at, y: lane.from.y + lane.along.y * at, r: ink === FOLLOWED ? 3.2 : 2.4, ink });
  }
  return found;
}

/** Returns the packets behind a port: inside its box, or along its lane. */
function waiting(lane: Lane, packets: number, pick: (number: number) => string): Shape[] {
  const rows = Math.max(lane.rows, 2);
  const most = lane.rows > 0 ? rows * Math.floor(lane.depth / GAP) : 2 * Math.floor(lane.length / 2 / GAP);
  const count = Math.min(Math.round(packets), most);
  return Array.from({ length: count }, (_, place) => {
    const [column, row] = [Math.floor(place / rows), place % rows];
    const back = (lane.rows > 0 ? -1 : 1) * (column + 0.8) * GAP;
    const aside = (row - (rows - 1) / 2) * GAP;
    const ink = pick(place * 7 + 3);
    return { kind: "dot", x: lane.from.x + lane.along.x * back - lane.along.y * aside, y: lane.from.y + lane.along.y * back + lane.along.x * aside, r: ink === FOLLOWED ? 3.2 : 2.8, ink } as Shape;
  });
}

/** Returns the bar before an output that may not send. */
function barrier(lane: Lane, scene: Scene): Shape {
  const half = scene.isBoxed ? 8 : 4;
  const [x, y] = [lane.from.x + lane.along.x * 2, lane.from.y + lane.along.y * 2];
  return { kind: "line", x: x - lane.along.y * half, y: y + lane.along.x * half, toX: x + lane.along.y * half, toY: y - lane.along.x * half, ink: HELD, width: 3 };
}

function hostShapes(spot: Spot): Shape[] {
  const mark: Shape = { kind: "dot", x: spot.x, y: spot.y, r: spot.halfWidth, ink: "faint" };
  if (spot.label === "none") return [mark];
  const [x, y, align] = spot.label === "below" ? [spot.x, spot.y + spot.halfHeight + 13, "middle" as const] : [spot.x, spot.y - spot.halfHeight - 5, "middle" as const];
  return [mark, { kind: "text", x, y, text: spot.name, ink: "soft", align }];
}

function switchShapes(spot: Spot, scene: Scene): Shape[] {
  const box: Shape = { kind: "box", x: spot.x - spot.halfWidth, y: spot.y - spot.halfHeight, width: 2 * spot.halfWidth, height: 2 * spot.halfHeight, ink: "faint", fill: "panel" };
  if (!scene.isBoxed && scene.spots.length > MOST_NAMED) return [box];
  if (!scene.isBoxed) return [box, { kind: "text", x: spot.x - spot.halfWidth - 4, y: spot.y - spot.halfHeight - 2, text: spot.name, ink: "soft", align: "end" }];
  return [box, { kind: "text", x: spot.x, y: spot.y - spot.halfHeight + 15, text: spot.name, ink: "soft", align: "middle" }];
}

/** Returns the names of flows at their sources, and the number of those for which there is no room. */
function names(scene: Scene, cast: Cast, colours: Map<string, string>, followed: string | null): Shape[] {
  return [...new Set(cast.flows.map(({ from }) => from))].flatMap((host) => {
    const lane = scene.lanes.find(({ node }) => node === host);
    const spot = scene.spots[host] as Spot;
    if (!lane || spot.label === "none") return [];
    const flows = cast.flows.filter(({ from }) => from === host);
    const isRight = lane.along.x < 0;
    const line = (text: string, ink: string, place: number): Shape => ({ kind: "text", x: lane.from.x + (isRight ? -4 : 4), y: spot.y - 11 - 14 * place, text, ink, align: isRight ? "end" : "start", isBold: text === followed });
    if (flows.length > MOST_NAMES) return [line(flows.length + " flows", "soft", 0)];
    return flows.map(({ name }, place) => line(name, colours.get(name) as string, place));
  });
}
