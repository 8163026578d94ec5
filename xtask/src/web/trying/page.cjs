// The page in headless Chromium, for all parts of the tests: a server for the folder, the native program, and what the page says.
//
// Invariant: the browser asks for nothing but the files of the folder; whatever else it asks for, and every error, is noted.
"use strict";
const fs = require("fs");
const http = require("http");
const path = require("path");
const zlib = require("zlib");
const { spawnSync } = require("child_process");

const [playwright, chromiumPath, folder, program, ...parts] = process.argv.slice(2);
const { chromium } = require(playwright);
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
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

/** Returns the digest that the last native run into the folder `native` has written. */
const writtenDigest = () => JSON.parse(fs.readFileSync(path.join(scratch, "native", "summary.json"), "utf8")).digest;

/** Returns the digest of a native run. */
function nativeDigest(words) {
  const run = native("sim", ...words, "--quiet", "--force", "--out", "native");
  return run.status === 0 ? writtenDigest() : "status " + run.status;
}

/** Runs a command line that the page shows, in a shell as a reader would; returns its digest, or its status if it is not 0. */
function shownDigest(command) {
  const env = { ...process.env, PATH: path.dirname(program) + path.delimiter + process.env.PATH };
  const run = spawnSync("sh", ["-c", command + " --quiet --force --out native"], { encoding: "utf8", cwd: scratch, env, maxBuffer: 1 << 28 });
  return run.status === 0 ? writtenDigest() : "status " + run.status;
}

/** Returns the place of a shipped scenario with settings, as *Share* writes it. */
function caseOf(scenario, a) {
  return "case=" + zlib.deflateRawSync(JSON.stringify({ v: 1, scenario, text: null, seed: null, a, b: null })).toString("base64url");
}

/** Returns the address of the page, with a place in it. */
function address(hash = "") {
  return origin + "/" + (hash === "" ? "" : "#" + hash);
}

/** Opens the page, and notes errors, messages and requests to others. */
async function opened(browser, hash = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(LONGEST_MS);
  const page = await context.newPage();
  const [noted, requests] = [[], []];
  page.on("console", (message) => { if (message.type() !== "debug") noted.push(message.type() + ": " + message.text()); });
  page.on("pageerror", (error) => noted.push("error: " + error.message));
  context.on("request", (request) => requests.push(request.url()));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin + "/") && !request.url().startsWith("blob:" + origin)) noted.push("request: " + request.url());
  });
  await page.goto(address(hash));
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  return { page, noted, requests, close: () => context.close() };
}

/** Waits until the runs on the page have ended. */
async function done(page, sides = 1) {
  await page.waitForFunction((count) => {
    const found = [...document.querySelectorAll(".side")];
    return found.length === count && found.every((side) => side.dataset.state === "done");
  }, sides, { timeout: LONGEST_MS });
}

/** Time of a processor for which the load of the machine is measured, in ms. */
const MEASURED_MS = 300;

/** Returns the elapsed time of work over its time of the processor: 1 on an idle machine. Limits of elapsed time grow by it. */
function slowness() {
  const [began, before] = [performance.now(), process.cpuUsage().user];
  while (process.cpuUsage().user - before < MEASURED_MS * 1000);
  return Math.max(1, (performance.now() - began) / MEASURED_MS);
}

const digests = (page) => page.$$eval(".side .digest", (found) => found.map((one) => one.textContent));

/** Waits until the scenario of the playground is checked, and can run. Fails with the page's words if it cannot. */
async function checked(page) {
  await page.waitForFunction(() => !document.querySelector(".bar .run").disabled, undefined, { timeout: LONGEST_MS }).catch(async (error) => {
    throw new Error("the page allows no run: " + ((await page.textContent("#faults")) || "it says no reason"), { cause: error });
  });
}

/** Begins the runs of the playground once the scenario is checked, and waits until they have ended. */
async function ran(page, sides = 1) {
  await checked(page);
  await page.click(".bar .run");
  await done(page, sides);
}

/** Opens the parameters of the playground. */
async function openParameters(page) {
  if (!(await page.evaluate(() => document.querySelector("#parameters").open))) await page.click("#parameters > summary");
}

/** Runs `task` with a browser and a server, and returns the number of failed checks. */
async function withBrowser(task) {
  for (const one of [scratch, shots]) fs.mkdirSync(one, { recursive: true });
  const server = await serve();
  const browser = await chromium.launch({ executablePath: chromiumPath, args: FLAGS });
  await task(browser);
  await browser.close();
  server.close();
  return failures;
}

module.exports = { LONGEST_MS, address, caseOf, check, checked, digests, done, native, nativeDigest, opened, openParameters, parts, ran, scratch, shots, shownDigest, slowness, withBrowser };
