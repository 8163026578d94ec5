// The picture of a fabric on a canvas: links by load and stalls, and the marks of congestion trees.
import { heatClass, heatColours, colour } from "./palette.js";

/** @import { Graph, Half, Marks, PictureState, Place, Plan } from "./types.js" */

const WIDTHS = [1, 1.6, 2.4, 3.2, 4.2, 5.4];
/** Further width of links above the lowest class of colour, which is grey: a line of 1 px hardly shows a colour. */
const COLOURED = 1;

/**
 * Returns the half of a link that stands for an output, as points: its ends, and a bend if both nodes are in one row.
 *
 * @param {Place[]} places
 * @param {number} from
 * @param {number} to
 * @param {boolean} bent
 * @returns {Half}
 */
function half(places, from, to, bent) {
  const [a, b] = [places[from], places[to]];
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  if (bent) middle.y -= Math.min(46, 10 + Math.abs(a.x - b.x) * 0.16);
  return { a, middle, control: bent ? { x: a.x + (middle.x - a.x) * 0.35, y: middle.y } : middle };
}

/**
 * Returns the halves of all links.
 *
 * @param {Graph} fabric
 * @param {Place[]} places
 * @returns {Half[]}
 */
export function halves(fabric, places) {
  const count = fabric.outputs.length / 3;
  return Array.from({ length: count }, (_, output) => {
    const [from, , to] = fabric.outputs.slice(3 * output, 3 * output + 3);
    return half(places, from, to, !places[from].isHost && places[from].level === places[to].level);
  });
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Half} half
 */
function trace(ctx, { a, control, middle }) {
  ctx.moveTo(a.x, a.y);
  ctx.quadraticCurveTo(control.x, control.y, middle.x, middle.y);
}

/**
 * Draws the fabric. `state` has `colours` and `widths`, shares by output, and `marks`, sets of outputs and hosts. Outputs with the
 * same class are drawn at once, the highest class last.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {Graph} fabric
 * @param {Plan} plan
 * @param {Half[]} links
 * @param {PictureState} state
 */
export function draw(ctx, fabric, plan, links, state) {
  ctx.clearRect(0, 0, plan.width, plan.height);
  ctx.lineCap = "butt";
  drawBranches(ctx, links, state.marks);
  const heats = heatColours();
  /** @type {Map<number, Half[]>} */
  const groups = new Map();
  links.forEach((link, output) => {
    const [hue, width] = [heatClass(state.colours[output]), heatClass(state.widths[output])];
    const key = hue * 8 + width;
    const group = groups.get(key);
    if (group) group.push(link);
    else groups.set(key, [link]);
  });
  [...groups.keys()].sort((a, b) => a - b).forEach((key) => {
    ctx.strokeStyle = heats[key >> 3];
    ctx.lineWidth = WIDTHS[key & 7] + (key >> 3 > 0 ? COLOURED : 0);
    ctx.setLineDash([]);
    ctx.beginPath();
    (groups.get(key) ?? []).forEach((link) => trace(ctx, link));
    ctx.stroke();
  });
  drawRoots(ctx, links, state.marks);
  drawNodes(ctx, fabric, plan, state.marks);
}

/**
 * Draws branches as dots on both sides of their link, which is drawn above.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {Half[]} links
 * @param {Marks} marks
 */
function drawBranches(ctx, links, { branches }) {
  ctx.strokeStyle = colour("ink");
  ctx.lineWidth = 11;
  ctx.setLineDash([2, 4]);
  ctx.beginPath();
  branches.forEach((output) => trace(ctx, links[output]));
  ctx.stroke();
  ctx.setLineDash([]);
}

/**
 * Draws roots thick, with a square.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {Half[]} links
 * @param {Marks} marks
 */
function drawRoots(ctx, links, { roots }) {
  ctx.strokeStyle = colour("ink");
  ctx.fillStyle = colour("ink");
  ctx.lineWidth = 4;
  roots.forEach((output) => {
    ctx.beginPath();
    trace(ctx, links[output]);
    ctx.stroke();
    const { a, middle } = links[output];
    const at = { x: a.x + (middle.x - a.x) * 0.6, y: a.y + (middle.y - a.y) * 0.6 };
    ctx.fillRect(at.x - 5, at.y - 5, 10, 10);
  });
}

/**
 * Draws switches as dots, hosts as dots, triangles (contributors) and squares (victims).
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {Graph} fabric
 * @param {Plan} plan
 * @param {Marks} marks
 */
function drawNodes(ctx, fabric, plan, marks) {
  const [ink, paper] = [colour("ink"), colour("paper")];
  ctx.lineJoin = "round";
  ctx.font = "11px system-ui, sans-serif";
  ctx.textAlign = "center";
  const named = namedLevels(ctx, fabric, plan);
  plan.places.forEach((place, node) => {
    const size = place.isHost ? plan.radius : 7;
    ctx.strokeStyle = ink;
    ctx.lineWidth = 1;
    const [gives, waits] = [marks.contributors.has(node), marks.victims.has(node)];
    if (place.isHost && (gives || waits)) drawHost(ctx, place, Math.max(size, 4), { gives, waits, ink, paper });
    else {
      ctx.fillStyle = place.isHost ? paper : ink;
      ctx.beginPath();
      ctx.arc(place.x, place.y, size, 0, 7);
      ctx.fill();
      ctx.stroke();
    }
    if (named.has(place.level)) {
      const y = place.isHost ? place.y + size + 12 : place.y - 12;
      // An edge of paper keeps a name readable on a link.
      ctx.strokeStyle = paper;
      ctx.lineWidth = 3;
      ctx.strokeText(fabric.nodes[node], place.x, y);
      ctx.fillStyle = ink;
      ctx.fillText(fabric.nodes[node], place.x, y);
    }
  });
}

/**
 * Returns the levels whose names all have room.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {Graph} fabric
 * @param {Plan} plan
 */
function namedLevels(ctx, fabric, plan) {
  /** @type {Map<number, number>} */
  const widest = new Map();
  plan.places.forEach((place, node) => widest.set(place.level, Math.max(widest.get(place.level) || 0, ctx.measureText(fabric.nodes[node]).width)));
  const room = (/** @type {number} */ level) => level === 0 ? (plan.cell >= 30 ? plan.cell : 0) : plan.spacing(level);
  return new Set([...widest].filter(([level, width]) => width + 2 < room(level)).map(([level]) => level));
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Place} place
 * @param {number} size
 * @param {{ gives: boolean, waits: boolean, ink: string, paper: string }} look
 */
function drawHost(ctx, { x, y }, size, { gives, waits, ink, paper }) {
  if (waits) {
    ctx.fillStyle = paper;
    ctx.lineWidth = 2;
    ctx.fillRect(x - size, y - size, 2 * size, 2 * size);
    ctx.strokeRect(x - size, y - size, 2 * size, 2 * size);
  }
  if (gives) {
    const half = waits ? size * 0.6 : size;
    ctx.fillStyle = ink;
    ctx.beginPath();
    ctx.moveTo(x, y - half);
    ctx.lineTo(x + half, y + half);
    ctx.lineTo(x - half, y + half);
    ctx.fill();
  }
}
