// The page: the simulator, and the place that the address names.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "../../crates/page/src/script/dom.js";
import { LessonPage, lessonList } from "./lesson.ts";
import { LESSONS } from "./lessons.ts";
import { Playground } from "./playground.ts";
import { open, type Engine } from "./run.ts";
import { FIELD, decoded, type Case } from "./share.ts";
import { themeControl } from "./themes.ts";

/** Scenario of the playground if the address names none: small, with a victim. */
const FIRST = "victim";

globalThis.uPlot = uPlot;
const main = document.getElementById("main") as HTMLElement;
let leave = () => {};

/** Returns the case of an address, or a fault in words. */
async function caseOf(engine: Engine, hash: string): Promise<Case> {
  if (hash.startsWith(FIELD)) {
    const of = await decoded(hash);
    if (of.text === null && !engine.shipped.some((one) => one.name === of.scenario)) throw new Error("This link is about the scenario `" + of.scenario + "`, which this version does not have.");
    return of;
  }
  const name = hash.startsWith("scenario=") ? decodeURIComponent(hash.slice("scenario=".length)) : FIRST;
  if (!engine.shipped.some((one) => one.name === name)) throw new Error("There is no scenario `" + name + "`.");
  return { scenario: name, text: null, seed: null, a: [], b: null };
}

async function show(engine: Engine): Promise<void> {
  leave();
  leave = () => {};
  const hash = location.hash.slice(1);
  const lesson = LESSONS.find((one) => "lesson=" + one.id === hash);
  if (lesson) {
    const page = new LessonPage(engine, lesson);
    leave = () => page.leave();
    main.replaceChildren(page.box);
    document.title = lesson.title + " – Backwater";
  } else if (hash === "lessons") {
    main.replaceChildren(lessonList());
    document.title = "Lessons – Backwater";
  } else {
    let fault: string | null = null;
    const of = await caseOf(engine, hash).catch((error: Error) => { fault = error.message; return caseOf(engine, ""); });
    const page = new Playground(engine, of);
    leave = () => page.leave();
    main.replaceChildren(...(fault === null ? [] : [element("p", { class: "warning", role: "alert" }, fault)]), page.box);
    document.title = "Playground – Backwater";
  }
  for (const link of document.querySelectorAll("nav a:not(.brand)")) {
    const isHere = link.getAttribute("href") === (hash.startsWith("lesson") ? "#lessons" : "#");
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  scrollTo(0, 0);
}

/** Moves the focus, and leaves the address alone, which names the place that the page shows. */
function skip(event: Event): void {
  event.preventDefault();
  const name = (event.currentTarget as HTMLAnchorElement).hash.slice(1);
  const target = document.getElementById(name) ?? main;
  target.focus();
  target.scrollIntoView({ block: "start" });
}

async function start(): Promise<void> {
  document.getElementById("controls")?.append(themeControl());
  document.querySelectorAll("a.skip").forEach((link) => link.addEventListener("click", skip));
  performance.mark("page shown");
  main.replaceChildren(element("p", { role: "status" }, "Loading the simulator."));
  try {
    const engine = await open();
    performance.mark("simulator ready");
    addEventListener("hashchange", () => void show(engine));
    await show(engine);
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    main.replaceChildren(element("p", { class: "warning", role: "alert" }, "The simulator did not start: " + String(error)));
  }
}

void start();
