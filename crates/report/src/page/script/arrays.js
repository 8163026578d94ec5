// Arrays of numbers and columns of tables, as Rust writes them.

/** Returns 16-bit numbers from base64, the lower byte first. */
export function shorts(base64) {
  const bytes = atob(base64);
  const numbers = new Uint16Array(bytes.length / 2);
  for (let at = 0; at < numbers.length; at += 1) {
    numbers[at] = bytes.charCodeAt(2 * at) | (bytes.charCodeAt(2 * at + 1) << 8);
  }
  return numbers;
}

/** Returns a column of a table: values as they are, or words and their places. */
export function column(values) {
  return Array.isArray(values) ? values : values.at.map((place) => values.words[place]);
}
