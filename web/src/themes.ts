// The choice between dark and light, kept in this browser.
import { element } from "../../crates/page/src/script/dom.js";
import { setTheme, watchSystem } from "../../crates/page/src/script/palette.js";

const KEY = "theme";

/** Returns the choice, which acts at once. */
export function themeControl(): HTMLElement {
  const kept = localStorage.getItem(KEY) ?? "";
  const option = (value: string, name: string) => element("option", { value, selected: value === kept }, name);
  const select = element("select", { "aria-label": "Colours of the page", onchange: () => { localStorage.setItem(KEY, select.value); setTheme(select.value); } },
    option("", "System colours"), option("light", "Light"), option("dark", "Dark"));
  setTheme(kept);
  watchSystem();
  return select;
}
