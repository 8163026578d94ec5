// Paths of flows in words: that of a chosen flow, and the flows that use a chosen link.
import { button, element } from "./dom.js";
import { counted } from "./format.js";
import { listed, outputName } from "./trees.js";
import { flowsOfSubject, linesOf } from "./facts.js";

/** @import { Child, Fabric, FlowFact, FlowFacts } from "./types.js" */
/** @import { TimeAxis } from "./axis.js" */

const FIRST_FLOWS = 24;
const MOST_USERS = 6;

/**
 * Returns what belongs to a subject: the outputs of its flows' paths, the nodes on them, and its lines.
 *
 * @param {Fabric} fabric
 * @param {FlowFacts} facts
 * @param {string} subject
 * @returns {import("./tips.js").Belonging}
 */
export function subjectBelonging(fabric, facts, subject) {
  const flows = flowsOfSubject(facts, subject);
  const outputs = new Set(flows.flatMap((flow) => flow.outputs));
  const nodes = new Set([...outputs].flatMap((output) => [fabric.outputs[3 * output], fabric.outputs[3 * output + 2]]));
  // Without a path the ends are known all the same.
  const ends = new Set(flows.flatMap(({ src, dst, outputs: own }) => own.length === 0 ? [src, dst] : []));
  if (ends.size > 0) fabric.nodes.forEach((name, node) => ends.has(name) && nodes.add(node));
  const queues = [...outputs].map((output) => "output " + outputName(fabric, output));
  return { outputs, nodes, lines: new Set([subject, ...linesOf(flows), ...queues]) };
}

/**
 * Returns the path of a flow in words.
 *
 * @param {Fabric} fabric
 * @param {FlowFact} flow
 */
function pathOf(fabric, { src, dst, outputs }) {
  if (outputs.length === 0) return "from " + src + " to " + dst + "; its path is not in the file";
  const parts = outputs.map((output) => fabric.outputs.slice(3 * output, 3 * output + 3));
  const isChain = parts.every(([node], at) => at === 0 || parts[at - 1][2] === node);
  if (!isChain) return "from " + src + " to " + dst + " by any of " + counted(outputs.length, "link") + ": switches choose among them";
  return parts.map(([node, port]) => fabric.nodes[node] + (node < fabric.hosts ? "" : " (port " + port + ")")).join(" → ") + " → " + dst;
}

/**
 * Returns flows as buttons that choose them, the first few at first.
 *
 * @param {TimeAxis} axis
 * @param {FlowFact[]} flows
 */
function flowButtons(axis, flows) {
  const made = (/** @type {FlowFact[]} */ some) => some.map(({ flow, group }) => element("li", {}, button(flow, () => axis.choose("flow " + flow), { class: "chooses" }), group ? " (" + group + ")" : ""));
  const list = element("ul", { class: "flows" }, made(flows.slice(0, FIRST_FLOWS)));
  if (flows.length > FIRST_FLOWS) {
    const more = button("Show all " + flows.length, () => {
      more.remove();
      list.append(...made(flows.slice(FIRST_FLOWS)));
    });
    return [list, more];
  }
  return [list];
}

/**
 * Returns the flows that use an output, victims first, then contributors.
 *
 * @param {FlowFacts} facts
 * @param {number} output
 */
export function usersOf({ users, victims, contributors }, output) {
  const [waits, gives] = [victims, contributors].map((rows) => new Set(rows.map(({ flow }) => flow)));
  const rank = (/** @type {FlowFact} */ { flow }) => Number(gives.has(flow)) + 2 * Number(waits.has(flow));
  return [...(users.get(output) ?? [])].sort((one, other) => rank(other) - rank(one));
}

/**
 * Returns a box that says what a reader chose, and has a button that ends the choice.
 *
 * @param {Fabric} fabric
 * @param {FlowFacts} facts
 * @param {TimeAxis} axis
 * @param {() => void} onEnd
 */
export function chosenBox(fabric, facts, axis, onEnd) {
  const box = element("div", { class: "chosen", role: "status", hidden: true });
  const left = fabric.paths?.left_out_flows ?? 0;
  const unknown = !fabric.paths ? " The page has no paths of flows." : left > 0 ? " The paths of " + counted(left, "further flow") + " are not known." : "";
  const filled = (/** @type {Child[]} */ ...children) => box.replaceChildren(.../** @type {any[]} */ (children.flat()), " ", button("End the choice", onEnd));
  let shown = "";
  const ofSubject = (/** @type {string} */ subject) => {
    const flows = flowsOfSubject(facts, subject);
    const [first] = flows;
    const name = element("strong", {}, subject);
    if (!first) return filled(name, ": the page has no row of it in its table of flows.");
    if (flows.length === 1) return filled(name, ": ", pathOf(fabric, first), ".");
    const links = new Set(flows.flatMap((flow) => flow.outputs)).size;
    return filled(name, ": " + counted(flows.length, "flow") + " over " + counted(links, "link") + ".", unknown, ...flowButtons(axis, flows));
  };
  const ofOutput = (/** @type {number} */ output) => {
    const flows = usersOf(facts, output);
    const words = flows.length > 0 ? ": " + counted(flows.length, "flow") + (flows.length === 1 ? " uses it." : " use it.") : ": no flow with a known path uses it.";
    filled(element("strong", {}, outputName(fabric, output)), words, unknown, ...flowButtons(axis, flows));
  };
  const show = (/** @type {string | null} */ subject, /** @type {import("./tips.js").Spot | null} */ spot) => {
    const key = subject ?? (spot && "output" in spot ? String(spot.output) : "");
    if (key === shown) return;
    shown = key;
    box.hidden = key === "";
    if (subject !== null) ofSubject(subject);
    else if (spot && "output" in spot) ofOutput(spot.output);
  };
  return { box, show };
}

/**
 * Returns the line of a tip on the flows that use an output.
 *
 * @param {FlowFacts} facts
 * @param {number} output
 */
export function usersInWords(facts, output) {
  const flows = usersOf(facts, output);
  return counted(flows.length, "flow") + (flows.length === 0 ? "" : ": " + listed(flows.map(({ flow, group }) => group ? flow + " (" + group + ")" : flow), MOST_USERS));
}
