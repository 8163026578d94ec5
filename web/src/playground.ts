// The playground: a scenario, its settings, and its runs.
import { button, element, withCode } from "../../crates/report/src/page/script/dom.js";
import { counted, spelled } from "../../crates/report/src/page/script/format.js";
import { Picture } from "../../crates/report/src/page/script/fabric.js";
import type { Graph } from "../../crates/report/src/page/script/types.js";
import { Editor } from "./editor.ts";
import { Parameters } from "./parameters.ts";
import { check, type Engine } from "./run.ts";
import { commandLine, save } from "./side.ts";
import { command, fileName, sourceName, type Case } from "./share.ts";
import type { Checked, Diagnostic } from "./simulator.ts";
import { Workbench } from "./workbench.ts";

/** Pause after a key until the text is checked, in ms. */
const REST = 250;

type Which = "a" | "b";

/** Returns a story in paragraphs: a blank line begins another. */
export function story(text: string): HTMLElement[] {
  return text.split(/\n\s*\n/).filter((part) => part.trim() !== "").map((part) => element("p", {}, withCode(part.replaceAll("\n", " "))));
}

/** The page. */
export class Playground {
  readonly box: HTMLElement;
  private readonly choice: HTMLSelectElement;
  private readonly story = element("div", { class: "story" });
  private readonly facts = element("p", { class: "facts" });
  private readonly picture = element("div", { class: "preview" });
  private readonly faults = element("div", { id: "faults", class: "faults", role: "alert" });
  private readonly seed = element("input", { type: "number", min: 0, step: 1, placeholder: "as in the scenario", "aria-label": "Seed of all random streams", onchange: () => this.reseed() });
  private readonly tabs = element("div", { class: "tabs", role: "tablist", "aria-label": "Parameters" });
  private readonly panel = element("div", { class: "panel", role: "tabpanel", tabindex: "0" });
  private readonly native = element("div", { class: "native" });
  private readonly workbench: Workbench;
  private readonly editor: Editor;
  private readonly parameters: Record<Which, Parameters>;
  private shown: "text" | Which = "a";
  private of: Case;
  private checked: Record<Which, Checked | null> = { a: null, b: null };
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly engine: Engine, of: Case) {
    this.of = of;
    this.choice = element("select", { id: "scenario", onchange: () => this.choose(this.choice.value) }, engine.shipped.map(({ name, about }) => element("option", { value: name, title: about }, name)));
    this.editor = new Editor((text) => { this.of.text = text === this.original() ? null : text; this.later(); });
    this.parameters = { a: new Parameters("a", (sets) => this.settle("a", sets)), b: new Parameters("b", (sets) => this.settle("b", sets)) };
    this.workbench = new Workbench(() => this.isRight() ? { of: structuredClone(this.of), text: this.text() } : null);
    const reset = button("Reset", () => this.choose(this.of.scenario), { title: "The scenario as it ships" });
    this.box = element("div", { class: "playground" }, element("h1", {}, "A simulator of congestion, in this page"),
      element("p", { class: "lead" }, "Choose a scenario, change it, run it. Everything happens in your browser: nothing is installed, nothing is sent."),
      element("section", { class: "scenario", "aria-labelledby": "heading-scenario" }, element("h2", { id: "heading-scenario" }, "Scenario"),
        element("p", {}, element("label", { for: "scenario" }, "Scenario "), this.choice, " ", reset), this.story, this.facts, this.picture),
      element("section", { "aria-labelledby": "heading-parameters" }, element("h2", { id: "heading-parameters" }, "Parameters"),
        element("p", {}, element("label", {}, "Seed ", this.seed)), this.tabs, this.panel, this.faults, this.native),
      this.workbench.box);
    this.open();
  }

  /** Shows a case, and starts it if `runs`. */
  show(of: Case): void {
    this.of = of;
    this.workbench.clear();
    this.open();
  }

  /** Stops runs and timers. */
  leave(): void {
    clearTimeout(this.timer);
    this.asked += 1;
    this.workbench.clear();
  }

  private original(): string {
    return this.engine.shipped.find((one) => one.name === this.of.scenario)?.text ?? "";
  }

  private text(): string {
    return this.of.text ?? this.original();
  }

  private open(): void {
    this.choice.value = this.of.scenario;
    this.seed.value = this.of.seed === null ? "" : String(this.of.seed);
    const shipped = this.engine.shipped.find((one) => one.name === this.of.scenario);
    this.story.replaceChildren(...story(shipped?.story ?? ""));
    this.editor.show(this.text());
    if (this.shown === "b" && this.of.b === null) this.shown = "a";
    this.layTabs();
    this.checked = { a: null, b: null };
    this.workbench.allow(false, "The scenario is being checked.");
    void this.check();
  }

  private choose(name: string): void {
    this.show({ scenario: name, text: null, seed: null, a: [], b: null });
    history.replaceState(null, "", "#scenario=" + encodeURIComponent(name));
  }

  private reseed(): void {
    const value = this.seed.value.trim();
    this.of.seed = /^\d+$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : null;
    this.seed.value = this.of.seed === null ? "" : String(this.of.seed);
    this.later();
  }

  private settle(which: Which, sets: string[]): void {
    this.of[which] = sets;
    this.later();
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.check(), REST);
  }

  private layTabs(): void {
    const two = this.of.b !== null;
    const names: ["text" | Which, string][] = [["a", two ? "Run A" : "Controls"], ...(two ? [["b", "Run B"] as [Which, string]] : []), ["text", "Text"]];
    const tab = ([id, name]: ["text" | Which, string]) => button(name, () => { this.shown = id; this.layTabs(); }, { role: "tab", id: "tab-" + id, "aria-selected": String(this.shown === id), "aria-controls": "panel" });
    const other = two ? button("Remove run B", () => { this.of.b = null; this.open(); }) : button("Add run B", () => { this.of.b = [...this.of.a]; this.shown = "b"; this.open(); }, { title: "A second run with other settings and the same random streams, side by side" });
    this.tabs.replaceChildren(element("div", { role: "presentation" }, names.map(tab)), other);
    this.panel.id = "panel";
    this.panel.setAttribute("aria-labelledby", "tab-" + this.shown);
    const contents = this.shown === "text" ? [this.editor.box, element("p", {}, button("Save the text", () => save(fileName(this.of), this.text())))] : [this.parameters[this.shown].box];
    this.panel.replaceChildren(...contents);
  }

  private isRight(): boolean {
    const sides = this.of.b === null ? [this.checked.a] : [this.checked.a, this.checked.b];
    return sides.every((one) => one !== null && one.facts !== null && one.facts.refusal === null);
  }

  private async check(): Promise<void> {
    this.asked += 1;
    const asked = this.asked;
    const judge = async (sets: string[] | null) => sets === null ? null : check(this.engine, { name: sourceName(this.of), text: this.text(), sets, seed: this.of.seed });
    const [a, b] = await Promise.all([judge(this.of.a), judge(this.of.b)]);
    if (asked !== this.asked) return;
    this.checked = { a, b };
    this.tell(a as Checked, b);
  }

  private tell(a: Checked, b: Checked | null): void {
    const all = [...a.faults, ...(b?.faults ?? [])];
    const different = all.filter((fault, place) => all.findIndex((one) => one.printed === fault.printed) === place);
    this.faults.replaceChildren(...different.map((fault) => this.fault(fault)));
    this.editor.mark(different);
    this.parameters.a.show(a.fields, this.of.a, a.faults);
    if (b !== null) this.parameters.b.show(b.fields, this.of.b ?? [], b.faults);
    const { facts } = a;
    if (facts) {
      this.facts.textContent = counted(facts.hosts, "host") + ", " + counted(facts.switches, "switch") + ", " + counted(facts.flows, "flow") + ", " +
        spelled(facts.duration_s, "s") + ", congestion control " + facts.scheme + ". About " + counted(facts.events, "event") + ", and " + spelled(facts.memory_bytes, "B") + " of memory at most.";
    }
    if (a.graph) this.draw(a.graph);
    const refusal = [a, b].map((one) => one?.facts?.refusal ?? null).find((one) => one !== null) ?? null;
    if (refusal !== null) this.faults.append(element("p", { class: "warning refusal" }, refusal));
    this.native.replaceChildren(element("p", { class: "note" }, "The same run on the command line" + (this.of.text === null ? ":" : ", with the edited text as a file:")),
      commandLine(command(this.of, this.of.a)), ...(this.of.b === null ? [] : [commandLine(command(this.of, this.of.b))]),
      ...(this.of.text === null ? [] : [button("Save " + fileName(this.of), () => save(fileName(this.of), this.text()))]));
    this.workbench.allow(this.isRight(), refusal ?? "The scenario has a fault.");
  }

  private fault(fault: Diagnostic): HTMLElement {
    const jump = fault.line === null || fault.setting !== null ? null : button("Show line " + fault.line, () => { this.shown = "text"; this.layTabs(); this.editor.goTo(fault.line as number, fault.column, fault.length); });
    return element("div", { class: "warning" }, element("pre", { class: "message", tabindex: "0" }, fault.printed), jump);
  }

  private draw(graph: Graph): void {
    const picture = new Picture(graph);
    const none = Array.from({ length: graph.outputs.length / 3 }, () => 0);
    picture.state = { colours: none, widths: none, marks: { roots: new Set(), branches: new Set(), contributors: new Set(), victims: new Set() } };
    picture.canvas.setAttribute("aria-label", "The fabric: " + counted(graph.hosts, "host") + " and " + counted(graph.nodes.length - graph.hosts, "switch"));
    this.picture.replaceChildren(picture.holder);
    requestAnimationFrame(() => picture.fit());
  }
}
