// The playground: a scenario, its settings, and its runs.
import { button, element } from "../../crates/page/src/script/dom.js";
import { counted, spelled } from "../../crates/page/src/script/format.js";
import { Editor } from "./editor.ts";
import { galleryRow, type Exhibit } from "./gallery.ts";
import { Knobs } from "./knobs.ts";
import { labelsOf } from "./labels.ts";
import { Parameters } from "./parameters.ts";
import { check, type Engine } from "./run.ts";
import { commandLine, save } from "./side.ts";
import { command, encoded, fileName, pathOf, sourceName, withSetting, type Case } from "./share.ts";
import { measure, onSpeed, timeInWords, timeOf } from "./speed.ts";
import { castOf, type Cast } from "./stage/cast.ts";
import type { Checked, Diagnostic } from "./simulator.ts";
import { story } from "./story.ts";
import { wordList } from "./words.ts";
import { Workbench, type Ready } from "./workbench.ts";

/** Pause after a key until the text is checked, in ms. */
const REST = 250;
/** Longest time of a run that a knob begins by itself, in s, and the events of such a run while no run has measured the speed. */
const [AT_ONCE_S, AT_ONCE_EVENTS] = [10, 8e6];
/** Events of a run whose time is told before, by a small run if no other has measured the speed. */
const MEASURED_EVENTS = 2e6;
/** Name under which this tab keeps the last case. */
export const KEPT = "case";

type Which = "a" | "b";

/** How a case came to be: a text that is typed is one step, however many letters it has. */
type Step = "typed" | "changed";

/** The page. */
export class Playground {
  readonly box: HTMLElement;
  private readonly choice: HTMLSelectElement;
  private readonly story = element("div", { class: "story" });
  private readonly facts = element("p", { class: "facts" });
  private readonly faults = element("div", { id: "faults", class: "faults", role: "alert" });
  private readonly seed = element("input", { type: "number", min: 0, step: 1, placeholder: "as in the scenario", "aria-label": "Seed of all random streams", onchange: () => this.reseed() });
  private readonly tabs = element("div", { class: "tabs" });
  private readonly panel = element("div", { class: "panel", role: "tabpanel", tabindex: "0" });
  private readonly native = element("div", { class: "native" });
  private readonly settings = element("details", { class: "settings", id: "parameters" });
  private readonly changes = element("span", { class: "note" });
  private readonly undo = button("Undo", () => history.back(), { disabled: true, title: "Back to the case before the last change; the browser's Back does the same" });
  /** Place of the button for a second run. */
  private readonly second = element("span");
  private readonly workbench: Workbench;
  private readonly editor: Editor;
  private readonly parameters: Record<Which, Parameters>;
  private readonly knobs: Knobs;
  private readonly deaf: () => void;
  private shown: "text" | Which = "a";
  private of: Case;
  private checked: Record<Which, Checked | null> = { a: null, b: null };
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Done once all cases so far have their addresses, in order. */
  private noted = Promise.resolve();
  /** How the address came to name this case. */
  private step: Step | null = null;
  /** True if the next check without a fault begins the runs. */
  private runs = false;
  private exhibit: Exhibit | null = null;

  /** Shows a case; an exhibit of the gallery begins to run. */
  constructor(private readonly engine: Engine, of: Case, exhibit: Exhibit | null) {
    this.of = of;
    this.choice = element("select", { id: "scenario", onchange: () => this.choose(this.choice.value) }, engine.shipped.map(({ name, about }) => element("option", { value: name, title: about }, name)));
    this.editor = new Editor((text) => { this.of.text = text === this.original() ? null : text; this.later("typed"); });
    this.parameters = { a: new Parameters("a", (sets) => this.settle("a", sets)), b: new Parameters("b", (sets) => this.settle("b", sets)) };
    this.knobs = new Knobs((path, value) => this.turnKnob(path, value));
    this.workbench = new Workbench(() => this.ready());
    this.deaf = onSpeed(() => this.tellFacts());
    const reset = button("Reset", () => this.choose(this.of.scenario), { title: "The scenario as it ships" });
    this.workbench.toolbar.append(this.undo, this.second, element("span", { class: "scenario" }, element("label", { for: "scenario" }, "Scenario "), this.choice, " ", reset));
    this.box = element("div", { class: "playground" }, element("h1", {}, "How congestion spreads in networks that lose no packet"),
      element("p", { class: "lead" }, "InfiniBand and RoCEv2 stop a link while the buffer at its end is full, and so congestion reaches traffic that has no part in it. Backwater simulates this here, packet by packet. ",
        element("span", { class: "wide" }, "Watch, turn a knob, choose a case below, or take a ", element("a", { href: "#lessons" }, "lesson"), ". Nothing leaves your browser.")),
      this.workbench.bar, this.faults, this.workbench.headline, element("div", { class: "first" }, this.workbench.stage.box, this.knobs.box),
      galleryRow(),
      element("section", { class: "about", "aria-labelledby": "heading-scenario" }, element("h2", { id: "heading-scenario" }, "This scenario"), this.story, this.facts, wordList()),
      element("section", { "aria-labelledby": "heading-parameters" }, this.settings, this.native), this.workbench.box);
    this.settings.append(element("summary", {}, element("h2", { id: "heading-parameters" }, "Parameters"), " ", this.changes), element("p", { class: "note" }, "Change a value, or the text of the scenario: the next run takes it. The seed is the number from which all random streams are drawn: same seed, same run."),
      element("p", {}, element("label", {}, "Seed ", this.seed)), this.tabs, this.panel);
    this.tabs.addEventListener("keydown", (event) => this.turn(event));
    this.exhibit = exhibit;
    this.workbench.stage.want(exhibit?.follow ?? null, exhibit?.says ?? []);
    this.workbench.watch(exhibit !== null);
    this.runs = exhibit !== null;
    this.keep();
    this.open();
  }

  /** Shows the case of another address, as after a step back, and runs it if its settings came from a knob. */
  arrive(of: Case): void {
    this.runs = this.workbench.hasRun && of.scenario === this.of.scenario;
    this.of = of;
    this.step = null;
    this.workbench.clear();
    this.keep();
    this.open();
  }

  /** Stops runs and timers. */
  leave(): void {
    // The last letters have no address yet.
    if (this.timer !== undefined) void encoded(this.of).then((fragment) => sessionStorage.setItem(KEPT, fragment), () => {});
    clearTimeout(this.timer);
    this.asked += 1;
    this.deaf();
    this.workbench.clear();
  }

  /** Notes the case in this tab, and whether there is a step back. */
  private keep(): void {
    this.undo.disabled = !(history.state?.depth > 0);
    sessionStorage.setItem(KEPT, location.hash.slice(1));
  }

  /** Gives the changed case an address of its own, so that the browser's Back, a reload or another page do not lose it. */
  private note(step: Step): void {
    const of = structuredClone(this.of);
    const isNew = step === "changed" || this.step !== "typed";
    this.step = step;
    this.noted = this.noted.then(() => this.address(of, isNew));
  }

  private async address(of: Case, isNew: boolean): Promise<void> {
    const fragment = "#" + await encoded(of).catch(() => "");
    if (fragment === "#" || fragment === location.hash || !this.box.isConnected) return;
    const depth = history.state?.depth ?? 0;
    if (isNew) history.pushState({ depth: depth + 1 }, "", fragment);
    else history.replaceState({ depth }, "", fragment);
    this.keep();
  }

  /** Returns the case if it can run. */
  private ready(): Ready | null {
    if (!this.isRight()) return null;
    return { of: structuredClone(this.of), text: this.text(), labels: this.labels(), duration: (this.checked.a as Checked).facts?.duration_s ?? 0 };
  }

  private labels(): string[] {
    return labelsOf(this.of, [this.checked.a, this.checked.b].flatMap((one) => one?.facts?.scheme ?? []));
  }

  /** Sets a value in every run whose scenario has the field, and runs again. A field that no scenario writes is set in all. */
  private turnKnob(path: string, value: string | null): void {
    const has = (which: "a" | "b") => this.checked[which]?.fields.some((field) => field.path === path && field.value !== null) ?? false;
    const isWritten = has("a") || has("b");
    for (const which of ["a", "b"] as const) {
      const sets = this.of[which];
      if (sets !== null && (has(which) || !isWritten)) this.of[which] = withSetting(sets, path, value);
    }
    this.runs = true;
    this.later("changed", 0);
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
    this.note("changed");
    this.workbench.say("Run B has " + sets.join(" and ") + ". Run both.");
  }

  private choose(name: string): void {
    this.of = { scenario: name, text: null, seed: null, a: [], b: null };
    this.step = null;
    this.exhibit = null;
    this.workbench.stage.want(null, []);
    this.workbench.clear();
    history.pushState({ depth: (history.state?.depth ?? 0) + 1 }, "", "#scenario=" + encodeURIComponent(name));
    this.keep();
    this.open();
  }

  private reseed(): void {
    const value = this.seed.value.trim();
    this.of.seed = /^\d+$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : null;
    this.seed.value = this.of.seed === null ? "" : String(this.of.seed);
    this.later("changed");
  }

  private settle(which: Which, sets: string[]): void {
    this.of[which] = sets;
    this.later("changed");
  }

  /** Sets up a second run with these settings, or takes it away. */
  private two(sets: string[] | null): void {
    this.of.b = sets;
    if (sets !== null) [this.shown, this.settings.open] = ["b", true];
    this.open();
    this.note("changed");
  }

  private later(step: Step, rest = REST): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.timer = undefined; this.note(step); void this.check(); }, rest);
  }

  private layTabs(): void {
    const two = this.of.b !== null;
    const names: ["text" | Which, string][] = [["a", two ? "Run A" : "Controls"], ...(two ? [["b", "Run B"] as [Which, string]] : []), ["text", "Text"]];
    const hadFocus = this.tabs.contains(document.activeElement);
    const tab = ([id, name]: ["text" | Which, string]) => button(name, () => { this.shown = id; this.layTabs(); },
      { role: "tab", id: "tab-" + id, "aria-selected": String(this.shown === id), "aria-controls": "panel", tabindex: this.shown === id ? "0" : "-1" });
    const second = two ? button("Remove run B", () => this.two(null)) : button("Add run B", () => this.two([...this.of.a]), { title: "A second run with other settings and the same random streams, side by side" });
    this.tabs.replaceChildren(element("div", { role: "tablist", "aria-label": "Parameters" }, names.map(tab)));
    const isAtSecond = this.second.contains(document.activeElement);
    this.second.replaceChildren(second);
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
    this.tellFacts();
    this.knobs.show(this.of.scenario, b === null ? [a] : [a, b], this.of.b === null ? [this.of.a] : [this.of.a, this.of.b], different);
    const refusal = [a, b].map((one) => one?.facts?.refusal ?? null).find((one) => one !== null) ?? null;
    if (refusal !== null) this.faults.append(element("p", { class: "warning refusal" }, refusal));
    this.native.replaceChildren(element("p", { class: "note" }, "The same run on the command line" + (this.of.text === null ? ":" : ", with the edited text as a file:")),
      commandLine(command(this.of, this.of.a)), ...(this.of.b === null ? [] : [commandLine(command(this.of, this.of.b))]),
      ...(this.of.text === null ? [] : [button("Save " + fileName(this.of), () => save(fileName(this.of), this.text()))]));
    this.workbench.allow(this.isRight(), refusal ?? "The scenario has a fault.");
    if (!this.isRight()) return;
    const [isAsked, isAtOnce, labels] = [this.runs, this.isAtOnce(), this.labels()];
    const casts = [castOf(a), castOf(b)].filter((one): one is Cast => one !== null);
    this.runs = false;
    this.workbench.stage.prepare(casts.map((cast, at) => ({ cast, label: labels[at] as string })));
    if (isAsked && isAtOnce) return void this.workbench.again();
    this.workbench.promise(this.exhibit?.see ?? this.engine.shipped.find((one) => one.name === this.of.scenario)?.about ?? "");
    if (isAsked) this.workbench.say("This takes a while (" + timeInWords(this.events()) + "): press Run.");
  }

  private events(): number {
    return [this.checked.a, this.checked.b].reduce((sum, one) => sum + (one?.facts?.events ?? 0), 0);
  }

  /** Returns true if the runs are short enough to begin without being asked for. */
  private isAtOnce(): boolean {
    const longest = Math.max(...[this.checked.a, this.checked.b].map((one) => one?.facts?.events ?? 0));
    const seconds = timeOf(longest);
    return this.exhibit !== null || (seconds === null ? longest <= AT_ONCE_EVENTS : seconds <= AT_ONCE_S);
  }

  /** Says what the scenario is, and how long it takes. */
  private tellFacts(): void {
    const facts = this.checked.a?.facts;
    if (!facts) return;
    const time = timeInWords(facts.events);
    if (time === "" && facts.events > MEASURED_EVENTS && !this.runs) void measure(this.engine);
    this.facts.textContent = counted(facts.hosts, "host") + ", " + counted(facts.switches, "switch") + ", " + counted(facts.flows, "flow") + ", " +
      spelled(facts.duration_s, "s") + ", congestion control " + facts.scheme + ". About " + counted(facts.events, "event") + (time === "" ? "" : ", " + time) + ", and " + spelled(facts.memory_bytes, "B") + " of memory at most.";
    this.workbench.expect(facts.events);
  }

  private fault(fault: Diagnostic): HTMLElement {
    const jump = fault.line === null || fault.setting !== null ? null : button("Show line " + fault.line, () => { this.settings.open = true; this.shown = "text"; this.layTabs(); this.editor.goTo(fault.line as number, fault.column, fault.length); });
    return element("div", { class: "warning" }, element("pre", { class: "message", tabindex: "0" }, fault.printed), jump);
  }
}
