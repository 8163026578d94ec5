// The story of a scenario: the comment at its head, in paragraphs, whose settings are buttons.
import { button, element, withCode } from "../../crates/page/src/script/dom.js";
import { pathOf } from "./share.ts";

/** Settings as a story writes them: `--set PATH=VALUE`, once or several times. */
const SETTINGS = /((?:--set (?:'[^']+'|[\w.]+=\S+)\s*)+)/;

/** Returns the settings of such a part, and the rest, which is punctuation of the sentence. */
function split(part: string): [string[], string] {
  const words = part.trim();
  const isOpen = (text: string) => text.split("(").length <= text.split(")").length - 1;
  let end = words.length;
  while (/[.,;:]/.test(words[end - 1] ?? "") || words[end - 1] === ")" && isOpen(words.slice(0, end))) end -= 1;
  const settings = words.slice(0, end).split("--set ").map((one) => one.trim().replace(/^'(.*)'$/, "$1")).filter((one) => one !== "");
  return [settings, words.slice(end) + (/\s$/.test(part) ? " " : "")];
}

/** Returns a story in paragraphs: a blank line begins another. A click on settings calls `onTry` with them. */
export function story(text: string, onTry: (sets: string[]) => void): HTMLElement[] {
  const paragraph = (words: string) => words.split(SETTINGS).map((part, place) => {
    if (place % 2 === 0) return withCode(part);
    const [sets, rest] = split(part);
    const named = sets.map((one) => "--set " + one).join(" ");
    return [button(element("code", {}, named), () => onTry(sets), { class: "setting", title: "Sets " + sets.map(pathOf).join(" and ") + " in a second run, side by side with the first" }), rest];
  });
  return text.split(/\n\s*\n/).filter((part) => part.trim() !== "").map((part) => element("p", {}, paragraph(part.replaceAll("\n", " "))));
}
