// What a reader finds at a place of a fabric's picture: an output, a node, or a bar of hosts; and what belongs to it elsewhere.
import { counted, percent, spelled } from "./format.js";
import { listed, outputName } from "./trees.js";
import { linesOf } from "./facts.js";
import { usersInWords } from "./paths.js";

/** @import { Bar, Fabric, FlowFact, FlowFacts, Tree } from "./types.js" */

/**
 * A place of a picture: an output, a node or a bar.
 *
 * @typedef {{ output: number } | { node: number } | { bar: Bar }} Spot
 *
 * What a picture shows at a moment: shares and queues by output, and trees.
 *
 * @typedef {{ fabric: Fabric, load: number[], stalled: number[], queue: number[] | null, trees: Tree[], facts: FlowFacts }} Scene
 *
 * What belongs to a place: outputs, nodes, and lines of the page's curves.
 *
 * @typedef {{ outputs: Set<number>, nodes: Set<number>, lines: Set<string>, isTree?: boolean }} Belonging
 */

const MOST_FLOWS = 4;

/**
 * Returns flows by their names, the first few.
 *
 * @param {FlowFact[]} flows
 */
function named(flows) {
  return listed(flows.map(({ flow, group }) => group ? flow + " (" + group + ")" : flow), MOST_FLOWS);
}

/**
 * Returns the flows that leave by a root, and those that wait because of it.
 *
 * @param {Scene} scene
 * @param {number} root
 */
function membersOf({ fabric, facts }, root) {
  const name = outputName(fabric, root);
  const known = new Map(facts.flows.map((flow) => [flow.flow, flow]));
  const of = (/** @type {{ flow: string, root: string }[]} */ rows) =>
    [...new Set(rows.filter((row) => row.root === name).map((row) => row.flow))].flatMap((flow) => known.get(flow) ?? []);
  return { contributors: of(facts.contributors), victims: of(facts.victims) };
}

/**
 * Returns the flows of a host: those that it sends, and those that it takes.
 *
 * @param {Scene} scene
 * @param {number} host
 */
function flowsOf({ fabric, facts }, host) {
  const name = fabric.nodes[host];
  return { sent: facts.flows.filter((flow) => flow.src === name), taken: facts.flows.filter((flow) => flow.dst === name) };
}

/**
 * Returns lines of text on a place.
 *
 * @param {Scene} scene
 * @param {Spot} spot
 * @returns {string[]}
 */
export function tipOf(scene, spot) {
  if ("output" in spot) return ofOutput(scene, spot.output);
  if ("node" in spot) return ofNode(scene, spot.node);
  const { fabric, trees } = scene;
  const { leaf, hosts } = spot.bar;
  const count = (/** @type {"contributors" | "victims"} */ role) => hosts.filter((host) => trees.some((tree) => tree[role].includes(host))).length;
  return [counted(hosts.length, "host") + " of " + fabric.nodes[leaf] + ": " + fabric.nodes[hosts[0]] + " to " + fabric.nodes[hosts[hosts.length - 1]],
    count("contributors") + " with a contributor, " + count("victims") + " with a victim", "A click shows each of them."];
}

/**
 * @param {Scene} scene
 * @param {number} output
 */
function ofOutput(scene, output) {
  const { fabric, load, stalled, queue, trees, facts } = scene;
  const [from, , to] = fabric.outputs.slice(3 * output, 3 * output + 3);
  const rate = fabric.rates_gbps ? " of " + spelled(fabric.rates_gbps[output] * 1e9, "bit/s") : "";
  const lines = [outputName(fabric, output), "load " + percent(load[output]) + rate + ", stalled " + percent(stalled[output]) + " of the time" +
    (queue && from >= fabric.hosts ? ", queue " + spelled(queue[output], "B") : "")];
  if (trees.some((tree) => tree.root === output)) {
    const { contributors, victims } = membersOf(scene, output);
    lines.push("Root of a congestion tree.", "Contributors: " + (named(contributors) || "none") + ".", "Victims: " + (named(victims) || "none") + ".");
  }
  const roots = trees.filter((tree) => tree.branches.includes(output)).map((tree) => outputName(fabric, tree.root));
  if (roots.length > 0) lines.push("Branch of the tree of " + listed(roots, 3) + ".");
  if (fabric.paths) lines.push("On the path of " + usersInWords(facts, output) + ".");
  else if (from < fabric.hosts) lines.push("Flows: " + (named(flowsOf(scene, from).sent) || "none") + ".");
  else if (to < fabric.hosts) lines.push("Flows: " + (named(flowsOf(scene, to).taken) || "none") + ".");
  return lines;
}

/**
 * @param {Scene} scene
 * @param {number} node
 */
function ofNode(scene, node) {
  const { fabric, trees } = scene;
  if (node >= fabric.hosts) {
    const outputs = outputsOf(fabric, node);
    const worst = outputs.reduce((best, one) => scene.stalled[one] > scene.stalled[best] ? one : best, outputs[0]);
    return ["Switch " + fabric.nodes[node] + ", " + counted(outputs.length, "output"), "longest stall " + percent(scene.stalled[worst]) + ", " + outputName(fabric, worst)];
  }
  const { sent, taken } = flowsOf(scene, node);
  const roots = (/** @type {"contributors" | "victims"} */ role) => trees.filter((tree) => tree[role].includes(node)).map((tree) => outputName(fabric, tree.root));
  const lines = ["Host " + fabric.nodes[node], "sends " + (named(sent) || "nothing"), "takes " + (named(taken) || "nothing")];
  const [gives, waits] = [roots("contributors"), roots("victims")];
  if (gives.length > 0) lines.push("Contributes to " + listed(gives, 3) + ".");
  if (waits.length > 0) lines.push("Has a victim of " + listed(waits, 3) + ".");
  return lines;
}

/**
 * Returns the outputs of a node.
 *
 * @param {Fabric} fabric
 * @param {number} node
 */
function outputsOf(fabric, node) {
  return Array.from({ length: fabric.outputs.length / 3 }, (_, output) => output).filter((output) => fabric.outputs[3 * output] === node);
}

/**
 * Returns what belongs to a place: of a root its whole tree, of a host its flows and their other ends.
 *
 * @param {Scene} scene
 * @param {Spot} spot
 * @returns {Belonging}
 */
export function belonging(scene, spot) {
  const { fabric, trees } = scene;
  if ("bar" in spot) return { outputs: new Set(), nodes: new Set([spot.bar.leaf]), lines: new Set() };
  if ("node" in spot) {
    const outputs = outputsOf(fabric, spot.node);
    if (spot.node >= fabric.hosts) return { outputs: new Set(outputs), nodes: new Set([spot.node]), lines: new Set(outputs.map((one) => "output " + outputName(fabric, one))) };
    const { sent, taken } = flowsOf(scene, spot.node);
    const ends = new Set([...sent.map((flow) => flow.dst), ...taken.map((flow) => flow.src)]);
    const others = fabric.nodes.flatMap((name, node) => ends.has(name) ? [node] : []);
    return { outputs: new Set(outputs), nodes: new Set([spot.node, ...others]), lines: linesOf([...sent, ...taken]) };
  }
  const tree = trees.find((one) => one.root === spot.output);
  if (tree) return treeBelonging(scene, tree);
  const [from, , to] = fabric.outputs.slice(3 * spot.output, 3 * spot.output + 3);
  const known = scene.facts.users.get(spot.output) ?? [];
  const flows = known.length > 0 ? known : from < fabric.hosts ? flowsOf(scene, from).sent : to < fabric.hosts ? flowsOf(scene, to).taken : [];
  return { outputs: new Set([spot.output]), nodes: new Set(), lines: new Set([...linesOf(flows), "output " + outputName(fabric, spot.output)]) };
}

/**
 * Returns what belongs to a tree: its outputs, its hosts, and its flows.
 *
 * @param {Scene} scene
 * @param {Tree} tree
 * @returns {Belonging}
 */
export function treeBelonging(scene, tree) {
  const { contributors, victims } = membersOf(scene, tree.root);
  const lines = linesOf([...contributors, ...victims]);
  lines.add("output " + outputName(scene.fabric, tree.root));
  return { outputs: new Set([tree.root, ...tree.branches]), nodes: new Set([...tree.contributors, ...tree.victims]), lines, isTree: true };
}
