// Flows of a run with their hosts and paths, and their parts in congestion trees, from the data of its page.
import { column } from "./arrays.js";

/** @import { Fabric, FlowFact, FlowFacts, PageTable } from "./types.js" */

/**
 * Returns the flows of a run's tables, with the paths that its fabric has.
 *
 * @param {PageTable[]} tables
 * @param {Fabric | null} [fabric]
 * @returns {FlowFacts}
 */
export function flowFacts(tables, fabric = null) {
  const rows = (/** @type {string} */ id) => {
    const table = tables.find((one) => one.id === id);
    if (!table) return [];
    const columns = table.columns.map(([name], place) => /** @type {[string, any[]]} */ ([name, column(table.values[place])]));
    return Array.from({ length: table.rows }, (_, row) => Object.fromEntries(columns.map(([name, values]) => [name, values[row]])));
  };
  /** @type {FlowFact[]} */
  const flows = rows("flows-csv").map(({ flow, src, dst, group }) => ({ flow, src, dst, group: group ?? "", outputs: [] }));
  /** @type {Map<number, FlowFact[]>} */
  const users = new Map();
  let from = 0;
  Array.from(fabric?.paths?.lengths ?? [], (length, place) => {
    const flow = flows[place];
    if (flow) flow.outputs = Array.from(fabric?.paths?.outputs.slice(from, from + length) ?? []);
    from += length;
    flow?.outputs.forEach((output) => users.get(output)?.push(flow) ?? users.set(output, [flow]));
  });
  const members = (/** @type {string} */ id) => rows(id).map((row) => ({ flow: row.flow, root: row.root_node + " port " + row.root_port + " to " + row.root_peer }));
  return { flows, users, contributors: members("contributors-csv"), victims: members("victims-csv") };
}

/**
 * Returns the subjects that a flow belongs to, as kind and name: itself, and its group, or the pattern of traffic that its name begins with.
 *
 * @param {FlowFact} flow
 */
function subjectsOf({ flow, group }) {
  const colon = flow.indexOf(":");
  return ["flow " + flow, ...(group ? ["group " + group] : colon > 0 ? ["pattern " + flow.slice(0, colon)] : [])];
}

/**
 * Returns the names of lines that belong to flows: of the flows, and of their groups and patterns.
 *
 * @param {FlowFact[]} flows
 * @returns {Set<string>}
 */
export function linesOf(flows) {
  return new Set(flows.flatMap(subjectsOf));
}

/**
 * Returns the flows of a subject.
 *
 * @param {FlowFacts} facts
 * @param {string} subject
 */
export function flowsOfSubject({ flows }, subject) {
  return flows.filter((flow) => subjectsOf(flow).includes(subject));
}
