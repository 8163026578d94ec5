// The gallery: cases worth a look, each with its picture, and what will be seen.
import { element } from "../../crates/page/src/script/dom.js";
import thumbnails from "virtual:thumbnails";
import gallery from "./gallery.json";
import type { Case } from "./share.ts";

/** A case of the gallery. */
export interface Exhibit {
  id: string;
  title: string;
  /** The fabric in a few words. */
  fabric: string;
  /** A sentence on what will be seen. */
  see: string;
  scenario: string;
  a: string[];
  b: string[] | null;
  /** Flow or group to follow; `null` for the one that the page chooses. */
  follow: string | null;
  /** Sentences while it runs in slow motion, each from a time in s on. */
  says?: [number, string][];
}

/** Field of the fragment that names a case of the gallery. */
export const SHOW = "show=";

export const GALLERY = gallery as unknown as Exhibit[];

/** Returns the case of an exhibit. */
export function caseOfExhibit({ scenario, a, b }: Exhibit): Case {
  return { scenario, text: null, seed: null, a: [...a], b: b === null ? null : [...b] };
}

/** Returns the picture with this name, made by the build from the drawing code, never from what a reader or a link brings. */
export function picture(id: string): HTMLElement {
  const text = thumbnails[id];
  const svg = text === undefined ? [] : [document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true)];
  return element("span", { class: "thumbnail", "aria-hidden": "true" }, svg);
}

function card(exhibit: Exhibit, withWords: boolean): HTMLElement {
  const { id, title, fabric, see } = exhibit;
  return element("li", {}, element("a", { class: "card", href: "#" + SHOW + id, title: see }, picture(id),
    element("span", { class: "card-title" }, title), element("span", { class: "note" }, fabric), withWords ? element("span", { class: "card-see" }, see) : null));
}

/** Returns all cases in a row, to be scrolled. */
export function galleryRow(): HTMLElement {
  return element("section", { class: "gallery-row", "aria-labelledby": "heading-cases" }, element("h2", { id: "heading-cases" }, "Other cases ", element("a", { href: "#gallery" }, "all, with what they show")),
    element("ul", { class: "cards row", tabindex: "0", "aria-label": "Cases" }, GALLERY.map((one) => card(one, false))));
}

/** Returns the page of all cases. */
export function galleryPage(): HTMLElement {
  return element("div", { class: "gallery" }, element("h1", {}, "Cases"), element("p", { class: "lead" }, "Each opens in the playground, and runs. The picture is of its worst moment: links by the time for which packets waited in front of them."),
    element("ul", { class: "cards" }, GALLERY.map((one) => card(one, true))));
}
