// Tables that sort by a click on a heading, and show more rows on demand.
import { button, element, withCode } from "./dom.js";
import { namedUnit, short, spelled } from "./format.js";
import { column } from "./arrays.js";

/** @import { Cell, Column, PageTable } from "./types.js" */

const FIRST_ROWS = 12;
const MORE_ROWS = 200;

/**
 * Returns the order of rows by a column: numbers by value, texts with their numbers by value; empty cells last.
 *
 * @param {Cell[]} values
 * @param {boolean} descending
 */
export function ordered(values, descending) {
  const order = values.map((_, row) => row);
  const collator = new Intl.Collator("en", { numeric: true });
  const compare = (/** @type {any} */ a, /** @type {any} */ b) => typeof a === "number" ? a - b : collator.compare(a, b);
  const isEmpty = (/** @type {Cell} */ value) => value === null || value === "";
  return order.sort((one, other) => {
    const [a, b] = [values[one], values[other]];
    if (isEmpty(a) || isEmpty(b)) return Number(isEmpty(a)) - Number(isEmpty(b)) || one - other;
    return (descending ? compare(b, a) : compare(a, b)) || one - other;
  });
}

/**
 * Returns a cell: a number with a unit of its column, and the sign of a lower bound, or a text.
 *
 * @param {any} value
 * @param {Column} column
 * @param {number} row
 */
function cell(value, { kind, unit, spell, bounds }, row) {
  if (kind === "string" || kind === "boolean") return element("td", {}, value);
  const sign = bounds && bounds[row] ? "≥ " : "";
  const text = sign + (spell && value !== null ? spell(value) : unit ? spelled(value, unit) : value === null ? "–" : kind === "integer" ? value.toLocaleString("en-US") : short(value));
  return element("td", { class: "number", title: value === null ? null : String(value) }, text);
}

/**
 * Returns a table. `columns` are `{ words, kind, unit, meaning, values }`, `about` says which rows there are; `link` returns the
 * address of a row, for its first cell.
 *
 * @param {{ caption: string, about?: string, columns: Column[], rows: number, link?: (row: number) => string }} options
 */
export function sortableTable({ caption, about, columns, rows, link }) {
  const body = element("tbody");
  const status = element("p", { class: "status", "aria-live": "polite" });
  let order = Array.from({ length: rows }, (_, row) => row);
  let shown = FIRST_ROWS;
  let sorted = { place: -1, descending: true };
  const headings = columns.map((one, place) => {
    const name = element("th", { scope: "col", class: one.kind === "string" ? null : "number" });
    name.append(button(one.words, () => sort(place), { title: one.meaning || null }));
    return name;
  });
  const fill = () => {
    body.replaceChildren(...order.slice(0, shown).map((row) => {
      const cells = columns.map((one) => cell(one.values[row], one, row));
      const address = link ? link(row) : null;
      if (address) cells[0].replaceChildren(element("a", { href: address }, cells[0].textContent));
      return element("tr", {}, cells);
    }));
    more.hidden = shown >= rows;
    const part = rows > FIRST_ROWS ? "Rows 1 to " + Math.min(shown, rows) + " of " + rows + "." : "";
    status.textContent = rows === 0 ? "No rows." : part;
  };
  const sort = (/** @type {number} */ place) => {
    sorted = { place, descending: sorted.place === place ? !sorted.descending : columns[place].kind !== "string" };
    order = ordered(columns[place].values, sorted.descending);
    headings.forEach((heading, at) => heading.setAttribute("aria-sort",
      at !== place ? "none" : sorted.descending ? "descending" : "ascending"));
    fill();
  };
  const more = button("Show more rows", () => {
    shown += MORE_ROWS;
    fill();
  }, { class: "more" });
  const table = element("table", {}, element("caption", {}, caption),
    element("thead", {}, element("tr", {}, headings)), body);
  fill();
  return element("div", { class: "table" }, about ? element("p", { class: "note" }, withCode(about)) : null,
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table), status, more);
}

/**
 * Returns a table of the page's data.
 *
 * @param {PageTable} table
 */
export function dataTable(table) {
  const columns = table.columns.map(([name, kind, meaning], place) =>
    ({ ...namedUnit(name), kind, meaning: name + ": " + meaning, values: column(table.values[place]) }));
  return sortableTable({ caption: table.heading, about: table.about, columns, rows: table.rows });
}
