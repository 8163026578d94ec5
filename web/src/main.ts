// The page: the simulator, and the place that the address names.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "../../crates/page/src/script/dom.js";
import { LessonPage, lessonList } from "./lesson.ts";
import { GALLERY, SHOW, caseOfExhibit, galleryPage, type Exhibit } from "./gallery.ts";
import { LESSONS } from "./lessons.ts";
import { KEPT, Playground } from "./playground.ts";
import { open, type Engine } from "./run.ts";
import { FIELD, decoded, type Case } from "./share.ts";
import { themeControl } from "./themes.ts";

/** Exhibit of the playground if the address names none: small, with a victim, without and with congestion control. */
const FIRST = "victim";

globalThis.uPlot = uPlot;
const main = document.getElementById("main") as HTMLElement;
let leave = () => {};
let playground: Playground | null = null;

/** Returns the exhibit of an address, if it names one: the first if it names nothing. */
function exhibitOf(hash: string): Exhibit | null {
  const id = hash.startsWith(SHOW) ? hash.slice(SHOW.length) : hash === "" ? FIRST : null;
  return GALLERY.find((one) => one.id === id) ?? null;
}

/** Returns the case of an address. Throws an error in words if there is none. */
async function caseOf(engine: Engine, hash: string): Promise<Case> {
  const exhibit = exhibitOf(hash);
  if (exhibit) return caseOfExhibit(exhibit);
  if (hash.startsWith(FIELD)) {
    const of = await decoded(hash);
    if (of.text === null && !engine.shipped.some((one) => one.name === of.scenario)) throw new Error("This link is about the scenario `" + of.scenario + "`, which this version does not have.");
    return of;
  }
  if (!hash.startsWith("scenario=")) throw new Error("There is no place `" + hash.slice(0, 40) + "` in this page.");
  const name = plain(hash.slice("scenario=".length));
  if (!engine.shipped.some((one) => one.name === name)) throw new Error("There is no scenario `" + name + "`.");
  return { scenario: name, text: null, seed: null, a: [], b: null };
}

/** Returns a part of an address in plain letters; as it is if it is no such part. */
function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function show(engine: Engine): Promise<void> {
  const hash = location.hash.slice(1);
  const isStep = hash.startsWith(FIELD) || hash.startsWith("scenario=");
  if (playground && isStep) {
    const of = await caseOf(engine, hash).catch(() => null);
    if (of) return playground.arrive(of);
  }
  leave();
  leave = () => {};
  playground = null;
  const lesson = LESSONS.find((one) => "lesson=" + one.id === hash);
  if (lesson) {
    const page = new LessonPage(engine, lesson);
    leave = () => page.leave();
    main.replaceChildren(page.box);
    document.title = lesson.title + " – Backwater";
  } else if (hash === "lessons") {
    main.replaceChildren(lessonList());
    document.title = "Lessons – Backwater";
  } else if (hash === "gallery") {
    main.replaceChildren(galleryPage());
    document.title = "Cases – Backwater";
  } else {
    let fault: string | null = null;
    let exhibit = exhibitOf(hash);
    const of = await caseOf(engine, hash).catch((error: Error) => {
      fault = error.message;
      exhibit = exhibitOf("");
      return caseOf(engine, "");
    });
    const page = new Playground(engine, of, exhibit);
    leave = () => page.leave();
    playground = page;
    main.replaceChildren(...(fault === null ? [] : [element("p", { class: "warning", role: "alert" }, fault)]), page.box);
    document.title = "Playground – Backwater";
  }
  navigation(hash);
  scrollTo(0, 0);
}

/** Marks the page in the navigation, whose link to the playground leads back to the last case of this tab. */
function navigation(hash: string): void {
  const here = hash.startsWith("lesson") ? "lessons" : hash === "gallery" ? "gallery" : "playground";
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a[data-page]")) {
    if (link.dataset.page === here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (link.dataset.page === "playground") link.href = here === "playground" ? "#" : "#" + (sessionStorage.getItem(KEPT) ?? "");
  }
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
