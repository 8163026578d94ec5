// The picture of a fabric: links by load and stalls, and the marks of congestion trees, on a canvas or an SVG.
//
// Trees and a chosen path have colours of their own. Paper stands between them and a link, since no colour differs enough from all classes of heat.
import { heatClass, heatColours, colour } from "./palette.js";
import { outputName } from "./trees.js";

/** @import { Bar, Brush, Graph, Lane, Marks, PictureState, Place, Plan } from "./types.js" */

const WIDTHS = [1, 1.6, 2.4, 3.2, 4.2, 5.4];
/** Further width of links above the lowest class of colour, which is grey: a line of 1 px hardly shows a colour. */
const COLOURED = 1;
/** Distance of a lane from the middle of its link in px, by the most links of a fabric. */
const DISTANCES = [[24, 4.5], [120, 3], [700, 2], [Infinity, 1.2]];
/** Most distance of the outermost of several lanes between two nodes, in px, by the most links of a fabric. */
const OUTERMOST = [[120, 9], [Infinity, 5]];
/** Width of links without heat, by the most links of a fabric: many would be a wall. */
const QUIET = [[120, 1], [700, 0.5], [Infinity, 0.4]];
/** Paper and colour around a link of a tree, in px on both sides together. */
const CASING = { paper: 3, branch: 7, root: 11, path: 8 };
/** Strength of links that do not belong to what a reader chose, and least width of a chosen link. */
const FADED_LINKS = 0.3;
const LEAST_CHOSEN = 1.6;
/** Most hosts whose names are written because a reader chose them. */
const MOST_NAMED_HOSTS = 6;
const MOST_NAMED_ROOTS = 3;
/** Width below which names of several roots would cover each other, in px. */
const NARROW_PICTURE = 600;
const NAME_FONT = "11px system-ui, sans-serif";

/**
 * Returns the lane of each output, to the right of the middle of its link.
 *
 * @param {Graph} fabric
 * @param {Plan} plan
 * @returns {Lane[]}
 */
export function lanes(fabric, { places, isBeside }) {
  const count = fabric.outputs.length / 3;
  const distance = DISTANCES.find(([most]) => count / 2 <= most)?.[1] ?? 1;
  const outermost = OUTERMOST.find(([most]) => count / 2 <= most)?.[1] ?? distance;
  /** @type {Map<string, number>} */
  const seen = new Map();
  /** @type {Map<string, number>} */
  const all = new Map();
  for (let at = 0; at < fabric.outputs.length; at += 3) {
    const pair = fabric.outputs[at] + " " + fabric.outputs[at + 2];
    all.set(pair, (all.get(pair) ?? 0) + 1);
  }
  return Array.from({ length: count }, (_, output) => {
    const [from, , to] = fabric.outputs.slice(3 * output, 3 * output + 3);
    const pair = from + " " + to;
    const parallel = seen.get(pair) ?? 0;
    seen.set(pair, parallel + 1);
    const [a, b] = [places[from], places[to]];
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const step = Math.min(2.4 * distance, (outermost - distance) / Math.max((all.get(pair) ?? 1) - 1, 1));
    const away = distance + step * parallel;
    const [x, y] = [-(b.y - a.y) / length * away, (b.x - a.x) / length * away];
    const isBent = !isBeside && !a.isHost && a.level === b.level;
    const bend = isBent ? Math.min(92, 20 + Math.abs(a.x - b.x) * 0.32) : 0;
    return { a: { x: a.x + x, y: a.y + y }, b: { x: b.x + x, y: b.y + y },
      control: { x: (a.x + b.x) / 2 + x, y: (a.y + b.y) / 2 + y - bend } };
  });
}

/**
 * Returns the point of a lane at a part of its way.
 *
 * @param {Lane} lane
 * @param {number} part
 */
export function along({ a, control, b }, part) {
  const rest = 1 - part;
  return { x: rest * rest * a.x + 2 * rest * part * control.x + part * part * b.x, y: rest * rest * a.y + 2 * rest * part * control.y + part * part * b.y };
}

/**
 * @param {Brush} ctx
 * @param {Lane} lane
 */
function trace(ctx, { a, control, b }) {
  ctx.moveTo(a.x, a.y);
  ctx.quadraticCurveTo(control.x, control.y, b.x, b.y);
}

/**
 * Draws the fabric. `state` has `colours` and `widths`, shares by output, and `marks`, sets of outputs and hosts. Outputs with the
 * same class are drawn at once, the highest class last, and those of trees above all.
 *
 * @param {Brush} ctx
 * @param {Graph} fabric
 * @param {Plan} plan
 * @param {Lane[]} links
 * @param {PictureState} state
 */
export function draw(ctx, fabric, plan, links, state) {
  ctx.clearRect(0, 0, plan.width, plan.height);
  ctx.lineCap = "butt";
  ctx.setLineDash([]);
  const heats = heatColours();
  // Others step back behind what a reader chose.
  ctx.globalAlpha = state.chosen ? FADED_LINKS : 1;
  /** @type {Map<number, number[]>} */
  const groups = new Map();
  const key = (/** @type {number} */ output) => heatClass(state.colours[output]) * 8 + heatClass(state.widths[output]);
  links.forEach((_, output) => {
    const group = groups.get(key(output));
    if (group) group.push(output);
    else groups.set(key(output), [output]);
  });
  [...groups.keys()].sort((a, b) => a - b).forEach((group) => {
    const members = groups.get(group) ?? [];
    const thinner = group >> 3 > 0 ? 1 : QUIET.find(([most]) => links.length / 2 <= most)?.[1] ?? 1;
    stroke(ctx, members.map((output) => links[output]), heats[group >> 3], linkWidth(state, members[0]) * thinner);
  });
  if (state.chosen?.isTree) ctx.globalAlpha = 1;
  drawTrees(ctx, links, state);
  ctx.globalAlpha = 1;
  if (state.chosen && !state.chosen.isTree) drawPath(ctx, links, state, state.chosen.outputs);
  drawNodes(ctx, fabric, plan, state);
  if (state.chosen) drawRings(ctx, fabric, plan, state.chosen.nodes);
  drawNames(ctx, fabric, plan);
  drawRoots(ctx, fabric, plan, links, state);
}

/**
 * @param {PictureState} state
 * @param {number} output
 */
function linkWidth({ colours, widths }, output) {
  return WIDTHS[heatClass(widths[output])] + (heatClass(colours[output]) > 0 ? COLOURED : 0);
}

/**
 * @param {Brush} ctx
 * @param {Lane[]} links
 * @param {string} style
 * @param {number} width
 */
function stroke(ctx, links, style, width) {
  ctx.strokeStyle = style;
  ctx.lineWidth = width;
  ctx.beginPath();
  links.forEach((link) => trace(ctx, link));
  ctx.stroke();
}

/**
 * Draws the outputs that a reader chose above all others, cased in the colour of paths.
 *
 * @param {Brush} ctx
 * @param {Lane[]} links
 * @param {PictureState} state
 * @param {Set<number>} outputs
 */
function drawPath(ctx, links, state, outputs) {
  const [path, paper, heats] = [colour("path"), colour("paper"), heatColours()];
  const width = (/** @type {number} */ output) => Math.max(linkWidth(state, output), LEAST_CHOSEN);
  outputs.forEach((output) => stroke(ctx, [links[output]], path, width(output) + CASING.path));
  outputs.forEach((output) => stroke(ctx, [links[output]], paper, width(output) + CASING.paper));
  outputs.forEach((output) => stroke(ctx, [links[output]], heats[heatClass(state.colours[output])], width(output)));
}

/**
 * Draws a ring around each node that a reader chose, or around the bar of a host, and names hosts if they are few.
 *
 * @param {Brush} ctx
 * @param {Graph} fabric
 * @param {Plan} plan
 * @param {Set<number>} nodes
 */
function drawRings(ctx, fabric, plan, nodes) {
  const path = colour("path");
  const isFew = [...nodes].filter((node) => node < fabric.hosts).length <= MOST_NAMED_HOSTS;
  nodes.forEach((node) => {
    const { x, y, inBar } = plan.places[node];
    const bar = inBar ? plan.bars.find(({ hosts: all }) => all.includes(node)) : null;
    ctx.strokeStyle = path;
    ctx.lineWidth = 3;
    if (bar) ctx.strokeRect(bar.x - bar.width / 2 - 3, bar.y - 3, bar.width + 6, bar.height + 6);
    else {
      ctx.beginPath();
      ctx.arc(x, y, 12, 0, 7);
      ctx.stroke();
    }
    if (!isFew || node >= fabric.hosts || !bar && plan.cell >= 30) return;
    ctx.textAlign = x < 60 ? "left" : x > plan.width - 60 ? "right" : "center";
    written(ctx, fabric.nodes[node], x, (bar ? bar.y + bar.height : y) + (bar ? 26 : 24), path, "bold " + NAME_FONT);
  });
}

/**
 * Draws the links of trees again, cased in the colour of trees.
 *
 * @param {Brush} ctx
 * @param {Lane[]} links
 * @param {PictureState} state
 */
function drawTrees(ctx, links, state) {
  const [tree, paper, heats] = [colour("tree"), colour("paper"), heatColours()];
  const { roots, branches } = state.marks;
  const members = [...new Set([...branches, ...roots])];
  members.forEach((output) => stroke(ctx, [links[output]], tree, linkWidth(state, output) + (roots.has(output) ? CASING.root : CASING.branch)));
  members.forEach((output) => stroke(ctx, [links[output]], paper, linkWidth(state, output) + CASING.paper));
  members.forEach((output) => stroke(ctx, [links[output]], heats[heatClass(state.colours[output])], linkWidth(state, output)));
}

/**
 * Draws a square at each root, and names the first of them.
 *
 * @param {Brush} ctx
 * @param {Graph} fabric
 * @param {Plan} plan
 * @param {Lane[]} links
 * @param {PictureState} state
 */
function drawRoots(ctx, fabric, plan, links, { marks, headline }) {
  const order = [...marks.roots].sort((one, other) => Number(other === headline) - Number(one === headline));
  order.reverse().forEach((output, at) => {
    const { x, y } = along(links[output], 0.42);
    ctx.fillStyle = colour("tree");
    ctx.strokeStyle = colour("paper");
    ctx.lineWidth = 2;
    ctx.fillRect(x - 6, y - 6, 12, 12);
    ctx.strokeRect(x - 6, y - 6, 12, 12);
    if (order.length - at > (plan.width < NARROW_PICTURE ? 1 : MOST_NAMED_ROOTS)) return;
    const { width } = plan;
    ctx.textAlign = x < 90 ? "left" : x > width - 90 ? "right" : "center";
    written(ctx, "root " + outputName(fabric, output), x, y - 12, colour("tree"), "bold " + NAME_FONT);
  });
}

/**
 * Writes a text with an edge of paper, which keeps it readable on a link.
 *
 * @param {Brush} ctx
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} ink
 * @param {string} font
 */
function written(ctx, text, x, y, ink, font) {
  ctx.font = font;
  ctx.lineJoin = "round";
  ctx.strokeStyle = colour("paper");
  ctx.lineWidth = 4;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = ink;
  ctx.fillText(text, x, y);
}

/**
 * Draws switches as dots, hosts as dots, triangles (contributors) and squares (victims), or as bars.
 *
 * @param {Brush} ctx
 * @param {Graph} fabric
 * @param {Plan} plan
 * @param {PictureState} state
 */
function drawNodes(ctx, fabric, plan, { marks, colours }) {
  const [ink, paper] = [colour("ink"), colour("paper")];
  ctx.lineJoin = "round";
  const shares = plan.bars.length > 0 ? sharesOfHosts(fabric, colours) : [];
  plan.bars.forEach((bar) => drawBar(ctx, bar, marks, shares));
  plan.places.forEach((place, node) => {
    if (place.inBar) return;
    const size = place.isHost ? plan.radius : plan.isBeside ? 10 : Math.min(7, plan.spacing(place.level) * 0.4);
    const [gives, waits] = [marks.contributors.has(node), marks.victims.has(node)];
    if (place.isHost && (gives || waits)) {
      drawHost(ctx, place, Math.max(size, 4.5), { gives, waits });
      return;
    }
    ctx.strokeStyle = ink;
    ctx.lineWidth = 1;
    ctx.fillStyle = place.isHost ? paper : ink;
    ctx.beginPath();
    ctx.arc(place.x, place.y, size, 0, 7);
    ctx.fill();
    ctx.stroke();
  });
}

/**
 * Returns the largest share of each host's two links.
 *
 * @param {Graph} fabric
 * @param {number[]} shares
 */
function sharesOfHosts({ hosts, outputs }, shares) {
  const largest = Array.from({ length: hosts }, () => 0);
  shares.forEach((share, output) => [outputs[3 * output], outputs[3 * output + 2]].forEach((node) => {
    if (node < hosts) largest[node] = Math.max(largest[node], Math.min(share, 1));
  }));
  return largest;
}

/**
 * Draws the hosts of a switch as a bar, with the shares of its hosts that contribute and that wait, and the mean of their links between.
 *
 * @param {Brush} ctx
 * @param {Bar} bar
 * @param {Marks} marks
 * @param {number[]} shares
 */
function drawBar(ctx, { hosts, x, y, width, height }, marks, shares) {
  ctx.fillStyle = colour("paper");
  ctx.fillRect(x - width / 2, y, width, height);
  const mean = hosts.reduce((sum, host) => sum + shares[host], 0) / hosts.length;
  const part = (/** @type {Set<number>} */ marked) => hosts.filter((host) => marked.has(host)).length / hosts.length;
  // Contributors on the left, victims on the right: a host may be both.
  const columns = [[part(marks.contributors), colour("tree")], [mean, heatColours()[heatClass(mean)]], [part(marks.victims), colour("victim")]];
  columns.forEach(([share, ink], place) => {
    ctx.fillStyle = String(ink);
    ctx.fillRect(x - width / 2 + width / 3 * place, y + height * (1 - Number(share)), width / 3, height * Number(share));
  });
  ctx.strokeStyle = colour("ink");
  ctx.lineWidth = 1;
  ctx.strokeRect(x - width / 2, y, width, height);
  ctx.textAlign = "center";
  if (width >= 20) written(ctx, String(hosts.length), x, y + height + 14, colour("soft"), NAME_FONT);
}

/**
 * @param {Brush} ctx
 * @param {Place} place
 * @param {number} size
 * @param {{ gives: boolean, waits: boolean }} look
 */
function drawHost(ctx, { x, y }, size, { gives, waits }) {
  ctx.strokeStyle = colour("paper");
  ctx.lineWidth = 1.5;
  if (waits) {
    ctx.fillStyle = colour("victim");
    ctx.fillRect(x - size, y - size, 2 * size, 2 * size);
    ctx.strokeRect(x - size, y - size, 2 * size, 2 * size);
  }
  if (gives) {
    const half = waits ? size * 0.7 : size;
    ctx.fillStyle = colour("tree");
    ctx.beginPath();
    ctx.moveTo(x, y - half);
    ctx.lineTo(x + half, y + half);
    ctx.lineTo(x - half, y + half);
    ctx.lineTo(x, y - half);
    ctx.fill();
    ctx.stroke();
  }
}

/**
 * Writes the names of nodes. Names without room lose what all names of their level begin with, which then stands above the first;
 * if that is not enough, only some have a name.
 *
 * @param {Brush} ctx
 * @param {Graph} fabric
 * @param {Plan} plan
 */
function drawNames(ctx, fabric, plan) {
  ctx.font = NAME_FONT;
  const [ink, soft] = [colour("ink"), colour("soft")];
  /** @type {Map<number, number[]>} */
  const rows = new Map();
  plan.places.forEach(({ inBar, level }, node) => !inBar && rows.set(level, [...(rows.get(level) ?? []), node]));
  rows.forEach((nodes, level) => {
    const widest = (/** @type {string[]} */ names) => names.reduce((most, name) => Math.max(most, ctx.measureText(name).width), 0) + 4;
    const names = nodes.map((node) => fabric.nodes[node]);
    const room = level > 0 ? plan.spacing(level) : plan.cell >= 30 ? plan.cell : 0;
    if (plan.isBeside || widest(names) < room) return nodes.forEach((node, at) => writeName(ctx, plan.places[node], names[at], plan.radius, ink));
    const shared = sharedStart(names);
    const short = names.map((name) => name.slice(shared.length));
    if (level === 0) return;
    const every = Math.max(1, Math.ceil(widest(short) / room));
    nodes.forEach((node, at) => at % every === 0 && writeName(ctx, plan.places[node], short[at], plan.radius, ink));
    ctx.textAlign = "left";
    if (shared !== "") written(ctx, shared, 2, plan.places[nodes[0]].y - 24, soft, NAME_FONT);
  });
}

/**
 * @param {Brush} ctx
 * @param {Place} place
 * @param {string} name
 * @param {number} radius
 * @param {string} ink
 */
function writeName(ctx, { x, y, isHost, side }, name, radius, ink) {
  ctx.textAlign = side < 0 ? "right" : side > 0 ? "left" : "center";
  if (side === 0) written(ctx, name, x, isHost ? y + radius + 12 : y - 14, ink, NAME_FONT);
  else written(ctx, name, x + side * 14, y + 4, ink, NAME_FONT);
}

/**
 * Returns what all of several names begin with, without digits at its end.
 *
 * @param {string[]} names
 */
function sharedStart(names) {
  let end = 0;
  while (end < names[0].length && names.every((name) => name[end] === names[0][end])) end += 1;
  return names[0].slice(0, end).replace(/\d+$/, "");
}
