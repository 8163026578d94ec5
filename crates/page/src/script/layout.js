// Places of nodes: hosts below their switch, switches above those by which hosts reach them.

/** @import { Graph, Plan } from "./types.js" */

const STEP = 110;
const MARGIN = 16;
// Room of a host whose name is written below it.
const NAMED = 34;
// Room above the highest row, and more of it if links in that row bend upwards.
const TOP = 34;
const BENT_TOP = 64;

/**
 * Returns the places of a fabric's nodes for a width in pixels. `outputs` are node, port and peer in turn, `hosts` the number of
 * hosts, which come first. Nodes are `{ x, y, level }`; the drawing has the width and height that are returned with them.
 *
 * @param {Graph} graph
 * @param {number} room
 * @returns {Plan}
 */
export function layout({ nodes, hosts, outputs }, room) {
  /** @type {number[][]} */
  const peers = nodes.map(() => []);
  for (let at = 0; at < outputs.length; at += 3) peers[outputs[at]].push(outputs[at + 2]);
  const level = levels(nodes.length, hosts, peers);
  const highest = Math.max(...level);
  const bends = nodes.some((_, node) => highest > 0 && level[node] === highest && peers[node].some((peer) => level[peer] === highest));
  const top = bends ? BENT_TOP : TOP;
  /** @type {Map<number, number[]>} */
  const below = new Map();
  for (let host = 0; host < hosts; host += 1) {
    const leaf = peers[host].find((peer) => peer >= hosts) ?? -1;
    below.set(leaf, [...(below.get(leaf) || []), host]);
  }
  const leaves = [...below.keys()].length;
  const width = Math.max(room, 2 * MARGIN + leaves * 22);
  const places = nodes.map((_, node) => ({ x: 0, y: 0, level: level[node] }));
  for (let row = 1; row <= highest; row += 1) {
    const switches = level.flatMap((one, node) => one === row && node >= hosts ? [node] : []);
    const step = (width - 2 * MARGIN) / switches.length;
    switches.forEach((node, place) => {
      places[node].x = MARGIN + step * (place + 0.5);
      places[node].y = top + STEP * (highest - row);
    });
  }
  const bottom = highest === 0 ? top : top + STEP * (highest - 1);
  const height = placeHosts(places, below, { width, leaves, bottom });
  const counts = places.reduce((rows, place) => rows.set(place.level, (rows.get(place.level) ?? 0) + 1), /** @type {Map<number, number>} */ (new Map()));
  const spacing = (/** @type {number} */ row) => width / (counts.get(row) ?? 1);
  return { places: places.map((place, node) => ({ ...place, isHost: node < hosts })), width, spacing, ...height };
}

/**
 * Returns the level of each node: 0 for hosts, 1 for switches with a host, 2 for those next to them, and so on.
 *
 * @param {number} count
 * @param {number} hosts
 * @param {number[][]} peers
 */
function levels(count, hosts, peers) {
  /** @type {number[]} */
  const level = Array.from({ length: count }, (_, node) => node < hosts ? 0 : -1);
  let row = level.flatMap((one, node) => one === 0 ? [node] : []);
  for (let next = 1; row.length > 0; next += 1) {
    row = [...new Set(row.flatMap((node) => peers[node]))].filter((node) => level[node] < 0);
    row.forEach((node) => { level[node] = next; });
  }
  return level.map((one) => Math.max(one, one < 0 ? 1 : 0));
}

/**
 * Puts hosts in rows below their switch; returns the height of the drawing, and the radius of a host.
 *
 * @param {{ x: number, y: number }[]} places
 * @param {Map<number, number[]>} below
 * @param {{ width: number, leaves: number, bottom: number }} room
 */
function placeHosts(places, below, { width, leaves, bottom }) {
  const most = Math.max(1, ...[...below.values()].map((hosts) => hosts.length));
  const room = (width - 2 * MARGIN) / Math.max(leaves, 1);
  const isRow = room / most >= NAMED;
  const fitting = Math.max(1, Math.floor(room / 10));
  const across = isRow ? most : Math.min(most, fitting, Math.ceil(Math.sqrt(most) * 1.5));
  const cell = Math.min(Math.max(room * 0.92 / across, 4), isRow ? 90 : 20);
  const row = Math.min(cell, 18);
  let lowest = bottom;
  for (const [leaf, hosts] of below) {
    const middle = leaf < 0 ? width / 2 : places[leaf].x;
    const columns = leaf < 0 ? hosts.length : Math.min(across, hosts.length);
    const spacing = leaf < 0 ? (width - 2 * MARGIN) / columns : cell;
    hosts.forEach((host, place) => {
      const [line, across] = [Math.floor(place / columns), place % columns];
      places[host].x = middle + spacing * (across - (Math.min(columns, hosts.length) - 1) / 2);
      places[host].y = (leaf < 0 ? 40 : bottom + 62) + row * line;
      lowest = Math.max(lowest, places[host].y);
    });
  }
  return { height: lowest + 34, radius: Math.min(6, Math.max(cell * 0.34, 2)), cell };
}
