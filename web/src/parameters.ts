// Controls of a scenario's fields, made from the schema: a choice, a switch, or a text with its unit, range and proposals.
import { button, element, withCode } from "../../crates/page/src/script/dom.js";
import type { Diagnostic, Field } from "./simulator.ts";
import { pathOf, valueOf, withSetting } from "./share.ts";
import { bare, isQuoted } from "./values.ts";

/** Groups that are open at first. */
const OPEN = ["duration", "link", "congestion_control"];
/** Factors of the proposals for a quantity. */
const FACTORS = [0.25, 0.5, 2, 4];

interface Control {
  field: Field;
  box: HTMLElement;
  input: HTMLInputElement | HTMLSelectElement;
  fault: HTMLElement;
}

/** Returns a value as a reader writes it: a text without its quotes. */
function shown(field: Field, value: string): string {
  return isQuoted(field) ? bare(value) : value;
}

/** Returns a value as a setting has it. */
function written(field: Field, value: string): string {
  return isQuoted(field) && !value.startsWith('"') ? '"' + value.trim() + '"' : value.trim();
}

/** Returns values near a quantity: a quarter, half, double, four times. */
function nearby(field: Field): string[] {
  const found = /^"?([\d.]+)\s*([A-Za-z/]*)"?$/.exec(field.value ?? "");
  if (!found || field.kind === "text") return [];
  const values = FACTORS.map((factor) => Number((Number(found[1]) * factor).toPrecision(6)));
  const fitting = field.kind === "whole number" ? values.filter((value) => Number.isInteger(value)) : values;
  return fitting.map((value) => (value + " " + found[2]).trim());
}

/** Returns a default as a scenario writes it: the manual has it as code, and a dash where there is none. */
function defaultOf(field: Field): string {
  return field.default === "-" ? "" : bare((field.default ?? "").replaceAll("`", ""));
}

/** Returns the group of a field: the first name of its path. */
function groupOf(field: Field): string {
  return /^[A-Za-z_]+/.exec(field.path)?.[0] ?? field.path;
}

/** Controls for the settings of one run. */
export class Parameters {
  readonly box: HTMLElement;
  private readonly chips = element("ul", { class: "chips", "aria-label": "Settings that differ from the scenario" });
  private readonly filter = element("input", { type: "search", placeholder: "Find a field", "aria-label": "Find a field", oninput: () => this.narrow() });
  private readonly groups = element("div", { class: "groups" });
  private readonly controls = new Map<string, Control>();
  private sets: string[] = [];

  /** `name` tells the controls of two runs apart; `onChange` is called with all settings after every change. */
  constructor(private readonly name: string, private readonly onChange: (sets: string[]) => void) {
    this.box = element("div", { class: "parameters" }, this.chips, this.filter, this.groups);
  }

  /** Shows fields with their values, settings, and the faults of these. */
  show(fields: Field[], sets: string[], faults: Diagnostic[]): void {
    this.sets = sets;
    if (fields.length > 0) this.renew(fields);
    this.chips.replaceChildren(...sets.map((one) => element("li", {}, element("code", {}, one), " ",
      button("×", () => this.set(pathOf(one), null), { "aria-label": "Undo " + one }))));
    for (const [path, control] of this.controls) {
      const fault = faults.find((one) => one.setting !== null && (pathOf(one.setting) === path || one.path === path));
      control.fault.textContent = fault ? fault.printed : "";
      control.input.setAttribute("aria-invalid", String(fault !== undefined));
      control.box.classList.toggle("changed", valueOf(sets, path) !== undefined);
    }
  }

  private renew(fields: Field[]): void {
    const focused = document.activeElement?.id;
    const same = fields.length === this.controls.size && fields.every((field) => this.controls.has(field.path));
    if (!same) {
      this.controls.clear();
      fields.forEach((field) => this.controls.set(field.path, this.control(field)));
      const names = [...new Set(fields.map(groupOf))];
      this.groups.replaceChildren(...names.map((group) => this.group(group, fields.filter((field) => groupOf(field) === group))));
      this.narrow();
      if (focused) document.getElementById(focused)?.focus();
    }
    for (const field of fields) {
      const control = this.controls.get(field.path) as Control;
      control.field = field;
      // A list of values shows the default of a field that is left out, a text proposes it.
      const left = control.input instanceof HTMLSelectElement ? defaultOf(field) : "";
      const value = shown(field, valueOf(this.sets, field.path) ?? field.value ?? left);
      if (document.activeElement !== control.input) control.input.value = value;
    }
  }

  private group(name: string, fields: Field[]): HTMLElement {
    const boxes = fields.map((field) => (this.controls.get(field.path) as Control).box);
    return element("details", { open: OPEN.includes(name), "data-group": name }, element("summary", {}, name.replaceAll("_", " ") + " (" + fields.length + ")"), boxes);
  }

  private control(field: Field): Control {
    const id = "field-" + this.name + "-" + field.path;
    const plain = field.choices.length > 0 && field.choices.every((choice) => /^\w+$/.test(choice));
    const choices = field.kind === "true or false" ? ["true", "false"] : field.choices;
    const attributes = { id, "aria-describedby": id + "-about " + id + "-fault", onchange: () => this.changed(field.path) };
    const input = plain || field.kind === "true or false"
      ? element("select", attributes, [...new Set([field.value ?? defaultOf(field), ...choices])].map((choice) => element("option", { value: choice }, choice === "" ? "(left out)" : choice)))
      : element("input", { ...attributes, type: "text", inputmode: field.kind === "whole number" ? "numeric" : null, list: id + "-list", placeholder: defaultOf(field), autocomplete: "off", spellcheck: "false" });
    const proposals = [...new Set([...choices, ...nearby(field), defaultOf(field)])].filter((one) => one !== "" && one !== "-");
    const list = element("datalist", { id: id + "-list" }, proposals.map((value) => element("option", { value: shown(field, value) })));
    const fault = element("pre", { class: "fault", id: id + "-fault" });
    const notes = [field.kind, field.range, field.default === null || field.default === "-" ? "" : "default " + field.default].filter((note) => note !== "");
    const box = element("div", { class: "control", "data-path": field.path }, element("label", { for: id }, field.path), input, plain ? null : list,
      element("p", { class: "note", id: id + "-about" }, withCode(notes.join("; ") + ". " + field.meaning)), fault);
    return { field, box, input, fault };
  }

  private changed(path: string): void {
    const control = this.controls.get(path) as Control;
    const value = control.input.value;
    const own = control.field.value;
    const isOwn = value === "" || valueOf(this.sets, path) === undefined && own !== null && shown(control.field, own) === value;
    this.set(path, isOwn ? null : written(control.field, value));
  }

  private set(path: string, value: string | null): void {
    this.onChange(withSetting(this.sets, path, value));
  }

  private narrow(): void {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    for (const details of this.groups.querySelectorAll("details")) {
      let left = 0;
      for (const control of this.controls.values()) {
        if (!details.contains(control.box)) continue;
        const text = (control.field.path + " " + control.field.meaning).toLowerCase();
        control.box.hidden = !words.every((word) => text.includes(word));
        left += control.box.hidden ? 0 : 1;
      }
      details.hidden = left === 0;
      if (words.length > 0) details.open = true;
    }
  }
}
