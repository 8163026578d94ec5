// Values of fields, as readers write them and as settings have them.
import type { Field } from "./simulator.ts";

/** Kinds whose values are texts in RON. */
const QUOTED = ["time", "data", "rate", "length", "text"];

/** Returns true for a field with a text in RON as its value. */
export function isQuoted(field: Field): boolean {
  return QUOTED.includes(field.kind);
}

/** Returns a text without its quotes. */
export function bare(value: string): string {
  return value.replace(/^"(.*)"$/s, "$1");
}
