// The few settings that matter most in a scenario, beside its picture: a change runs it anew. All others are among the parameters.
import { element, onceInTurn } from "../../crates/page/src/script/dom.js";
import { pathOf, valueOf } from "./share.ts";
import type { Checked, Diagnostic, Field } from "./simulator.ts";
import { bare, isQuoted } from "./values.ts";

const MOST = 6;
/** Beginning of the names of controls in the page. */
const ID = "knob-";
const SPEEDS = ["SDR", "DDR", "QDR", "FDR", "EDR", "HDR", "NDR"];

/** A setting that is worth a knob: fields by their paths, a name for readers, and its values if they are not powers of two of the scenario's. */
interface Wish {
  path: RegExp;
  label: string;
  values?: string[];
}

/** The settings, the most telling first. */
const WISHES: Wish[] = [
  { path: /^congestion_control$/, label: "Congestion control" },
  { path: /^switch\.buffer$/, label: "Buffer of an input" },
  { path: /^switch\.memory$/, label: "Memory of a switch" },
  { path: /^switch\.buffering$/, label: "Packets wait", values: ["InputFifo", "InputVoq", "Output"] },
  { path: /^traffic\.[^.]+\.load$/, label: "Offered load" },
  { path: /^traffic\.[^.]+\.bytes$/, label: "Bytes of a sender" },
  { path: /^cables\.trunk\.speed$/, label: "Speed of trunks", values: SPEEDS },
  { path: /^cables\.trunk\.rate$/, label: "Rate of trunks" },
  { path: /^congestion_control\.marking\.threshold$/, label: "Marking threshold", values: ["1", "3", "6", "9", "12", "15"] },
  { path: /^congestion_control\.marking\.kmin$/, label: "Marking from (Kmin)" },
  { path: /^congestion_control\.response\.(ccti_increase|additive_increase)$/, label: "Step of the source" },
  { path: /^congestion_control\.response\.ccti_timer$/, label: "Recovery timer" },
  { path: /^link\.mtu$/, label: "Packet size", values: ["256 B", "512 B", "1 KiB", "2 KiB", "4 KiB"] },
  { path: /^adapter\.drain_limit$/, label: "Slow receivers: limit" },
  { path: /^switch\.latency$/, label: "Latency of a switch" },
  { path: /^duration$/, label: "Simulated time" },
];

/** Rules of routing by which a switch may have several ports for a destination. */
const GROUPED = ["Ecmp", "Adaptive", "Valiant", "Ugal", "Par"];
/** Topologies with routes that are not minimal. */
const WITH_DETOURS = ["Dragonfly", "HyperX"];

/** The settings of paths, for scenarios with such a rule. `bare` returns the value that holds if the field is left out, by the rule. */
const PATHS: (Wish & { bare: (rule: string) => string })[] = [
  { path: /^switch\.selection$/, label: "Switches choose a port", values: ["Hash", "Random", "RoundRobin", "LeastLoaded", "Flowlet"], bare: (rule) => rule === "Ecmp" ? "Hash" : "LeastLoaded" },
  { path: /^routing$/, label: "Among paths", values: GROUPED, bare: (rule) => rule },
  { path: /^adapter\.delivery$/, label: "Receivers take packets", values: ["InOrder", "AnyOrder"], bare: () => "InOrder" },
  { path: /^adapter\.recovery$/, label: "Senders repeat", values: ["GoBackN", "SelectiveRepeat"], bare: () => "GoBackN" },
  { path: /^adapter\.entropy$/, label: "Entropy of packets", values: ["Flow", "Random", "RoundRobin", "Bitmap", "Reps"], bare: () => "Flow" },
];

/** Readers' words for some values. */
const WORDS: Record<string, string> = {
  InputFifo: "in one queue at the input", InputVoq: "at the input, by output", Output: "at the output", Off: "off", Guideline: "InfiniBand's, the guideline of 2005",
  Hash: "by hash of the flow", Random: "at random", RoundRobin: "in turn (spraying)", LeastLoaded: "the least loaded (adaptive)", Flowlet: "anew after a gap (flowlets)",
  Ecmp: "all shortest (ECMP)", Adaptive: "all shortest (adaptive)", Valiant: "by a random switch (Valiant)", Ugal: "a detour if less loaded (UGAL)", Par: "UGAL, decided twice (PAR)",
  InOrder: "in order alone", AnyOrder: "in any order", GoBackN: "all after a gap (go-back-N)", SelectiveRepeat: "missing ones (selective repeat)",
  Flow: "one value for a flow", Bitmap: "in turn, without bad ones", Reps: "recycled, if unmarked (REPS)",
};

interface Knob {
  path: string;
  box: HTMLElement;
  fault: HTMLElement;
  show(value: string): void;
}

/** Returns the settings of paths with their fields, if the scenario has a rule of routing with several ports. Fields that are left out have the value that holds. */
function pathsOf(all: Field[], written: Map<string, Field>): { wish: Wish; field: Field }[] {
  const [rule, topology] = ["routing", "topology"].map((path) => /^\w*/.exec(bare(written.get(path)?.value ?? ""))?.[0] ?? "") as [string, string];
  if (!GROUPED.includes(rule)) return [];
  const hasDetours = WITH_DETOURS.includes(topology);
  return PATHS.flatMap((wish) => {
    const field = [...written.values(), ...all].find(({ path }) => wish.path.test(path));
    const values = wish.values?.filter((one) => field?.path !== "routing" || hasDetours || GROUPED.indexOf(one) < 2);
    const value = /^\w+/.exec(field?.value ?? "")?.[0] ?? wish.bare(rule);
    return field === undefined ? [] : [{ wish: { ...wish, ...(values ? { values } : {}) }, field: { ...field, kind: "choice", value } }];
  });
}

/** Returns values around one: powers of two times a quantity. */
function around(field: Field, value: string): string[] {
  const found = /^([\d.]+)\s*([A-Za-z/]*)$/.exec(value);
  if (!found) return [];
  const all = [-3, -2, -1, 0, 1, 2, 3].map((power) => Number((Number(found[1]) * 2 ** power).toPrecision(4)));
  const fitting = field.kind === "whole number" ? all.filter((one) => Number.isInteger(one) && one > 0) : all;
  return fitting.map((one) => (one + " " + found[2]).trim());
}

/** The knobs. */
export class Knobs {
  readonly box: HTMLElement;
  private readonly list = element("div", { class: "knob-list" });
  private readonly paths = element("div", { class: "knob-list" });
  private readonly heading = element("h3", {}, "Paths");
  private knobs: Knob[] = [];
  private key = "";

  /** `onTurn` is called with a path and a value, as a setting has it; `null` for the scenario's own. */
  constructor(private readonly onTurn: (path: string, value: string | null) => void, ...more: HTMLElement[]) {
    this.box = element("section", { class: "knobs", "aria-labelledby": "heading-knobs" }, element("h2", { id: "heading-knobs" }, "Turn a knob"),
      element("p", { class: "note" }, "Each change runs it anew."), this.list, this.heading, this.paths, more);
  }

  /** Shows the settings of a case by the checks of its runs, and the faults of these. `name` is that of the scenario. */
  show(name: string, checks: Checked[], sets: string[][], faults: Diagnostic[]): void {
    const fields = new Map(checks.flatMap((one) => one.fields).filter((field) => field.value !== null).map((field) => [field.path, field]));
    if (fields.size === 0) return this.mark(faults);
    const isCompared = sets.length === 2 && valueOf(sets[0] as string[], "congestion_control") !== valueOf(sets[1] as string[], "congestion_control");
    const chosen = WISHES.flatMap((wish) => {
      const field = [...fields.values()].find(({ path }) => wish.path.test(path));
      // A choice is offered among values that need no others: another design than these has fields of its own.
      const isOther = field?.kind === "choice" && field.path !== "congestion_control" && !wish.values?.includes(bare(field.value ?? ""));
      return field === undefined || isOther || isCompared && field.path === "congestion_control" ? [] : [{ wish, field }];
    }).slice(0, MOST);
    const ofPaths = pathsOf(checks.flatMap((one) => one.fields), fields);
    const key = [name, fields.get("routing")?.value, ...[...chosen, ...ofPaths].map(({ field }) => field.path)].join();
    if (key !== this.key) {
      this.key = key;
      const focused = document.activeElement?.id ?? "";
      const isEthernet = bare(fields.get("link.framing")?.value ?? "") === "RoCEv2";
      const made = (some: { wish: Wish; field: Field }[]) => some.flatMap(({ wish, field }) => this.knob(wish, field, isEthernet, sets.some((one) => valueOf(one, field.path) !== undefined)) ?? []);
      const [ofScenario, paths] = [made(chosen), made(ofPaths)];
      this.knobs = [...ofScenario, ...paths];
      this.list.replaceChildren(...ofScenario.map(({ box }) => box));
      this.paths.replaceChildren(...paths.map(({ box }) => box));
      if (focused.startsWith(ID)) document.getElementById(focused)?.focus();
    }
    this.heading.hidden = ofPaths.length === 0;
    this.box.hidden = this.knobs.length === 0;
    for (const knob of this.knobs) {
      const set = sets.map((one) => valueOf(one, knob.path)).findLast((one) => one !== undefined);
      knob.show(bare(set ?? fields.get(knob.path)?.value ?? ""));
      knob.box.classList.toggle("changed", set !== undefined);
    }
    this.mark(faults);
  }

  private mark(faults: Diagnostic[]): void {
    for (const { path, fault } of this.knobs) {
      const found = faults.find((one) => one.setting !== null && pathOf(one.setting) === path || one.path === path);
      fault.textContent = found ? (found.printed.split("\n")[0] ?? "").replace(/^error: /, "") : "";
    }
  }

  /** Returns a knob. `isSet` is true if the field's value is that of a setting, not the scenario's own. */
  private knob(wish: Wish, field: Field, isEthernet: boolean, isSet: boolean): Knob | null {
    const own = bare(field.value ?? "");
    const written = (value: string) => value === own && !isSet ? null : isQuoted(field) ? JSON.stringify(value) : value;
    const id = ID + field.path;
    const fault = element("p", { class: "fault" });
    const choices = field.path === "congestion_control" ? ["Off", own === "Off" ? isEthernet ? "Dcqcn(preset: Recommended)" : "Guideline" : own] : field.kind === "choice" ? wish.values ?? field.choices.filter((one) => /^\w+$/.test(one)) : null;
    if (choices) {
      const all = [...new Set([...choices, own])].filter((one) => one !== "");
      const select = element("select", { id, onchange: () => this.onTurn(field.path, written(select.value)) }, all.map((one) => element("option", { value: one }, WORDS[one] ?? /^\w+/.exec(one)?.[0] ?? one)));
      return { path: field.path, fault, show: (value) => { select.value = [value, /^\w*/.exec(value)?.[0] ?? ""].find((one) => all.includes(one)) ?? own; }, box: element("div", { class: "knob", title: field.meaning.replaceAll("`", "") }, element("label", { for: id }, wish.label), select, fault) };
    }
    const values = wish.values ? [...new Set([...wish.values, own])].sort((one, other) => sizeOf(one) - sizeOf(other)) : around(field, own);
    if (values.length < 3) return null;
    const output = element("output", { for: id });
    const range = element("input", { type: "range", id, min: 0, max: values.length - 1, step: 1,
      oninput: onceInTurn(() => { output.textContent = values[Number(range.value)] as string; range.setAttribute("aria-valuetext", output.textContent); }),
      onchange: () => this.onTurn(field.path, written(values[Number(range.value)] as string)) });
    const show = (value: string) => {
      const place = values.indexOf(value);
      if (place >= 0) range.value = String(place);
      output.textContent = value;
      range.setAttribute("aria-valuetext", value);
    };
    return { path: field.path, fault, show, box: element("div", { class: "knob", title: field.meaning.replaceAll("`", "") }, element("label", { for: id }, wish.label), output, range, fault) };
  }
}

/** Returns a number by which values stand in order. */
function sizeOf(value: string): number {
  const factor = value.includes("KiB") ? 1024 : value.includes("MiB") ? 1048576 : 1;
  return parseFloat(value) * factor;
}
