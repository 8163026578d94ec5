// Arrays of numbers and columns of tables, as Rust writes them.

/**
 * Returns 16-bit numbers as they are, or from base64, the lower byte first.
 *
 * @param {import("./types.js").Shares} base64
 * @returns {Uint16Array}
 */
export function shorts(base64) {
  if (typeof base64 !== "string") return base64;
  const bytes = atob(base64);
  const numbers = new Uint16Array(bytes.length / 2);
  for (let at = 0; at < numbers.length; at += 1) {
    numbers[at] = bytes.charCodeAt(2 * at) | (bytes.charCodeAt(2 * at + 1) << 8);
  }
  return numbers;
}

/**
 * Returns values with `null` where there is none: as they are, or from an array that has NaN there.
 *
 * @param {(number | null)[] | Float64Array} values
 * @returns {(number | null)[] | Float64Array}
 */
export function withGaps(values) {
  if (Array.isArray(values) || !values.some(Number.isNaN)) return values;
  return Array.from(values, (value) => Number.isNaN(value) ? null : value);
}

/**
 * Returns a column of a table: values as they are, or words and their places.
 *
 * @param {import("./types.js").PageTable["values"][number]} values
 * @returns {import("./types.js").Cell[]}
 */
export function column(values) {
  if (Array.isArray(values)) return values;
  if (values instanceof Float64Array) return Array.from(withGaps(values));
  return Array.from(values.at, (place) => values.words[place]);
}
