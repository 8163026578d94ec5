// Times of the page: the first run after opening, step by step, and a fabric of 648 hosts, with the longest task of the page's thread.
//
// Elapsed times depend on what else the machine does: the best of several openings counts, limits grow by the load of the machine, and of a
// task its time of the processor counts.
"use strict";
const fs = require("fs");
const path = require("path");
const { check, checked, digests, done, nativeDigest, opened, slowness } = require("./page.cjs");

const OPENINGS = 3;
/** Longest time from opening to the first result, in ms. */
const FIRST_RESULT_MS = 3000;
/** Longest task of the page's thread, in ms of the processor's time. */
const LONGEST_TASK_MS = 100;
/** Longest run of 648 hosts, in ms. */
const LARGE_MS = 60000;
const MARKS = ["page shown", "simulator ready", "scenario checked", "run begins", "results shown"];
/** The large fabric, for 1 ms, with its six hot spots within that time. */
const LARGE = ["dcs648", 'duration="1 ms"', 'sample="20 us"', ...[100, 200, 300, 400, 500, 600].map((us, at) => `traffic[${4 + at}].at="${us} us"`)];

/** The guide, whose link and command are those of the large fabric. */
const GUIDE = path.join(__dirname, "../../../../docs/guide/browser.md");

/**
 * Returns the longest task of the page's thread, in ms of the processor's time, by a record of Chromium. The thread is that of the page's first
 * mark: Chromium draws parts of its own window, such as the list below its address bar, by pages with threads of the same name.
 */
function longestTask(record) {
  const { traceEvents } = JSON.parse(record);
  const threadOf = ({ pid, tid }) => pid + "/" + tid;
  const marked = new Set(traceEvents.filter(({ name, cat }) => name === MARKS[0] && cat.includes("blink.user_timing")).map(threadOf));
  if (marked.size !== 1) throw new Error("Chromium records " + marked.size + " threads with the mark \"" + MARKS[0] + "\", where the page has one");
  const tasks = traceEvents.filter((event) => event.tdur !== undefined && marked.has(threadOf(event)));
  if (tasks.length === 0) throw new Error("Chromium records no task of the page with its time of the processor");
  return tasks.reduce((most, { tdur }) => Math.max(most, tdur), 0) / 1000;
}

/** Opens the page with a record of tasks, which `longest` ends. */
async function observed(browser, hash = "") {
  await browser.startTracing(undefined, { categories: ["toplevel", "blink.user_timing"] });
  const all = await opened(browser, hash);
  return { ...all, longest: async () => longestTask((await browser.stopTracing()).toString()) };
}

/** Opens the page, runs the first scenario at once, and returns the times of the steps from the opening on, in ms. */
async function firstRun(browser) {
  const { page, requests, longest, close } = await observed(browser, "scenario=victim");
  await checked(page);
  await page.click(".bar .run");
  await done(page);
  const times = await page.evaluate((marks) => marks.map((mark) => performance.getEntriesByName(mark)[0]?.startTime ?? NaN), MARKS);
  const modules = requests.filter((url) => url.endsWith(".wasm")).length;
  const task = await longest();
  await close();
  return { times, modules, task };
}

async function tryFirstRun(browser) {
  const runs = [];
  for (let at = 0; at < OPENINGS; at += 1) runs.push(await firstRun(browser));
  const [best] = runs.toSorted((one, other) => one.times.at(-1) - other.times.at(-1));
  const steps = MARKS.map((mark, at) => mark + " " + best.times[at].toFixed(0) + " ms").join(", ");
  const slow = slowness();
  check("the first result is there within 3 s of opening", best.times.at(-1) <= FIRST_RESULT_MS * slow, steps + ", load " + slow.toFixed(1));
  check("the module is fetched once", runs.every(({ modules }) => modules === 1), runs.map(({ modules }) => modules).join(", "));
  check("the page answers within 100 ms meanwhile", Math.min(...runs.map(({ task }) => task)) < LONGEST_TASK_MS, runs.map(({ task }) => task.toFixed(0) + " ms").join(", "));
}

/** Opens the large fabric, runs it, and returns what the page shows, with the time of the run and the longest task, in ms. */
async function largeRun(browser, hash) {
  const { page, noted, longest, close } = await observed(browser, hash);
  await checked(page);
  const command = await page.textContent(".native code");
  const began = Date.now();
  await page.click(".bar .run");
  await done(page);
  const took = Date.now() - began;
  const [digest] = await digests(page);
  const task = await longest();
  await close();
  return { command, took, task, digest, noted };
}

async function tryLarge(browser) {
  const [scenario, ...sets] = LARGE;
  const guide = fs.readFileSync(GUIDE, "utf8").replace(/\\\n\s*/g, "");
  const runs = [];
  for (let at = 0; at < OPENINGS; at += 1) runs.push(await largeRun(browser, /#(case=[\w-]+)/.exec(guide)[1]));
  const words = [scenario, ...sets.map((set) => "--set '" + set + "'")].join(" ");
  const slow = slowness();
  const [{ command }] = runs;
  check("the guide's link is 648 hosts for 1 ms, and its command that of the page", command === "cargo xtask sim " + words && guide.includes("backwater sim " + words), command.slice(0, 60) + " ...");
  check("648 hosts run for 1 ms within a minute", runs.every(({ took }) => took < LARGE_MS * slow), runs.map(({ took }) => (took / 1000).toFixed(1) + " s").join(", "));
  check("with the page responsive", Math.min(...runs.map(({ task }) => task)) < LONGEST_TASK_MS, "longest tasks " + runs.map(({ task }) => task.toFixed(0) + " ms").join(", "));
  const native = nativeDigest([scenario, ...sets.flatMap((set) => ["--set", set])]);
  check("with the native digest", runs.every(({ digest }) => digest === native), runs.map(({ digest }) => digest).join(", "));
  check("648 hosts are quiet", runs.every(({ noted }) => noted.length === 0), runs.flatMap(({ noted }) => noted).join("; "));
}

/** Tries the times. */
async function trySpeed(browser) {
  await tryFirstRun(browser);
  await tryLarge(browser);
}

module.exports = { trySpeed };
