// JSON with arrays of numbers beside it, as the module gives them (crates/page/src/numbers.rs).

/** JSON, and the arrays whose ranges it names: `{ f64: [from, length] }` or `{ u16: [from, length] }`. */
export interface Parcel {
  names: string;
  floats: Float64Array<ArrayBuffer>;
  shorts: Uint16Array<ArrayBuffer>;
}

/** Returns the memory of a parcel that a message hands over. */
export function memoryOf({ floats, shorts }: Parcel): ArrayBuffer[] {
  return [floats.buffer, shorts.buffer];
}

/** Returns the data of a parcel: arrays are views of its memory. */
export function opened({ names, floats, shorts }: Parcel): unknown {
  const filled = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return typeof value[0] === "object" ? value.map(filled) : value;
    const { f64, u16 } = value as { f64?: [number, number]; u16?: [number, number] };
    if (f64 !== undefined) return floats.subarray(f64[0], f64[0] + f64[1]);
    if (u16 !== undefined) return shorts.subarray(u16[0], u16[0] + u16[1]);
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, filled(part)]));
  };
  return filled(JSON.parse(names));
}
