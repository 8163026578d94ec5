// Goodputs of a result: over the second half of the last phase, as lessons and answers state them.
import { column } from "../../../crates/page/src/script/arrays.js";
import type { Result } from "../simulator.ts";

/** Returns the goodput of each flow and group, and of all as `total`, over the second half of the last phase, in bit/s. */
export function goodputs(result: Result): Map<string, number> {
  const table = result.tables.find((one) => one.id === "phases-csv");
  if (!table) return new Map();
  const values = (of: string) => column(table.values[table.columns.findIndex(([column]) => column === of)] ?? []);
  const [changes, kinds, names, rates] = [values("change"), values("kind"), values("name"), values("second_half_goodput_bps")];
  const last = changes[changes.length - 1];
  const rows = Array.from(names, (_, at) => at).filter((at) => changes[at] === last);
  return new Map(rows.map((at) => [kinds[at] === "total" ? "total" : String(names[at]), rates[at] as number]));
}
