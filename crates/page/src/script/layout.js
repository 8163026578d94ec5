// Places of nodes: hosts below their switch, switches above those by which hosts reach them; one or two switches with hosts beside them.

/** @import { Bar, Graph, Place, Plan } from "./types.js" */

const STEP = 110;
const MARGIN = 16;
// Room of a host whose name is written below it.
const NAMED = 34;
// Room above the highest row, and more of it if links in that row bend upwards.
const TOP = 38;
const BENT_TOP = 64;
/** Least room of a host that is drawn by itself, in a picture that may draw the hosts of a switch as a bar. */
const LEAST_CELL = 11;
/** Least room of a switch with hosts, in px: as a bar, and host by host. */
const LEAST_LEAF = { bar: 8, hosts: 22 };
/** Most hosts beside one or two switches. */
const MOST_BESIDE = 24;
/** Room of a host beside a switch, and of its name, in px. */
const BESIDE = { row: 60, least: 5, name: 58 };
const BAR = { height: 46, widest: 64 };

/**
 * Returns the places of a fabric's nodes for a width in pixels. `outputs` are node, port and peer in turn, `hosts` the number of
 * hosts, which come first. Nodes are `{ x, y, level }`; the drawing has the width and height that are returned with them. With
 * `isRich`, one or two switches have their hosts beside them, and hosts without room become a bar of their switch, but for those of
 * the switch `expanded`.
 *
 * @param {Graph} graph
 * @param {number} room
 * @param {{ isRich?: boolean, expanded?: number | null }} [options]
 * @returns {Plan}
 */
export function layout({ nodes, hosts, outputs }, room, { isRich = false, expanded = null } = {}) {
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
  /** @type {Place[]} */
  const places = nodes.map((_, node) => ({ x: 0, y: 0, level: level[node], isHost: node < hosts, side: 0 }));
  const switches = nodes.length - hosts;
  if (isRich && highest === 1 && switches <= 2 && leaves === switches && hosts <= MOST_BESIDE) return beside(places, below, hosts, room);
  const width = Math.max(room, 2 * MARGIN + leaves * (isRich ? LEAST_LEAF.bar : LEAST_LEAF.hosts));
  for (let row = 1; row <= highest; row += 1) {
    const switches = level.flatMap((one, node) => one === row && node >= hosts ? [node] : []);
    const step = (width - 2 * MARGIN) / switches.length;
    switches.forEach((node, place) => {
      places[node].x = MARGIN + step * (place + 0.5);
      places[node].y = top + STEP * (highest - row);
    });
  }
  const bottom = highest === 0 ? top : top + STEP * (highest - 1);
  const placed = placeHosts(places, below, { width, leaves, bottom, isRich, expanded });
  const counts = places.reduce((rows, place) => rows.set(place.level, (rows.get(place.level) ?? 0) + 1), /** @type {Map<number, number>} */ (new Map()));
  const spacing = (/** @type {number} */ row) => width / (counts.get(row) ?? 1);
  return { places, width, spacing, isBeside: false, ...placed };
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
 * Returns the plan of one or two switches: hosts at both sides, and the links across the whole width.
 *
 * @param {Place[]} places
 * @param {Map<number, number[]>} below
 * @param {number} hosts
 * @param {number} width
 * @returns {Plan}
 */
function beside(places, below, hosts, width) {
  const all = [...below.values()].flat();
  const half = Math.ceil(all.length / 2);
  const [left, right] = below.size === 1 ? [all.slice(0, half), all.slice(half)] : [...below.values()];
  const rows = Math.max(left.length, right.length, BESIDE.least);
  const height = rows * BESIDE.row + 2 * MARGIN;
  const edge = Math.min(BESIDE.name + MARGIN, width / 4);
  [left, right].forEach((column, at) => column.forEach((host, row) => {
    const y = height / 2 + (row - (column.length - 1) / 2) * BESIDE.row;
    Object.assign(places[host], { x: at === 0 ? edge : width - edge, y, side: at === 0 ? -1 : 1 });
  }));
  const middle = (width - 2 * edge) / (below.size === 1 ? 2 : 3);
  [...below.keys()].forEach((leaf, at) => Object.assign(places[leaf], { x: edge + middle * (at + 1), y: height / 2 }));
  return { places, width, height, radius: 8, cell: BESIDE.name, spacing: () => width / 3, bars: [], isBeside: true };
}

/**
 * Puts hosts in rows below their switch; returns the height of the drawing, the radius of a host, and bars that stand for hosts.
 *
 * @param {Place[]} places
 * @param {Map<number, number[]>} below
 * @param {{ width: number, leaves: number, bottom: number, isRich: boolean, expanded: number | null }} room
 */
function placeHosts(places, below, { width, leaves, bottom, isRich, expanded }) {
  const most = Math.max(1, ...[...below.values()].map((hosts) => hosts.length));
  const room = (width - 2 * MARGIN) / Math.max(leaves, 1);
  const isRow = room / most >= NAMED;
  const fitting = Math.max(1, Math.floor(room / 10));
  const across = isRow ? most : Math.min(most, fitting, Math.ceil(Math.sqrt(most) * 1.5));
  const cell = Math.min(Math.max(room * 0.92 / across, 4), isRow ? 90 : 20);
  const row = Math.min(cell, 18);
  /** @type {Bar[]} */
  const bars = [];
  let lowest = bottom;
  for (const [leaf, hosts] of below) {
    if (isRich && leaf >= 0 && cell < LEAST_CELL) {
      const bar = { leaf, hosts, x: places[leaf].x, y: bottom + 62, width: Math.min(room * 0.8, BAR.widest), height: BAR.height };
      bars.push(bar);
      hosts.forEach((host) => Object.assign(places[host], { x: bar.x, y: bar.y, inBar: leaf !== expanded }));
      lowest = Math.max(lowest, bar.y + bar.height);
      continue;
    }
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
  const open = bars.find((bar) => bar.leaf === expanded);
  if (!open) return { height: lowest + 34, radius: Math.min(6, Math.max(cell * 0.34, 2)), cell, bars };
  const columns = Math.min(open.hosts.length, Math.max(1, Math.floor((width - 2 * MARGIN) / NAMED)));
  open.hosts.forEach((host, place) => {
    const step = (width - 2 * MARGIN) / columns;
    Object.assign(places[host], { x: MARGIN + step * (place % columns + 0.5), y: lowest + 60 + 44 * Math.floor(place / columns) });
  });
  return { height: lowest + 60 + 44 * Math.ceil(open.hosts.length / columns), radius: 6, cell: NAMED, bars };
}
