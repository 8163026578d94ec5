// The page: figures and tables in the places that its HTML has for them, and the controls of time.
import { button, copyButton, element, place } from "./dom.js";
import { spelled } from "./format.js";
import { dataTable } from "./table.js";
import { TimeAxis } from "./axis.js";
import { curves, subjectOf } from "./curves.js";
import { fabricFigure } from "./fabric.js";
import { flowFacts } from "./facts.js";
import { hurtFigure } from "./hurt.js";
import { RANK_COLOURS, rankFigure } from "./ranks.js";
import { showSweep } from "./sweep.js";
import { setTheme, watchSystem } from "./palette.js";

/** @import { Fabric, PageTable, Panel, Subject, SweepPage, Timeline } from "./types.js" */

/**
 * Data of the page of a run.
 *
 * @typedef {{ kind: "run", end_s: number, phases: [string, number, number][], panels: Panel[], fabric: Fabric | null, completions: Panel | null,
 *   completion_tables: PageTable[], margins: PageTable[], tables: PageTable[], subjects: Subject[], timelines: Timeline[] }} RunPage
 */

/**
 * Returns buttons for the range of time that all curves show.
 *
 * @param {TimeAxis} axis
 */
function timeControls(axis) {
  const range = element("output", { class: "range", "aria-live": "polite" });
  const tell = () => { range.textContent = spelled(axis.range[0], "s") + " to " + spelled(axis.range[1], "s"); };
  axis.follow(tell);
  tell();
  return element("div", { class: "time", role: "group", "aria-label": "Range of time of all curves" }, range,
    button("Zoom in", () => axis.zoom(0.5)), button("Zoom out", () => axis.zoom(2)),
    button("Earlier", () => axis.move(-0.5)), button("Later", () => axis.move(0.5)), button("Whole run", () => axis.showAll()));
}

function themeControl() {
  const select = element("select", { "aria-label": "Colours of the page", onchange: () => setTheme(select.value) },
    element("option", { value: "" }, "System colours"), element("option", { value: "light" }, "Light"), element("option", { value: "dark" }, "Dark"));
  return select;
}

/** Returns the place of the page's controls. */
function controls() {
  return /** @type {HTMLElement} */ (document.getElementById("controls"));
}

/**
 * Fills the page of a run.
 *
 * @param {RunPage} data
 */
function showRun(data) {
  const axis = new TimeAxis(data.end_s);
  axis.phases = data.phases;
  /** @type {Record<string, string>} */
  const quantities = { ranks: "share of ranks", goodput: "goodput", queues: "queue", rates: "rate" };
  const facts = flowFacts(data.tables, data.fabric);
  const hurt = new Set(data.subjects.filter((one) => one.victims > 0).map((one) => one.kind + " " + one.name));
  data.panels.forEach((panel) => panel.lines.forEach((line) => { line.isVictim = hurt.has(subjectOf(line)); }));
  if (data.subjects.length > 0) place("hurt").append(hurtFigure(data.subjects, data.panels.find((panel) => panel.id === "goodput"), axis));
  data.timelines.forEach((timeline) => place("ranks").append(element("h3", {}, timeline.job), rankFigure(timeline, axis)));
  data.panels.forEach((panel) => place(panel.id).append(curves({ ...panel, quantity: quantities[panel.id], colours: panel.id === "ranks" ? RANK_COLOURS.length : undefined }, axis)));
  if (data.fabric) place("fabric").append(fabricFigure(data.fabric, axis, facts));
  if (data.completions) place("completions").append(curves({ ...data.completions, quantity: "share of posted messages" }, null));
  data.completion_tables.forEach((table) => place("completions").append(dataTable(table)));
  data.margins.forEach((table) => place("margins").append(dataTable(table)));
  data.tables.forEach((table) => place("tables").append(element("h3", {}, table.heading), dataTable(table)));
  controls().append(timeControls(axis), themeControl());
}

/** Prints in light colours, with the tables of figures open. */
function preparePrint() {
  /** @type {(HTMLDetailsElement & { fill?: () => void })[]} */
  let opened = [];
  const theme = () => document.documentElement.dataset.theme || "";
  let before = "";
  addEventListener("beforeprint", () => {
    before = theme();
    setTheme("light");
    opened = [.../** @type {NodeListOf<HTMLDetailsElement & { fill?: () => void }>} */ (document.querySelectorAll("details"))].filter((one) => !one.open && one.fill);
    opened.forEach((one) => { one.fill?.(); one.open = true; });
  });
  addEventListener("afterprint", () => {
    setTheme(before);
    opened.forEach((one) => { one.open = false; });
  });
}

/** Adds a button to each command of the verdict, which copies it. */
function offerCommands() {
  document.querySelectorAll(".verdict code").forEach((code) => {
    const text = code.textContent ?? "";
    if (text.startsWith("backwater ")) code.after(copyButton(text));
  });
}

/** @type {RunPage | SweepPage} */
const data = JSON.parse(document.getElementById("data")?.textContent ?? "");
if (data.kind === "run") showRun(data);
else {
  controls().append(themeControl());
  showSweep(data);
}
watchSystem();
offerCommands();
preparePrint();
document.documentElement.dataset.ready = "true";
