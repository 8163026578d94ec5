// The playground in headless Chromium: lessons, controls, access, speed and digests, against the native program.
//
// usage: node trying.cjs PLAYWRIGHT CHROMIUM FOLDER PROGRAM [PART...]
//
// FOLDER is the page, PROGRAM the native `backwater`. Parts: lessons, controls, access, speed, digests, shots; all if none is named.
// Screenshots go to FOLDER/../web-shots. Prints a line a check; the exit status is 1 if one fails.
"use strict";
const { LONGEST_MS, address, check, digests, done, nativeDigest, opened, parts, shots, shownDigest, withBrowser } = require("./trying/page.cjs");
const { tryControls } = require("./trying/controls.cjs");
const { tryAccess } = require("./trying/access.cjs");
const { trySpeed } = require("./trying/speed.cjs");
const { takeShots } = require("./trying/shots.cjs");

const LESSONS = ["head-of-line-blocking", "parking-lot", "tree-saturation", "marking-and-response", "pfc-victims", "dcqcn-parameters", "deadlock-in-a-ring", "paths-of-an-incast"];
/** Native end of a run without results. */
const DEADLOCK = "status 4";
/** Most events, estimated, of a scenario whose digest is compared: some seconds of work. */
const MOST_EVENTS = 20e6;
/** Most scenarios that may be left out: `zhu2015-benchmark` and `dcs648`, of which the part `speed` runs 1 ms. */
const MOST_LEFT_OUT = 2;

async function tryLesson(browser, id) {
  const { page, noted, close } = await opened(browser, "lesson=" + id);
  check(id + ": three sentences", (await page.locator(".lesson-text > .lead").count()) === 3);
  await page.waitForSelector(".board canvas");
  check(id + ": its picture stands beside its text before the run", await page.evaluate(() => {
    const [text, picture] = [".lesson-text", ".board canvas"].map((one) => document.querySelector(one).getBoundingClientRect());
    return picture.left >= text.right && picture.bottom < innerHeight && document.querySelector(".sight").textContent === "";
  }));
  await page.uncheck(".slow input");
  const tries = await page.locator("button.try").count();
  check(id + ": two things to try", tries === 2);
  for (let place = -1; place < tries; place += 1) {
    if (place < 0) await page.click(".tries .run");
    else await page.click("button.try >> nth=" + place);
    await done(page, place < 0 ? 1 : 2);
    const name = place < 0 ? "the run" : await page.textContent("button.try >> nth=" + place);
    const verdicts = await page.$$eval(".sight .matches", (found) => found.map((one) => one.dataset.holds));
    const numbers = await page.$$eval(".stated tbody tr", (rows) => rows.map((row) => [...row.cells].slice(0, 3).map((cell) => cell.textContent).join(" ")).join("; "));
    for (const side of await page.$$eval(".side", (sides) => sides.map((one) => ({ digest: one.querySelector(".digest")?.textContent, command: one.querySelector(".command code").textContent })))) {
      // A run that ends in a deadlock has no results to compare, only its end.
      const expected = shownDigest(side.command);
      check(id + ", " + name + ": `" + side.command + "`", (side.digest ?? DEADLOCK) === expected, (side.digest ?? "no digest") + ", natively " + expected);
    }
    check(id + ", " + name + ": as stated", verdicts.length === (place < 0 ? 1 : 2) && verdicts.every((holds) => holds === "true"), numbers);
  }
  await page.click(".guess button >> nth=0");
  await page.waitForFunction(() => document.querySelector(".side")?.dataset.state === "running");
  await page.waitForFunction(() => document.querySelector(".judged").textContent !== "", undefined, { timeout: LONGEST_MS });
  const judged = await page.textContent(".judged");
  check(id + ": a guess is answered by the run", /^(Right|Not so)/.test(judged), judged);
  check(id + " is quiet", noted.length === 0, noted.join("; "));
  await close();
}

/** Returns the reason why a scenario is not compared, by its facts, or `null`. */
function tooLong(facts) {
  const events = Number(/About ([\d,]+) event/.exec(facts)[1].replaceAll(",", ""));
  return events > MOST_EVENTS ? "about " + (events / 1e6).toFixed(0) + " million events, of which the page would handle at most " + MOST_EVENTS / 1e6 + " million in the time of this part" : null;
}

async function tryDigests(browser) {
  const { page, noted, close } = await opened(browser, "scenario=victim");
  const names = await page.$$eval("#scenario option", (options) => options.map((option) => option.value));
  const left = [];
  let compared = 0;
  for (const name of names) {
    await page.goto(address("scenario=" + name));
    await page.reload();
    await page.waitForFunction((of) => document.documentElement.dataset.ready === "true" && document.querySelector("#scenario")?.value === of && /About/.test(document.querySelector(".facts").textContent), name, { timeout: LONGEST_MS });
    const reason = await page.locator(".refusal").count() > 0 ? await page.textContent(".refusal") : tooLong(await page.textContent(".facts"));
    if (reason !== null) {
      left.push(name + ": " + reason);
      continue;
    }
    await page.waitForFunction(() => !document.querySelector(".bar .run").disabled);
    const began = Date.now();
    await page.click(".bar .run");
    await done(page);
    const took = Date.now() - began;
    const [digest] = await digests(page);
    const expected = nativeDigest([name]);
    compared += 1;
    check("digest of " + name, digest === expected, digest + ", " + took + " ms" + (digest === expected ? "" : ", natively " + expected));
  }
  left.forEach((words) => console.log("left out: " + words));
  check("all other shipped scenarios are compared", left.length <= MOST_LEFT_OUT && compared + left.length === names.length, compared + " compared, " + left.length + " left out");
  check("digests are quiet", noted.length === 0, noted.join("; "));
  await close();
}

const PARTS = {
  lessons: async (browser) => { for (const id of LESSONS) await tryLesson(browser, id); },
  controls: tryControls,
  access: tryAccess,
  speed: trySpeed,
  digests: tryDigests,
  shots: takeShots,
};

const unknown = parts.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error("error: there is no part `" + unknown[0] + "`\nhelp: parts are " + Object.keys(PARTS).join(", "));
  process.exit(2);
}
withBrowser(async (browser) => {
  for (const name of parts.length > 0 ? parts : Object.keys(PARTS)) await PARTS[name](browser);
}).then((failures) => {
  console.log((failures === 0 ? "all checks hold" : failures + " checks failed") + "; screenshots are in " + shots);
  process.exit(failures === 0 ? 0 : 1);
}, (error) => {
  console.error(error);
  process.exit(1);
});
