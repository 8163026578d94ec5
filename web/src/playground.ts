// The playground: a scenario, its settings, and its runs.
import { button, element } from "../../crates/page/src/script/dom.js";
import { counted, spelled } from "../../crates/page/src/script/format.js";
import { Picture } from "../../crates/page/src/script/fabric.js";
import type { Graph } from "../../crates/page/src/script/types.js";
import { Editor } from "./editor.ts";
import { Parameters } from "./parameters.ts";
import { check, type Engine } from "./run.ts";
import { commandLine, save } from "./side.ts";
import { command, fileName, pathOf, sourceName, withSetting, type Case } from "./share.ts";
import type { Checked, Diagnostic } from "./simulator.ts";
import { story } from "./story.ts";
import { wordList } from "./words.ts";
import { Workbench } from "./workbench.ts";

/** Pause after a key until the text is checked, in ms. */
const REST = 250;

type Which = "a" | "b";

/** The page. */
export class Playground {
  readonly box: HTMLElement;
  private readonly choice: HTMLSelectElement;
  private readonly story = element("div", { class: "story" });
  private readonly facts = element("p", { class: "facts" });
  private readonly picture = element("div", { class: "preview" });
  private readonly faults = element("div", { id: "faults", class: "faults", role: "alert" });
  private readonly seed = element("input", { type: "number", min: 0, step: 1, placeholder: "as in the scenario", "aria-label": "Seed of all random streams", onchange: () => this.reseed() });
  private readonly tabs = element("div", { class: "tabs" });
  private readonly panel = element("div", { class: "panel", role: "tabpanel", tabindex: "0" });
  private readonly native = element("div", { class: "native" });
  private readonly settings = element("details", { class: "settings", id: "parameters" });
  private readonly changes = element("span", { class: "note" });
  private readonly workbench: Workbench;
  private readonly editor: Editor;
  private readonly parameters: Record<Which, Parameters>;
  private shown: "text" | Which = "a";
  private of: Case;
  private checked: Record<Which, Checked | null> = { a: null, b: null };
  private asked = 0;
  /** The graph in the picture, as JSON. */
  private drawn = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly engine: Engine, of: Case) {
    this.of = of;
    this.choice = element("select", { id: "scenario", onchange: () => this.choose(this.choice.value) }, engine.shipped.map(({ name, about }) => element("option", { value: name, title: about }, name)));
    this.editor = new Editor((text) => { this.of.text = text === this.original() ? null : text; this.later(); });
    this.parameters = { a: new Parameters("a", (sets) => this.settle("a", sets)), b: new Parameters("b", (sets) => this.settle("b", sets)) };
    this.workbench = new Workbench(() => this.isRight() ? { of: structuredClone(this.of), text: this.text() } : null);
    const reset = button("Reset", () => this.choose(this.of.scenario), { title: "The scenario as it ships" });
    this.box = element("div", { class: "playground" }, element("h1", {}, "A simulator of congestion, in this page"),
      element("p", { class: "lead" }, "Backwater simulates the networks of clusters packet by packet: InfiniBand, and Ethernet for RDMA (RoCEv2). Their links drop no packet; they wait, and so congestion spreads to traffic that has no part in it. Choose a scenario, run it, change it. Nothing is installed, and nothing leaves your browser. New to this? Begin with the ", element("a", { href: "#lessons" }, "lessons"), "."),
      element("section", { class: "scenario", "aria-labelledby": "heading-scenario" }, element("h2", { id: "heading-scenario" }, "Scenario"),
        element("p", {}, element("label", { for: "scenario" }, "Scenario "), this.choice, " ", reset),
        element("div", { class: "about" }, element("div", {}, this.story, this.facts), this.picture), wordList()),
      this.workbench.bar, this.faults, element("section", { "aria-labelledby": "heading-parameters" }, this.settings, this.native), this.workbench.box);
    this.settings.append(element("summary", {}, element("h2", { id: "heading-parameters" }, "Parameters"), " ", this.changes), element("p", { class: "note" }, "Change a value, or the text of the scenario: the next run takes it. The seed is the number from which all random streams are drawn: same seed, same run."),
      element("p", {}, element("label", {}, "Seed ", this.seed)), this.tabs, this.panel);
    this.tabs.addEventListener("keydown", (event) => this.turn(event));
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
    this.story.replaceChildren(...story(shipped?.story ?? "", (sets) => this.tryBeside(sets)));
    this.editor.show(this.text());
    if (this.shown === "b" && this.of.b === null) this.shown = "a";
    this.layTabs();
    this.checked = { a: null, b: null };
    this.workbench.allow(false, "The scenario is being checked.");
    void this.check();
  }

  /** Sets up a second run that differs from the first by some settings. */
  private tryBeside(sets: string[]): void {
    this.of.b = sets.reduce((all, one) => withSetting(all, pathOf(one), one.slice(pathOf(one).length + 1)), this.of.a);
    this.shown = "b";
    this.open();
    this.workbench.say("Run B has " + sets.join(" and ") + ". Run both.");
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
    const hadFocus = this.tabs.contains(document.activeElement);
    const tab = ([id, name]: ["text" | Which, string]) => button(name, () => { this.shown = id; this.layTabs(); },
      { role: "tab", id: "tab-" + id, "aria-selected": String(this.shown === id), "aria-controls": "panel", tabindex: this.shown === id ? "0" : "-1" });
    const second = two ? button("Remove run B", () => { this.of.b = null; this.open(); }) : button("Add run B", () => { this.of.b = [...this.of.a]; this.shown = "b"; this.settings.open = true; this.open(); }, { title: "A second run with other settings and the same random streams, side by side" });
    this.tabs.replaceChildren(element("div", { role: "tablist", "aria-label": "Parameters" }, names.map(tab)));
    const isAtSecond = this.workbench.second.contains(document.activeElement);
    this.workbench.second.replaceChildren(second);
    if (isAtSecond) second.focus();
    if (hadFocus) document.getElementById("tab-" + this.shown)?.focus();
    this.panel.id = "panel";
    this.panel.setAttribute("aria-labelledby", "tab-" + this.shown);
    const contents = this.shown === "text" ? [this.editor.box, element("p", {}, button("Save the text", () => save(fileName(this.of), this.text())))] : [this.parameters[this.shown].box];
    this.panel.replaceChildren(...contents);
  }

  /** Goes to the next tab or the one before by arrow keys. */
  private turn(event: KeyboardEvent): void {
    const by = ({ ArrowRight: 1, ArrowLeft: -1 } as Record<string, number>)[event.key];
    const tabs = [...this.tabs.querySelectorAll<HTMLElement>("[role=tab]")];
    const at = tabs.findIndex((tab) => tab === document.activeElement);
    if (by === undefined || at < 0) return;
    event.preventDefault();
    tabs[(at + by + tabs.length) % tabs.length]?.click();
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
    performance.mark("scenario checked");
  }

  private tell(a: Checked, b: Checked | null): void {
    const all = [...a.faults, ...(b?.faults ?? [])];
    const different = all.filter((fault, place) => all.findIndex((one) => one.printed === fault.printed) === place);
    this.faults.replaceChildren(...different.map((fault) => this.fault(fault)));
    this.editor.mark(different);
    this.parameters.a.show(a.fields, this.of.a, a.faults);
    if (b !== null) this.parameters.b.show(b.fields, this.of.b ?? [], b.faults);
    const count = (sets: string[]) => sets.length === 0 ? "" : counted(sets.length, "value") + " set";
    const changes = this.of.b === null ? [count(this.of.a)] : ["run A: " + (count(this.of.a) || "as it ships"), "run B: " + (count(this.of.b) || "as it ships")];
    this.changes.textContent = [this.of.text === null ? "" : "text edited", ...changes, this.of.seed === null ? "" : "seed " + this.of.seed].filter((words) => words !== "").join(", ");
    const { facts } = a;
    if (facts) {
      this.facts.textContent = counted(facts.hosts, "host") + ", " + counted(facts.switches, "switch") + ", " + counted(facts.flows, "flow") + ", " +
        spelled(facts.duration_s, "s") + ", congestion control " + facts.scheme + ". About " + counted(facts.events, "event") + ", and " + spelled(facts.memory_bytes, "B") + " of memory at most.";
    }
    if (a.graph && JSON.stringify(a.graph) !== this.drawn) this.draw(a.graph);
    const refusal = [a, b].map((one) => one?.facts?.refusal ?? null).find((one) => one !== null) ?? null;
    if (refusal !== null) this.faults.append(element("p", { class: "warning refusal" }, refusal));
    this.native.replaceChildren(element("p", { class: "note" }, "The same run on the command line" + (this.of.text === null ? ":" : ", with the edited text as a file:")),
      commandLine(command(this.of, this.of.a)), ...(this.of.b === null ? [] : [commandLine(command(this.of, this.of.b))]),
      ...(this.of.text === null ? [] : [button("Save " + fileName(this.of), () => save(fileName(this.of), this.text()))]));
    this.workbench.allow(this.isRight(), refusal ?? "The scenario has a fault.");
  }

  private fault(fault: Diagnostic): HTMLElement {
    const jump = fault.line === null || fault.setting !== null ? null : button("Show line " + fault.line, () => { this.settings.open = true; this.shown = "text"; this.layTabs(); this.editor.goTo(fault.line as number, fault.column, fault.length); });
    return element("div", { class: "warning" }, element("pre", { class: "message", tabindex: "0" }, fault.printed), jump);
  }

  private draw(graph: Graph): void {
    this.drawn = JSON.stringify(graph);
    const picture = new Picture(graph);
    const none = Array.from({ length: graph.outputs.length / 3 }, () => 0);
    picture.state = { colours: none, widths: none, marks: { roots: new Set(), branches: new Set(), contributors: new Set(), victims: new Set() } };
    picture.canvas.setAttribute("aria-label", "The fabric: " + counted(graph.hosts, "host") + " and " + counted(graph.nodes.length - graph.hosts, "switch"));
    this.picture.replaceChildren(picture.holder);
    requestAnimationFrame(() => picture.follow());
  }
}
