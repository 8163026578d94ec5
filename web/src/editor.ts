// The text of a scenario: a plain text field with line numbers, and marks at the lines with faults.
import { element, onceInTurn } from "../../crates/page/src/script/dom.js";
import type { Diagnostic } from "./simulator.ts";

/** A text field with numbered lines. */
export class Editor {
  readonly box: HTMLElement;
  private readonly area: HTMLTextAreaElement;
  private readonly lines: HTMLElement;
  private faults = new Set<number>();

  /** `onInput` is called with the text after every change by the reader. */
  constructor(onInput: (text: string) => void) {
    this.area = element("textarea", {
      spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "Text of the scenario", "aria-describedby": "faults",
      oninput: () => { this.number(); onInput(this.area.value); }, onscroll: () => { this.lines.scrollTop = this.area.scrollTop; },
    });
    this.lines = element("div", { class: "numbers", "aria-hidden": "true" });
    this.box = element("div", { class: "editor" }, this.lines, this.area);
  }

  show(text: string): void {
    if (this.area.value !== text) this.area.value = text;
    this.number();
  }

  /** Marks the lines of faults in the text; those of settings have no line here. */
  mark(faults: Diagnostic[]): void {
    this.faults = new Set(faults.filter((fault) => fault.line !== null && !fault.setting).map((fault) => fault.line as number));
    this.area.setAttribute("aria-invalid", String(this.faults.size > 0));
    this.number();
  }

  /** Puts the cursor at a place, lines and columns counted from 1, and selects `length` letters. */
  goTo(line: number, column: number, length: number): void {
    const before = this.area.value.split("\n").slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const at = before + column - 1;
    this.area.focus();
    this.area.setSelectionRange(at, at + Math.max(length, 1));
    this.area.scrollTop = (line - 6) * parseFloat(getComputedStyle(this.area).lineHeight);
  }

  private readonly number = onceInTurn(() => {
    const count = this.area.value.split("\n").length;
    this.lines.replaceChildren(...Array.from({ length: count }, (_, at) =>
      element("div", { class: this.faults.has(at + 1) ? "fault" : null }, (this.faults.has(at + 1) ? "▶ " : "") + (at + 1))));
    this.lines.scrollTop = this.area.scrollTop;
  });
}
