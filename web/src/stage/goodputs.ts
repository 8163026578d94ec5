// Goodputs of a result: over the second half of the last phase, as lessons and answers state them.
//
// They come from `phases.csv`, since the page's own table of a large run has its first rows only.
import { textOf, type Result } from "../simulator.ts";

const known = new WeakMap<Result, Map<string, number>>();

/** Returns the cells of a line of CSV. */
function cells(line: string): string[] {
  return Array.from(("," + line).matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "");
}

/** Returns the goodput of each flow and group, and of all as `total`, over the second half of the last phase, in bit/s. */
export function goodputs(result: Result): Map<string, number> {
  const before = known.get(result);
  if (before) return before;
  const found = new Map<string, number>();
  known.set(result, found);
  const text = textOf(result, "phases.csv");
  if (text === null) return found;
  const [head, ...lines] = text.trimEnd().split("\n") as [string, ...string[]];
  const [phase, kind, name, rate] = ["phase", "kind", "name", "second_half_goodput_bps"].map((column) => head.split(",").indexOf(column)) as [number, number, number, number];
  const last = cells(lines.at(-1) ?? "")[phase];
  for (const row of lines.reverse()) {
    const of = cells(row);
    if (of[phase] !== last) break;
    found.set(of[kind] === "total" ? "total" : of[name] as string, Number(of[rate]));
  }
  return found;
}
