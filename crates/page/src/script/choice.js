// The choice of a flow, a group or a pattern: names that choose it, and one choice for all figures of a page.
import { button, element } from "./dom.js";

/** @import { TimeAxis } from "./axis.js" */

/**
 * Returns a button with the name of a subject: it chooses the subject, or ends the choice. A mouse over `around`, or over the button,
 * shows the subject for as long as it is there.
 *
 * @param {TimeAxis} axis
 * @param {string} subject
 * @param {string} name
 * @param {string} [kind]
 */
export function subjectButton(axis, subject, name, kind = "name") {
  const made = button(name, () => axis.choose(axis.chosen === subject ? null : subject), { class: "chooses " + kind, "aria-pressed": "false", title: "Show " + name + " in all figures" });
  axis.follow(() => made.setAttribute("aria-pressed", String(axis.chosen === subject)));
  return made;
}

/**
 * Shows a subject while a mouse is over an element.
 *
 * @param {HTMLElement} over
 * @param {TimeAxis} axis
 * @param {string} subject
 */
export function pointsTo(over, axis, subject) {
  over.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && axis.point(subject));
  over.addEventListener("pointerleave", () => axis.point(null));
}

/**
 * Returns a field that takes one of several names, with suggestions as a reader types. `onChoice` gets the place of the name.
 *
 * @param {string} label
 * @param {{ names: () => string[], most: number, onChoice: (place: number) => void }} options
 */
export function nameField(label, { names, most, onChoice }) {
  nameFields += 1;
  const list = element("datalist", { id: "names-" + nameFields });
  const input = element("input", { type: "search", list: list.id, autocomplete: "off", spellcheck: "false", size: 16, placeholder: "name" });
  const suggest = () => {
    const part = input.value.toLowerCase();
    const found = names().filter((name) => name.toLowerCase().includes(part)).slice(0, most);
    list.replaceChildren(...found.map((value) => element("option", { value })));
  };
  input.addEventListener("focus", suggest);
  input.addEventListener("input", () => {
    suggest();
    const place = names().indexOf(input.value);
    if (place >= 0) onChoice(place);
  });
  return { box: element("label", { class: "choice" }, label + " ", input, list), input };
}

let nameFields = 0;
