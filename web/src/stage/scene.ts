// Places of the moving picture: small fabrics with switches as boxes in which packets wait, others as the report draws them.
//
// Invariant: pure functions without the page, so that the same places make the thumbnails of the gallery when the page is built.
import { layout } from "../../../crates/page/src/script/layout.js";
import type { Graph } from "../../../crates/page/src/script/types.js";
import { peersOf, type Known } from "./cast.ts";

export interface Point {
  x: number;
  y: number;
}

/** A node: a host, or a switch as a box of this half width and height. */
export interface Spot extends Point {
  name: string;
  isHost: boolean;
  halfWidth: number;
  halfHeight: number;
  /** Side of the name at a host; `none` where names would touch. */
  label: "left" | "right" | "below" | "none";
}

/** An output with its lane: from the edge of its node to that of its peer. */
export interface Lane {
  node: number;
  peer: number;
  from: Point;
  to: Point;
  /** Direction of the lane: a vector of length 1. */
  along: Point;
  length: number;
  /** Rows of packets that can wait side by side inside the box; 0 if they wait along the lane. */
  rows: number;
  /** Depth of the box behind the port, in px. */
  depth: number;
}

/** Places of a fabric. */
export interface Scene {
  spots: Spot[];
  lanes: Lane[];
  width: number;
  height: number;
  /** True if each packet in a box has its place. */
  isBoxed: boolean;
}

/** Distance between waiting packets, in px. */
export const GAP = 7;
const HOST = 8;
const EDGE = 34;
const MARGIN = 8;
/** Least room of a host with a name, in px. */
const NAMED = 26;
/** Distance between the two lanes of a cable, in px. */
const APART = 7;

/** Returns the places for a width in px. Small fabrics have this height, others as much as they need, or no more than it if `isFlat`. */
export function arranged(graph: Graph, flows: Known[], width: number, height: number, isFlat = false): Scene {
  const switches = graph.nodes.length - graph.hosts;
  const peers = peersOf(graph);
  const isSmall = switches <= 2 && graph.hosts <= 16 && graph.hosts >= 2;
  const ring = isSmall ? null : ringOf(graph, peers);
  if (ring) return circle(graph, peers, ring, width, isFlat ? height : Math.max(height, Math.min(1.5 * height, width * 0.7)));
  if (!isSmall) return levels(graph, width, isFlat ? height : Infinity);
  const first = graph.hosts;
  const sources = new Set(flows.map(({ from }) => from));
  const isLeft = (host: number) => switches === 2 ? peers[host]?.includes(first) : sources.size > 0 ? sources.has(host) : host < graph.hosts / 2;
  const hosts = Array.from({ length: graph.hosts }, (_, host) => host);
  const [left, right] = [hosts.filter((host) => isLeft(host)), hosts.filter((host) => !isLeft(host))];
  const spots: Spot[] = graph.nodes.map((name, node) => ({ name, isHost: node < graph.hosts, x: 0, y: 0, halfWidth: HOST, halfHeight: HOST, label: "left" }));
  const column = (column: number[], x: number, label: Spot["label"]) => column.forEach((host, place) => {
    const room = (height - 2 * MARGIN) / column.length;
    const half = Math.min(HOST, room * 0.42);
    Object.assign(spots[host] as Spot, { x, y: MARGIN + room * (place + 0.5), halfWidth: half, halfHeight: half, label: room < NAMED ? "none" : label });
  });
  column(left, EDGE, "left");
  column(right, width - EDGE, "right");
  const box = { y: height / 2, halfHeight: height / 2 - MARGIN };
  if (switches === 2) {
    const halfWidth = Math.min(46, width * 0.075);
    Object.assign(spots[first] as Spot, { ...box, x: width * 0.36, halfWidth });
    Object.assign(spots[first + 1] as Spot, { ...box, x: width * 0.64, halfWidth });
  } else {
    Object.assign(spots[first] as Spot, { ...box, x: width / 2, halfWidth: Math.min(90, width * 0.15) });
  }
  return { spots, lanes: lanesOf(graph, spots, true), width, height, isBoxed: true };
}

/** Returns the switches of a ring in their order, or `null` if the switches are no ring. */
function ringOf(graph: Graph, peers: number[][]): number[] | null {
  const first = graph.hosts;
  const count = graph.nodes.length - first;
  const next = (node: number) => (peers[node] as number[]).filter((peer) => peer >= first);
  if (count < 3 || count > 16 || graph.hosts > 2 * count) return null;
  const order = [first];
  for (let at = first, before = -1; order.length < count;) {
    const ways = next(at);
    const to = ways.find((peer) => peer !== before);
    if (ways.length !== 2 || to === undefined || order.includes(to)) return null;
    order.push(to);
    [before, at] = [at, to];
  }
  return next(order[count - 1] as number).includes(first) ? order : null;
}

/** Returns the places of a ring: switches on an ellipse, each with its hosts outside. */
function circle(graph: Graph, peers: number[][], ring: number[], width: number, height: number): Scene {
  const half = Math.min(10, height / 14);
  const spots: Spot[] = graph.nodes.map((name, node) => ({ name, isHost: node < graph.hosts, x: 0, y: 0, halfWidth: node < graph.hosts ? 0.6 * half : half, halfHeight: node < graph.hosts ? 0.6 * half : half,
    label: height < 2 * HOST * 9 ? "none" : "below" }));
  const [across, down] = [Math.min(width / 2 - 12, height * 0.9), height / 2 - 18];
  ring.forEach((node, place) => {
    const at = (angle: number, share: number) => ({ x: width / 2 + across * share * Math.sin(angle), y: height / 2 - 6 - down * share * Math.cos(angle) });
    const angle = 2 * Math.PI * place / ring.length;
    Object.assign(spots[node] as Spot, at(angle, 0.62));
    const hosts = (peers[node] as number[]).filter((peer) => peer < graph.hosts);
    hosts.forEach((host, one) => Object.assign(spots[host] as Spot, at(angle + 0.3 * (one - (hosts.length - 1) / 2), 1)));
  });
  return { spots, lanes: lanesOf(graph, spots, false), width, height, isBoxed: false };
}

/** Returns the places of the report's picture, at most `most` px high. */
function levels(graph: Graph, width: number, most: number): Scene {
  const plan = layout(graph, width);
  const flat = Math.min(1, most / plan.height);
  const half = plan.cell < 12 ? 5 : 9;
  const isNamed = plan.cell >= 24;
  const spots: Spot[] = plan.places.map(({ x, y, isHost }, node) => ({ name: graph.nodes[node] as string, isHost, x, y: y * flat,
    halfWidth: isHost ? plan.radius : half, halfHeight: isHost ? plan.radius : half, label: isHost ? isNamed ? "below" : "none" : "below" }));
  return { spots, lanes: lanesOf(graph, spots, false), width: plan.width, height: plan.height * flat, isBoxed: false };
}

/** Returns the lanes of all outputs. Between boxes they are level, so that the packets behind a port have room. */
function lanesOf(graph: Graph, spots: Spot[], isBoxed: boolean): Lane[] {
  const lanes: Lane[] = [];
  const counts = new Map<string, number>();
  for (let at = 0; at < graph.outputs.length; at += 3) {
    const [node, peer] = [graph.outputs[at] as number, graph.outputs[at + 2] as number];
    const [one, other] = [spots[node] as Spot, spots[peer] as Spot];
    const key = node + "-" + peer;
    const place = counts.get(key) ?? 0;
    counts.set(key, place + 1);
    // Level lanes end at the host's height, or at the middle of a box.
    const host = one.isHost ? one : other.isHost ? other : null;
    const [from, to] = isBoxed ? [{ x: one.x, y: host?.y ?? one.y }, { x: other.x, y: host?.y ?? other.y }] : [{ x: one.x, y: one.y }, { x: other.x, y: other.y }];
    const span = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const along = { x: (to.x - from.x) / span, y: (to.y - from.y) / span };
    const apart = (isBoxed ? Math.min(APART, 0.8 * Math.min(one.halfHeight, other.halfHeight)) : 3) / 2 + place * (isBoxed ? 2 * APART : 6);
    const aside = { x: -along.y * apart, y: along.x * apart };
    const [start, end] = [reach(one, along), reach(other, along)];
    lanes.push({
      node, peer, along, length: Math.max(span - start - end, 1),
      from: { x: from.x + along.x * start + aside.x, y: from.y + along.y * start + aside.y },
      to: { x: to.x - along.x * end + aside.x, y: to.y - along.y * end + aside.y },
      rows: isBoxed && !one.isHost ? rowsOf(graph, spots, node, peer) : 0, depth: one.halfWidth * 2 - GAP,
    });
  }
  return lanes;
}

/** Returns the distance from the middle of a node to its edge. */
function reach(spot: Spot, along: Point): number {
  if (spot.isHost) return spot.halfWidth + 2;
  return Math.min(spot.halfWidth / Math.max(Math.abs(along.x), 1e-6), spot.halfHeight / Math.max(Math.abs(along.y), 1e-6));
}

/** Returns the rows of packets that have room at a port: those to hosts share the side of their box. */
function rowsOf(graph: Graph, spots: Spot[], node: number, peer: number): number {
  const box = spots[node] as Spot;
  if (!spots[peer]?.isHost) return Math.min(9, Math.floor(box.halfHeight * 2 / GAP) - 2);
  const side = Math.sign((spots[peer] as Spot).x - box.x);
  let beside = 0;
  for (let at = 0; at < graph.outputs.length; at += 3) {
    const far = spots[graph.outputs[at + 2] as number] as Spot;
    if (graph.outputs[at] === node && far.isHost && Math.sign(far.x - box.x) === side) beside += 1;
  }
  const toEdge = box.halfHeight - Math.abs((spots[peer] as Spot).y - box.y) - APART / 2;
  return Math.max(2, Math.min(9, Math.floor(box.halfHeight * 2 / beside / GAP) - 1, Math.floor(2 * toEdge / GAP) - 1));
}
