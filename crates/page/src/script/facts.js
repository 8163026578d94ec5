// Flows of a run with their hosts, and their parts in congestion trees, from the tables of its page.
import { column } from "./arrays.js";

/** @import { FlowFact, FlowFacts, PageTable } from "./types.js" */

/**
 * Returns the flows of a run's tables.
 *
 * @param {PageTable[]} tables
 * @returns {FlowFacts}
 */
export function flowFacts(tables) {
  const rows = (/** @type {string} */ id) => {
    const table = tables.find((one) => one.id === id);
    if (!table) return [];
    const columns = table.columns.map(([name], place) => /** @type {[string, any[]]} */ ([name, column(table.values[place])]));
    return Array.from({ length: table.rows }, (_, row) => Object.fromEntries(columns.map(([name, values]) => [name, values[row]])));
  };
  const flows = rows("flows-csv").map(({ flow, src, dst, group }) => ({ flow, src, dst, group: group ?? "" }));
  const members = (/** @type {string} */ id) => rows(id).map((row) => ({ flow: row.flow, root: row.root_node + " port " + row.root_port + " to " + row.root_peer }));
  return { flows, contributors: members("contributors-csv"), victims: members("victims-csv") };
}

/**
 * Returns the names of lines that belong to flows: of the flows, and of their groups.
 *
 * @param {FlowFact[]} flows
 * @returns {Set<string>}
 */
export function linesOf(flows) {
  return new Set(flows.flatMap(({ flow, group }) => group ? ["flow " + flow, "group " + group] : ["flow " + flow]));
}
