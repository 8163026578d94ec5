// Elements of the page. Texts are set as text, never as HTML: a flow may have any name.

/** Returns an element with attributes, listeners (`onclick`) and children, which are elements or texts. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** Returns a text as nodes, with the parts between backquotes as code. */
export function withCode(text) {
  return text.split("`").map((part, place) => place % 2 ? element("code", {}, part) : part);
}

/** Returns a button. */
export function button(label, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...attributes }, label);
}

/** Returns the element that Rust made for a figure. */
export function place(id) {
  return document.getElementById("figure-" + id);
}

/** Returns details whose contents are made when they open for the first time. */
export function lazyDetails(summary, make) {
  const details = element("details", {}, element("summary", {}, summary));
  let made = false;
  const fill = () => {
    if (made) return;
    made = true;
    details.append(make());
  };
  details.addEventListener("toggle", () => details.open && fill());
  details.fill = fill;
  return details;
}

/** Calls `task` in the next frame, once however often it is asked for until then. */
export function onceAFrame(task) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      task();
    });
  };
}
