// Quantities as text: three significant digits and a fitting unit.

/** @type {Record<string, [number, string][]>} */
const SCALES = {
  "s": [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]],
  "us": [[1e6, "s"], [1e3, "ms"], [1, "us"], [1e-3, "ns"]],
  "bit/s": [[1e12, "Tb/s"], [1e9, "Gb/s"], [1e6, "Mb/s"], [1e3, "kb/s"], [1, "b/s"]],
  "bps": [[1e12, "Tb/s"], [1e9, "Gb/s"], [1e6, "Mb/s"], [1e3, "kb/s"], [1, "b/s"]],
  "B": [[1e9, "GB"], [1e6, "MB"], [1e3, "KB"], [1, "B"]],
  "bytes": [[1e9, "GB"], [1e6, "MB"], [1e3, "KB"], [1, "B"]],
};

/**
 * Returns a number with up to three significant digits, and commas between thousands.
 *
 * @param {number} value
 */
export function short(value) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return Number(value.toFixed(digits)).toLocaleString("en-US", { maximumFractionDigits: 9 });
}

/**
 * Returns the size and name of the unit that fits values up to `largest`.
 *
 * @param {number} largest
 * @param {string} unit
 * @returns {[number, string]}
 */
export function fittingUnit(largest, unit) {
  const scales = SCALES[unit];
  if (!scales) return [1, unit];
  const fitting = scales.find(([size]) => Math.abs(largest) >= size * 0.9995);
  return fitting || (largest === 0 && scales.find(([size]) => size === 1)) || scales[scales.length - 1];
}

/**
 * Returns a value with a fitting unit, and a dash where there is none.
 *
 * @param {number | null | undefined} value
 * @param {string} unit
 */
export function spelled(value, unit) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const [size, name] = fittingUnit(value, unit);
  return name ? short(value / size) + " " + name : short(value);
}

/**
 * Returns a value exactly as it was set: sizes in KiB or MiB where they are whole ones.
 *
 * @param {number} value
 * @param {string} unit
 */
export function exact(value, unit) {
  if (unit === "B" && value >= 1024 && value % 1024 === 0) return value % 1048576 === 0 ? value / 1048576 + " MiB" : value / 1024 + " KiB";
  const [size, name] = fittingUnit(value, unit);
  const text = Number((value / size).toPrecision(12)).toLocaleString("en-US", { maximumFractionDigits: 12 });
  return name ? text + " " + name : text;
}

/**
 * Returns a share as a percentage.
 *
 * @param {number} share
 */
export function percent(share) {
  return short(Math.round(share * 1e4) / 100) + " %";
}

/**
 * Returns a count with its noun, in the plural unless it is one.
 *
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  const plural = noun.endsWith("ch") ? noun + "es" : noun + "s";
  return count.toLocaleString("en-US") + " " + (count === 1 ? noun : plural);
}

/**
 * Returns the unit at the end of a column's name, and the name in words.
 *
 * @param {string} column
 */
export function namedUnit(column) {
  const known = ["_s", "_us", "_bps", "_bytes"].find((end) => column.endsWith(end));
  const words = (known ? column.slice(0, -known.length) : column).replaceAll("_", " ");
  return { words, unit: known ? known.slice(1) : "" };
}
