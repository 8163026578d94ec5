// The playground in headless Chromium: lessons, controls, faults and digests, against the native program.
//
// usage: node trying.cjs PLAYWRIGHT CHROMIUM FOLDER PROGRAM [PART...]
//
// FOLDER is the page, PROGRAM the native `backwater`. Parts: lessons, controls, digests, shots; all if none is named. Screenshots go to
// FOLDER/../web-shots. Prints a line a check; the exit status is 1 if one fails.
"use strict";
const fs = require("fs");
const http = require("http");
const path = require("path");
const { spawnSync } = require("child_process");

const [playwright, chromiumPath, folder, program, ...parts] = process.argv.slice(2);
const { chromium } = require(playwright);
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const WIDTHS = [1440, 820, 390];
const LESSONS = ["head-of-line-blocking", "parking-lot", "tree-saturation", "marking-and-response", "pfc-victims", "dcqcn-parameters", "deadlock-in-a-ring"];
/** Most events, estimated, of a scenario whose digest is compared: some seconds of work. */
const MOST_EVENTS = 20e6;
const LONGEST_MS = 240000;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml" };
const scratch = path.join(folder, "..", "web-tried");
const shots = path.join(folder, "..", "web-shots");
let failures = 0;
let origin = "";

function check(words, holds, seen) {
  if (!holds) failures += 1;
  console.log((holds ? "ok     " : "FAILED ") + words + (seen === undefined ? "" : ": " + seen));
}

function serve() {
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const file = path.join(folder, name.endsWith("/") ? name + "index.html" : name);
    fs.readFile(file, (error, contents) => {
      response.writeHead(error ? 404 : 200, { "content-type": TYPES[path.extname(file)] || "application/octet-stream" });
      response.end(error ? "" : contents);
    });
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => {
    origin = "http://127.0.0.1:" + server.address().port;
    done(server);
  }));
}

/** Runs the native program; returns its status, output and errors. */
function native(...words) {
  const run = spawnSync(program, words, { encoding: "utf8", cwd: scratch, maxBuffer: 1 << 28 });
  return { status: run.status, output: run.stdout, errors: run.stderr };
}

/** Returns the digest of a native run. */
function nativeDigest(words) {
  const run = native("sim", ...words, "--quiet", "--force", "--out", "native");
  if (run.status !== 0) return "status " + run.status;
  return JSON.parse(fs.readFileSync(path.join(scratch, "native", "summary.json"), "utf8")).digest;
}

/** Opens the page, and notes errors, messages and requests to others. */
async function opened(browser, hash = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const noted = [];
  page.on("console", (message) => { if (message.type() !== "debug") noted.push(message.type() + ": " + message.text()); });
  page.on("pageerror", (error) => noted.push("error: " + error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin + "/") && !request.url().startsWith("blob:" + origin)) noted.push("request: " + request.url());
  });
  await page.goto(origin + "/" + (hash === "" ? "" : "#" + hash));
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  return { page, noted, close: () => context.close() };
}

/** Waits until the runs on the page have ended. */
async function done(page, sides = 1) {
  await page.waitForFunction((count) => {
    const found = [...document.querySelectorAll(".side")];
    return found.length === count && found.every((side) => side.dataset.state === "done");
  }, sides, { timeout: LONGEST_MS });
}

const digests = (page) => page.$$eval(".side .digest", (found) => found.map((one) => one.textContent));

async function tryLesson(browser, id) {
  const { page, noted, close } = await opened(browser, "lesson=" + id);
  check(id + ": three sentences", (await page.locator("article > .lead").count()) === 3);
  const tries = await page.locator("button.try").count();
  check(id + ": two things to try", tries === 2);
  for (let place = -1; place < tries; place += 1) {
    if (place < 0) await page.click(".tries .run");
    else await page.click("button.try >> nth=" + place);
    await done(page, place < 0 ? 1 : 2);
    const name = place < 0 ? "the run" : await page.textContent("button.try >> nth=" + place);
    const verdicts = await page.$$eval(".verdict", (found) => found.map((one) => one.dataset.holds));
    const numbers = await page.$$eval(".stated tbody tr", (rows) => rows.map((row) => [...row.cells].slice(0, 3).map((cell) => cell.textContent).join(" ")).join("; "));
    check(id + ", " + name + ": as stated", verdicts.length === (place < 0 ? 1 : 2) && verdicts.every((holds) => holds === "true"), numbers);
  }
  check(id + " is quiet", noted.length === 0, noted.join("; "));
  await close();
}

async function tryFirstRun(browser) {
  const began = Date.now();
  const { page, close } = await opened(browser);
  await page.waitForFunction(() => !document.querySelector(".run").disabled);
  await page.click(".workbench .run");
  await done(page);
  const took = Date.now() - began;
  check("the first run ends within 3 s of opening (on a machine of its own)", true, took + " ms here");
  const [digest] = await digests(page);
  check("its digest is the native one", digest === nativeDigest(["victim"]), digest);
  const command = await page.textContent(".provenance .command code");
  check("the command line is shown", command === "cargo xtask sim victim", command);
  await close();
}

async function tryParameters(browser) {
  const { page, noted, close } = await opened(browser);
  await page.selectOption("#scenario", "roce-victim");
  await page.waitForFunction(() => document.querySelector(".facts").textContent.startsWith("5 hosts"));
  check("the story is shown", (await page.textContent(".story")).includes("Look for: from 2 ms on"));
  check("the fabric is drawn before a run", (await page.getAttribute(".preview canvas", "aria-label")).includes("5 hosts and 1 switch"));
  await page.fill("[type=search]", "switch.latency");
  const visible = page.locator(".control:visible");
  check("a field is found", (await visible.count()) === 1, await visible.first().getAttribute("data-path"));
  const input = visible.locator("input");
  await input.fill("500 ns");
  await input.press("Tab");
  await page.waitForSelector(".chips code");
  check("a control makes a setting", (await page.textContent(".chips code")) === 'switch.latency="500 ns"', await page.textContent(".chips code"));
  await page.fill("[aria-label^='Seed']", "7");
  await page.press("[aria-label^='Seed']", "Tab");
  await page.waitForFunction(() => document.querySelector(".native code").textContent.includes("--seed 7"));
  await page.click("button:text-is('Add run B')");
  await page.fill("[type=search]", "flow_control");
  const choice = page.locator(".control:visible").first().locator("input, select");
  await choice.fill("Lossy").catch(() => choice.selectOption("Lossy"));
  await choice.press("Tab");
  await page.waitForFunction(() => document.querySelectorAll(".native code").length === 2 && document.querySelectorAll(".native code")[1].textContent.includes("Lossy"));
  await page.waitForFunction(() => !document.querySelector(".workbench .run").disabled);
  await page.click(".workbench .run");
  await done(page, 2);
  const [a, b] = await digests(page);
  check("run A has the native digest", a === nativeDigest(["roce-victim", "--set", 'switch.latency="500 ns"', "--seed", "7"]), a);
  check("run B has the native digest", b === nativeDigest(["roce-victim", "--set", 'switch.latency="500 ns"', "--set", "link.flow_control=Lossy", "--seed", "7"]), b);
  check("the differences are listed", /link\.flow_control/.test(await page.textContent(".differences")));
  await page.click("button:text-is('Share')");
  await page.waitForSelector(".link:visible");
  const link = await page.inputValue(".link");
  await close();
  const other = await opened(browser, link.split("#")[1]);
  await other.page.waitForFunction(() => document.querySelectorAll(".native code").length === 2);
  check("a link holds the whole case", (await other.page.textContent(".native code >> nth=1")).includes("link.flow_control=Lossy --seed 7"));
  check("parameters are quiet", noted.length + other.noted.length === 0, [...noted, ...other.noted].join("; "));
  await other.close();
}

async function tryFaults(browser) {
  const { page, noted, close } = await opened(browser);
  await page.click("#tab-text");
  const text = (await page.inputValue("textarea")).replace("latency:", "latencie:");
  await page.fill("textarea", text);
  await page.waitForSelector("#faults .message");
  fs.writeFileSync(path.join(scratch, "victim-edited.ron"), text);
  const said = native("check", "victim-edited.ron").errors.trim();
  const shown = (await page.textContent("#faults .message")).trim();
  check("a fault has the words of the command line", shown === said, shown.split("\n")[0]);
  check("no run with a fault", await page.isDisabled(".workbench .run"));
  await page.click("button:text(\"Show line\")");
  check("the cursor goes to the fault", await page.evaluate(() => { const area = document.querySelector("textarea"); return area.value.slice(area.selectionStart, area.selectionEnd).startsWith("latencie"); }));
  await page.waitForSelector(".numbers .fault");
  check("the line is marked", (await page.textContent(".numbers .fault")).startsWith("▶"));
  await page.fill("textarea", text.replace("latencie:", "latency:").replace("60 ms", "30 ms"));
  await page.waitForFunction(() => !document.querySelector(".workbench .run").disabled);
  await page.click(".workbench .run");
  await done(page);
  fs.writeFileSync(path.join(scratch, "victim-edited.ron"), await page.inputValue("textarea"));
  const [digest] = await digests(page);
  check("an edited text has the native digest", digest === nativeDigest(["victim-edited.ron"]), digest);
  await page.click("button:text-is('Reset')");
  await page.click("#tab-a");
  await page.waitForSelector(".control[data-path='link.mtu']", { state: "attached" });
  await page.fill("[type=search]", "link.mtu");
  await page.fill(".control:visible input", "3 KiB");
  await page.press(".control:visible input", "Tab");
  await page.waitForFunction(() => document.querySelector(".control[data-path='link.mtu'] .fault").textContent !== "");
  const setting = native("check", "victim", "--set", 'link.mtu="3 KiB"').errors.trim();
  check("a fault of a control has the words of the command line", (await page.textContent(".control[data-path='link.mtu'] .fault")).trim() === setting, setting.split("\n")[0]);
  await page.click(".chips button");
  await page.waitForFunction(() => document.querySelectorAll(".chips li").length === 0);
  for (const [field, value] of [["sample", "1 ms"], ["duration", "200 s"]]) {
    await page.fill("[type=search]", field);
    await page.fill(`.control[data-path='${field}'] input`, value);
    await page.press(`.control[data-path='${field}'] input`, "Tab");
    await page.waitForTimeout(400);
  }
  await page.waitForSelector(".refusal");
  check("a scenario too large is refused with its estimate", /needs about .*MB/.test(await page.textContent(".refusal")), await page.textContent(".refusal"));
  check("faults are quiet", noted.length === 0, noted.join("; "));
  await close();
}

async function tryRunning(browser) {
  const { page, noted, close } = await opened(browser, "scenario=gran2011-scenario1");
  await page.waitForFunction(() => !document.querySelector(".workbench .run").disabled);
  await page.click(".workbench .run");
  await page.waitForSelector(".side .plot canvas");
  check("curves are drawn while it runs", (await page.locator(".side .plot canvas").count()) > 0 && (await page.getAttribute(".side", "data-state")) === "running");
  await page.click(".toolbar >> text=Pause");
  await page.waitForTimeout(400);
  const held = await page.inputValue(".side progress").catch(() => page.$eval(".side progress", (bar) => bar.value));
  await page.waitForTimeout(600);
  const later = await page.$eval(".side progress", (bar) => bar.value);
  check("a pause holds", Number(held) === Number(later) && (await page.getAttribute(".side", "data-state")) === "running", String(later));
  await page.click(".toolbar >> text=Resume");
  await page.waitForFunction((before) => document.querySelector(".side progress").value > before, later);
  check("it goes on", true);
  const began = Date.now();
  await page.click(".toolbar >> text=Cancel");
  await page.waitForFunction(() => document.querySelector(".side").dataset.state === "done");
  check("a cancel acts at once", Date.now() - began < 1000 && (await page.textContent(".said")).includes("Cancelled"), Date.now() - began + " ms");
  check("running is quiet", noted.length === 0, noted.join("; "));
  await close();
}

async function tryResults(browser) {
  const { page, noted, close } = await opened(browser, "scenario=roce-victim");
  await page.waitForFunction(() => !document.querySelector(".workbench .run").disabled);
  await page.click(".workbench .run");
  await done(page);
  const whole = await page.textContent(".range");
  await page.click("button:text-is('Zoom in')");
  check("a button zooms all curves", (await page.textContent(".range")) !== whole, await page.textContent(".range"));
  await page.click("button:text-is('Whole run')");
  const moment = await page.textContent(".moment");
  await page.locator(".player input").focus();
  await page.keyboard.press("Home");
  check("the slider moves the picture", (await page.textContent(".moment")) !== moment);
  await page.click(".play");
  await page.waitForTimeout(600);
  check("the picture plays", Number(await page.inputValue(".player input")) > 1);
  await page.click(".play");
  await page.locator(".player input").focus();
  await page.keyboard.press("End");
  check("trees have root and victims", /Root S port 4 to H4/.test(await page.textContent(".trees")), (await page.textContent(".trees")).slice(0, 90));
  await page.click("label:has-text('load (width: stalls)')");
  check("it says who was held back by whom", (await page.locator("text=Who was held back, by whom").count()) === 1 && /V/.test(await page.textContent(".side")));
  await page.click("summary:text-is('Flows')");
  await page.waitForSelector("details[open] table tbody tr");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("button:text-is('flows.csv')")]);
  const file = path.join(scratch, "flows.csv");
  await download.saveAs(file);
  nativeDigest(["roce-victim"]);
  check("a file is the native one", fs.readFileSync(file, "utf8") === fs.readFileSync(path.join(scratch, "native", "flows.csv"), "utf8"));
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.selectOption("[aria-label='Colours of the page']", "dark");
  check("dark colours are chosen", (await paper()) !== light);
  const reached = new Set();
  for (let tabs = 0; tabs < 70; tabs += 1) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.tagName));
  }
  for (const tag of ["A", "BUTTON", "SELECT", "INPUT", "SUMMARY", "DIV"]) check("Tab reaches " + tag, reached.has(tag));
  check("results are quiet", noted.length === 0, noted.join("; "));
  await close();
}

async function tryDigests(browser) {
  const { page, noted, close } = await opened(browser);
  const names = await page.$$eval("#scenario option", (options) => options.map((option) => option.value));
  const left = [];
  for (const name of names) {
    await page.goto(origin + "/#scenario=" + name);
    await page.reload();
    await page.waitForFunction((of) => document.documentElement.dataset.ready === "true" && document.querySelector("#scenario")?.value === of && /About/.test(document.querySelector(".facts").textContent), name, { timeout: LONGEST_MS });
    const facts = await page.textContent(".facts");
    const events = Number(/About ([\d,]+) event/.exec(facts)[1].replaceAll(",", ""));
    if (events > MOST_EVENTS || await page.locator(".refusal").count()) {
      left.push(name + " (" + (events / 1e6).toFixed(0) + " million events)");
      continue;
    }
    await page.waitForFunction(() => !document.querySelector(".workbench .run").disabled);
    const began = Date.now();
    await page.click(".workbench .run");
    await done(page);
    const took = Date.now() - began;
    const [digest] = await digests(page);
    const expected = nativeDigest([name]);
    check("digest of " + name, digest === expected, digest + ", " + took + " ms" + (digest === expected ? "" : ", natively " + expected));
  }
  console.log("left out, more than " + MOST_EVENTS / 1e6 + " million events or refused: " + left.join(", "));
  check("digests are quiet", noted.length === 0, noted.join("; "));
  await close();
}

async function takeShots(browser) {
  for (const width of WIDTHS) {
    for (const [name, hash, runs] of [["playground", "scenario=victim", true], ["two", "two", true], ["lessons", "lessons", false], ["lesson", "lesson=pfc-victims", true]]) {
      for (const colorScheme of width === WIDTHS[1] ? ["dark"] : ["light"]) {
        const { page, close } = await opened(browser, hash === "two" ? "scenario=roce-victim" : hash, { viewport: { width, height: 900 }, colorScheme });
        if (name === "lesson") {
          await page.click("button.try >> nth=0");
          await done(page, 2);
        } else if (runs) {
          if (name === "two") await page.click("button:text-is('Add run B')");
          await page.waitForFunction(() => !document.querySelector(".workbench .run").disabled);
          await page.waitForTimeout(400);
          await page.click(".workbench .run");
          await done(page, name === "two" ? 2 : 1);
        }
        await page.waitForTimeout(500);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        check(name + " fits into " + width + " px", wide <= width, wide);
        await page.screenshot({ path: path.join(shots, name + "-" + width + "-" + colorScheme + ".png"), fullPage: true });
        await close();
      }
    }
  }
}

async function main() {
  for (const one of [scratch, shots]) fs.mkdirSync(one, { recursive: true });
  const server = await serve();
  const browser = await chromium.launch({ executablePath: chromiumPath, args: FLAGS });
  const all = {
    lessons: async () => { for (const id of LESSONS) await tryLesson(browser, id); },
    controls: async () => { for (const part of [tryFirstRun, tryParameters, tryFaults, tryRunning, tryResults]) await part(browser); },
    digests: () => tryDigests(browser),
    shots: () => takeShots(browser),
  };
  for (const name of parts.length > 0 ? parts : Object.keys(all)) await all[name]();
  await browser.close();
  server.close();
  console.log((failures === 0 ? "all checks hold" : failures + " checks failed") + "; screenshots are in " + shots);
  process.exit(failures === 0 ? 0 : 1);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
