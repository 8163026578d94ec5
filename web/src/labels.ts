// Names of the runs of a case, for readers: by what they differ in.
import { pathOf, valueOf, type Case } from "./share.ts";

const SCHEMES: Record<string, string> = { Iba: "InfiniBand's", Dcqcn: "DCQCN", Guideline: "the guideline of 2005", Hp: "after Santos and others", Hpcc: "HPCC", Timely: "TIMELY", Swift: "Swift", Mixed: "mixed" };

/** Returns what a scheme is called in the name of a run. */
function control(scheme: string): string {
  return scheme === "Off" ? "Without congestion control" : "With congestion control (" + (SCHEMES[scheme] ?? scheme) + ")";
}

/** Returns the names of the runs of a case whose congestion controls are `schemes`. */
export function labelsOf({ a, b, text }: Case, schemes: string[]): string[] {
  const [one, other] = schemes;
  if (b === null) return [control(one ?? "")];
  if (one !== other) return [control(one ?? ""), control(other ?? "")];
  const paths = [...new Set([...a, ...b].map(pathOf))].filter((path) => valueOf(a, path) !== valueOf(b, path));
  const of = (name: string, sets: string[]) => {
    const own = paths.flatMap((path) => {
      const value = valueOf(sets, path);
      return value === undefined ? [] : [(path.split(".").at(-1) as string).replaceAll("_", " ") + " " + value.replaceAll('"', "")];
    });
    return "Run " + name + ": " + (own.length > 0 ? own.join(", ") : text === null ? "as it ships" : "the text");
  };
  return [of("A", a), of("B", b)];
}
