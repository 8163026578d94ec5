// Pages of results in headless Chromium, offline: every control does what it says, and nothing is asked of a network.
//
// usage: node pages.cjs PLAYWRIGHT CHROMIUM FOLDER
//
// FOLDER has `run`, `large`, `sweep` and `tuning`, each with `report.html`. Screenshots and a print go to FOLDER/shots. Prints a line a
// check; the exit status is 1 if one fails.
"use strict";
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");

const [playwright, chromiumPath, folder] = process.argv.slice(2);
const { chromium } = require(playwright);
const WIDTHS = [1440, 800, 390];
const LONGEST_MS = 3000;
const LARGEST_BYTES = 5e6;
const shots = path.join(folder, "shots");
let failures = 0;

function check(words, holds, seen) {
  if (!holds) failures += 1;
  console.log((holds ? "ok     " : "FAILED ") + words + (seen === undefined ? "" : ": " + seen));
}

/** Opens a page, and notes errors, messages and requests. */
async function opened(browser, name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, offline: true, ...options });
  const page = await context.newPage();
  const noted = [];
  page.on("console", (message) => noted.push(message.type() + ": " + message.text()));
  page.on("pageerror", (error) => noted.push("error: " + error.message));
  page.on("request", (request) => {
    if (!request.isNavigationRequest()) noted.push("request: " + request.url());
  });
  const start = Date.now();
  await page.goto(pathToFileURL(path.join(folder, name, "report.html")).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return { page, noted, took: Date.now() - start };
}

const range = (page) => page.textContent(".range");
/** Returns the picture of a canvas as text. */
const pixels = (page, selector) => page.evaluate((of) => document.querySelector(of).toDataURL(), selector);

async function checkTime(page) {
  const whole = await range(page);
  await page.click("text=Zoom in");
  const closer = await range(page);
  check("a button zooms in", closer !== whole, whole + " becomes " + closer);
  await page.click("text=Later");
  check("a button moves the range", (await range(page)) !== closer, await range(page));
  await page.click("text=Whole run");
  check("a button shows the whole run", (await range(page)) === whole);
  await page.evaluate(() => document.querySelector("#figure-goodput").scrollIntoView({ block: "center" }));
  const box = await page.locator("#figure-goodput .u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 5 });
  await page.mouse.up();
  const dragged = await range(page);
  check("a drag over a curve zooms all curves", dragged !== whole, dragged);
  const scales = await page.evaluate(() => [...document.querySelectorAll(".plot")].map((one) => one.plot().scales.x).slice(0, 2).map((x) => [x.min, x.max].join()));
  check("all curves have one range", new Set(scales).size === 1, scales.join(" and "));
  await page.mouse.dblclick(box.x + 40, box.y + 40);
  check("a double click shows the whole run", (await range(page)) === whole);
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
  await page.waitForTimeout(100);
  const cursors = await page.evaluate(() => [...document.querySelectorAll(".plot")].slice(0, 2).map((one) => Math.round(one.plot().cursor.left)));
  check("cursors are linked", cursors.length === 2 && cursors[0] > 0 && Math.abs(cursors[0] - cursors[1]) < 3, cursors.join(" and "));
  check("values stand at the cursor", /\d/.test(await page.textContent("#figure-goodput .value")), await page.textContent("#figure-goodput .value"));
}

async function checkKeys(page) {
  await page.focus("#figure-goodput .plot");
  const whole = await range(page);
  await page.keyboard.press("+");
  await page.waitForTimeout(60);
  check("a key zooms", (await range(page)) !== whole);
  await page.keyboard.press("0");
  await page.waitForTimeout(60);
  check("a key shows the whole run", (await range(page)) === whole);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(60);
  check("a key moves the cursor", /Cursor at/.test(await page.textContent("#figure-goodput .status")), await page.textContent("#figure-goodput .status"));
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  check("the focus is visible", outline === "solid", outline);
}

/** Goes through a page by its keys alone. */
async function checkTabs(browser) {
  const { page } = await opened(browser, "run");
  const reached = new Set();
  for (let tabs = 0; tabs < 60; tabs += 1) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.tagName + (document.activeElement.type ? " " + document.activeElement.type : "")));
  }
  for (const kind of ["A", "BUTTON button", "SELECT select-one", "INPUT checkbox", "INPUT range", "INPUT radio", "SUMMARY", "DIV"]) {
    check("Tab reaches " + kind, reached.has(kind));
  }
  await page.context().close();
}

/** Opens the table of a figure. It is made when its summary has opened, which the browser says later. */
async function openTable(page, figure) {
  await page.click(`${figure} summary`);
  await page.waitForSelector(`${figure} details tbody tr`, { state: "attached", timeout: 5000 }).catch(() => {});
}

async function checkToggles(page) {
  const shown = () => page.evaluate(() => document.querySelector("#figure-goodput .plot").plot().series.map((one) => one.show));
  const before = await shown();
  await page.click("#figure-goodput .lines input >> nth=0");
  check("a box switches a line off", before[1] && !(await shown())[1]);
  await page.click("#figure-goodput legend button:text('none') >> nth=0");
  check("a button switches all off", (await shown()).slice(1, 4).every((one) => !one));
  await page.click("#figure-goodput legend button:text('all') >> nth=0");
  check("a button switches all on", (await shown()).slice(1, 4).every((one) => one));
  await openTable(page, "#figure-goodput");
  check("a table has the values of the lines", (await page.locator("#figure-goodput details tbody tr").count()) > 1);
  await page.click("#figure-goodput summary");
}

async function checkFabric(page) {
  const slider = page.locator(".player input");
  const words = () => page.textContent(".moment");
  const picture = () => pixels(page, ".picture canvas");
  check("the worst tree stands first", /Root .* port/.test(await page.textContent(".trees")), await page.textContent(".trees"));
  const [text, first] = [await words(), await picture()];
  await slider.focus();
  await page.keyboard.press("Home");
  check("the slider chooses a moment", (await words()) !== text && (await picture()) !== first, await words());
  await page.keyboard.press("ArrowRight");
  const second = await slider.inputValue();
  check("arrow keys move the slider", second === "1", second);
  await page.click(".play");
  await page.waitForTimeout(700);
  check("the button plays", Number(await slider.inputValue()) > 2 && (await page.textContent(".play")) === "Pause", await slider.inputValue());
  await page.click(".play");
  const paused = await slider.inputValue();
  await page.waitForTimeout(400);
  check("the button pauses", (await slider.inputValue()) === paused);
  const stalls = await picture();
  await page.click("text=load (width: stalls)");
  check("colours show load", (await picture()) !== stalls);
  if ((await page.locator(".choice select option").count()) > 1) {
    await page.selectOption(".choice select", { index: 1 });
    check("one tree is chosen", (await page.locator(".trees li").count()) === 1);
    await page.selectOption(".choice select", { index: 0 });
  }
  await openTable(page, "#figure-fabric");
  check("a table has the outputs of the moment", (await page.locator("#figure-fabric tbody tr").count()) > 3);
}

/** Rows of a table of results without quotes, by the names of its columns. */
function rowsOf(name, file) {
  const [header, ...lines] = fs.readFileSync(path.join(folder, name, file), "utf8").trim().split("\n").map((line) => line.split(","));
  return lines.map((cells) => Object.fromEntries(header.map((column, at) => [column, cells[at]])));
}

/** The first figure is true to the files: who lost the largest share stands first. */
async function checkHurt(page, name) {
  const { verdict, standings } = JSON.parse(fs.readFileSync(path.join(folder, name, "summary.json"), "utf8"));
  const { name: victim, outcome } = standings.worst[0];
  const first = await page.textContent("#figure-hurt .subject");
  check("who was held back stands first, with the words of the verdict", first.startsWith(victim) && first.includes(outcome) && verdict.loss.includes(victim + " " + outcome), first + " in " + verdict.loss);
  const edges = await page.evaluate(() => [".verdict, .lead", "#hurt", "#fabric", "#goodput"].map((of) => document.querySelector(of).getBoundingClientRect().top));
  check("the answer stands before who was held back, the fabric and the curves", edges.every((one, at) => at === 0 || one > edges[at - 1]), edges.join());
}

/** The text, the slider and the picture tell of the same tree. */
async function checkAgreement(page) {
  const [, time, root] = /It opens at ([^,]+), with the worst tree, of (.+?): /.exec(await page.textContent("#fabric p")) ?? [];
  const moment = await page.getAttribute(".player input", "aria-valuetext");
  check("the page opens at the moment that it names", moment.endsWith("to " + time), moment + " and " + time);
  check("the tree that it names is there", (await page.textContent(".trees")).includes("Root " + root + ":"), root);
  const seen = await pointsOf(page, "tree");
  check("the tree has a colour of its own in the picture", seen > 200, seen + " points");
}

/** Finds the place of a node of the picture: a host of the tree that the page opens with. */
async function checkPointing(page) {
  const canvas = page.locator(".picture canvas");
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const tip = () => page.locator(".tip");
  const found = { host: null, link: null };
  for (let y = 4; y < box.height && !(found.host && found.link); y += 6) {
    for (let x = 4; x < box.width && !(found.host && found.link); x += 24) {
      await page.mouse.move(box.x + x, box.y + y);
      if (await tip().isHidden()) continue;
      const words = await tip().textContent();
      if (!found.host && words.startsWith("Host ")) found.host = { x, y, words };
      if (!found.link && /port \d+ to .*load .*stalled .*of the time/.test(words)) found.link = { x, y, words };
    }
  }
  check("a pointer finds a host with its flows", /sends|takes/.test(found.host?.words ?? ""), found.host?.words);
  check("a pointer finds a link with load and stall", found.link !== null, found.link?.words);
  const alphas = () => page.evaluate(() => document.querySelector("#figure-goodput .plot").plot().series.slice(1).map((one) => one.alpha ?? 1));
  await page.mouse.click(box.x + found.host.x, box.y + found.host.y);
  await page.waitForTimeout(150);
  const lit = await alphas();
  const faded = await page.locator("#figure-hurt .subject.faded").count();
  check("a click lights the flows of a host in the curves, and fades others", lit.some((one) => one === 1) && lit.some((one) => one < 0.5) && faded > 0, lit.join() + ", " + faded + " rows");
  await page.keyboard.press("Escape");
  await page.focus(".picture");
  await page.keyboard.press("Escape");
  await page.waitForTimeout(150);
  check("Escape ends that", (await alphas()).every((one) => one === 1) && (await tip().isHidden()));
}

/** Points of the picture that have a colour of the style sheet. */
async function pointsOf(page, name) {
  return page.evaluate((name) => {
    const colour = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
    const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    const canvas = document.querySelector(".picture canvas");
    // From a copy: the browser warns of a drawn canvas that is read more than once.
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let seen = 0;
    for (let at = 0; at < data.length; at += 4) if (wanted.every((part, place) => Math.abs(data[at + place] - part) < 4)) seen += 1;
    return seen;
  }, name);
}

/** A flow's name lights its path everywhere, and a link lists the flows of paths.csv that use it. */
async function checkPaths(page, name) {
  const rows = rowsOf(name, "paths.csv");
  const own = rows.filter(({ flow }) => flow === rows[0].flow);
  const fields = page.locator("#figure-fabric input[type=search]");
  const told = () => page.textContent(".chosen");
  check("no path is lit at first", (await pointsOf(page, "path")) === 0);
  await fields.nth(0).fill(own[0].flow);
  await page.waitForTimeout(150);
  const places = own.map(({ node }) => node).concat(own[own.length - 1].peer);
  const words = await told();
  const found = places.map((node) => words.indexOf(" " + node + " ") >= 0 || words.includes(" " + node + "."));
  check("a chosen flow has the nodes of its path in words", found.every(Boolean), words);
  check("its path has a colour of its own in the picture", (await pointsOf(page, "path")) > 200);
  const lit = await page.evaluate(() => document.querySelector("#figure-goodput .plot").plot().series.slice(1).map((one) => one.alpha ?? 1));
  check("all curves fade but those of the flow", lit.filter((one) => one === 1).length <= 2, lit.join());
  const users = new Set(rows.filter(({ node, port }) => node === own[1].node && port === own[1].port).map(({ flow }) => flow));
  await fields.nth(1).fill(own[1].node + " port " + own[1].port + " to " + own[1].peer);
  await page.waitForTimeout(150);
  check("a chosen link has the number of its flows", (await told()).includes(": " + users.size + (users.size === 1 ? " flow uses" : " flows use")), await told());
  const button = page.locator(".chosen .flows button").first();
  const next = await button.textContent();
  await button.click();
  check("a flow of the list is chosen by its name", users.has(next) && (await told()).startsWith("flow " + next), next);
  await page.click(".chosen >> text=End the choice");
  await page.waitForTimeout(150);
  check("the choice ends", (await page.locator(".chosen").isHidden()) && (await pointsOf(page, "path")) === 0);
}

/** Saves a figure, and returns the text of the file. */
async function saved(page, figure, label) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`${figure} .savers button:text("${label}")`)]);
  return { name: download.suggestedFilename(), text: fs.readFileSync(await download.path(), "utf8") };
}

async function checkSaving(page, figures) {
  for (const figure of figures) {
    const svg = await saved(page, figure, "Save SVG");
    const isWell = await page.evaluate((text) => {
      const made = new DOMParser().parseFromString(text, "image/svg+xml");
      return made.querySelector("parsererror") === null && made.documentElement.namespaceURI === "http://www.w3.org/2000/svg" && made.querySelectorAll("path, line, rect, polyline").length > 3;
    }, svg.text);
    const csv = (await saved(page, figure, "Save CSV")).text.trim().split("\n");
    check(figure + " is saved as SVG and CSV", svg.name.endsWith(".svg") && isWell && csv.length > 1 && csv[0].includes(","), svg.name + ", " + csv.length + " lines, " + csv[0].slice(0, 60));
  }
}

/** Hosts of a switch are a bar in a large fabric, and open on a click. */
async function checkBars(page) {
  const canvas = page.locator(".picture canvas");
  const height = async () => (await canvas.boundingBox()).height;
  const before = await height();
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  let bar = null;
  for (let y = 4; y < box.height && !bar; y += 8) {
    await page.mouse.move(box.x + 32, box.y + y);
    if ((await page.locator(".tip").isVisible()) && /^\d+ hosts? of /.test(await page.textContent(".tip"))) bar = y;
  }
  check("hosts of a switch are a bar with their number", bar !== null, await page.textContent(".tip"));
  await page.mouse.click(box.x + 32, box.y + bar);
  check("a click shows each host of the bar", (await height()) > before + 30, before + " becomes " + (await height()));
}

async function checkTables(page) {
  const cells = () => page.$$eval("#figure-tables .table:nth-of-type(2) tbody tr td:first-child", (found) => found.map((one) => one.textContent));
  const heading = page.locator("#figure-tables .table >> nth=1").locator("th button >> nth=0");
  await heading.click();
  const up = await cells();
  await heading.click();
  const down = await cells();
  check("a heading sorts, and again the other way round", up.length > 1 && up.join() === [...down].reverse().join(), up.slice(0, 4).join() + " and " + down.slice(0, 4).join());
  check("the order is told", (await heading.locator("..").getAttribute("aria-sort")) === "descending");
  const more = page.locator("button.more:visible >> nth=0");
  if (await more.count()) {
    const rows = await page.locator("tbody tr").count();
    await more.click();
    check("a button shows more rows", (await page.locator("tbody tr").count()) > rows);
  }
}

async function checkThemes(browser, page) {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.selectOption("[aria-label='Colours of the page']", "dark");
  check("dark colours are chosen", (await paper()) !== light, await paper());
  await page.selectOption("[aria-label='Colours of the page']", "");
  const { page: dark } = await opened(browser, "run", { colorScheme: "dark" });
  check("dark colours follow the system", (await dark.evaluate(() => getComputedStyle(document.body).backgroundColor)) !== light);
  await dark.screenshot({ path: path.join(shots, "run-dark.png"), fullPage: true });
  await dark.context().close();
}

async function takeShots(browser, name) {
  for (const width of WIDTHS) {
    const { page } = await opened(browser, name, { viewport: { width, height: 900 } });
    await page.waitForTimeout(300);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(name + " fits into " + width + " px", wide <= width, wide);
    await page.screenshot({ path: path.join(shots, name + "-" + width + ".png"), fullPage: true });
    // The first screen, in the other colours too.
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot({ path: path.join(shots, name + "-" + width + "-dark.png") });
    await page.emulateMedia({ colorScheme: "light" });
    if (width === WIDTHS[0]) await page.pdf({ path: path.join(shots, name + ".pdf"), format: "A4" });
    await page.context().close();
  }
}

async function checkSweep(browser) {
  const { page, noted } = await opened(browser, "sweep");
  const drawing = (id) => page.innerHTML("#figure-" + id + " svg");
  check("the page of a sweep names its scenario", (await page.textContent("h1")) === "Sweep of victim", await page.textContent("h1"));
  const opensOn = await page.evaluate(() => ["lines", "heat", "front", "parallel"].map((id) => document.querySelector("#figure-" + id + " select").selectedOptions[0].textContent));
  check("figures open on the measure that was asked for", opensOn.every((one) => one === "p99(all)"), opensOn.join());
  check("keys are whole", (await page.textContent("#figure-lines .keys")).includes("marking.threshold = 2"), await page.textContent("#figure-lines .keys"));
  await checkSaving(page, ["#figure-lines", "#figure-front"]);
  const before = await drawing("lines");
  check("a point leads to its run", /^runs\/[^/]+\/$/.test(await page.getAttribute("#figure-lines svg a", "href")), await page.getAttribute("#figure-lines svg a", "href"));
  await page.selectOption("#figure-lines select >> nth=0", { index: 0 });
  check("another measure gives other lines", (await drawing("lines")) !== before);
  check("a heat map has a cell for each pair", (await page.locator("#figure-heat td").count()) >= 4);
  check("the front is marked", (await page.locator("#figure-front svg rect").count()) > 0);
  const sides = await drawing("front");
  const side = page.locator("#figure-front select >> nth=1");
  await side.selectOption((await side.inputValue()) === "1" ? "-1" : "1");
  check("another side gives another front", (await drawing("front")) !== sides);
  check("each run has a line", (await page.locator("#figure-parallel svg a").count()) > 3);
  check("each run has a row with a link", (await page.locator("#figure-runs tbody a").count()) > 3);
  check("the page of a sweep opens with its answer", (await page.textContent(".lead")).startsWith("Best of 6 settings"));
  check("the page of a sweep is quiet", noted.length === 0, noted.join("; "));
  await page.context().close();
}

async function checkTuning(browser) {
  const { page, noted } = await opened(browser, "tuning");
  check("the page of a tuning names its scenario", (await page.textContent("h1")) === "Tuning of victim", await page.textContent("h1"));
  const cells = (id) => page.$$eval("#figure-" + id + " tbody td", (found) => found.map((one) => one.textContent));
  const set = await cells("set");
  check("baseline and winner stand side by side", set.slice(0, 3).join() === "threshold,7,12", set.slice(0, 4).join());
  check("the command to copy is there", (await page.textContent("#figure-set pre")).includes("--set 'congestion_control.marking.threshold=12'"), await page.textContent("#figure-set pre"));
  check("the judgement on held-out seeds is there", (await cells("held-out")).includes("2 ms ± 100 us"), (await cells("held-out")).join());
  check("the effect of each parameter is drawn", (await page.locator("#figure-sensitivity svg rect").count()) === 2);
  check("a tuning for one goal has no front", (await page.locator("#figure-front").count()) === 0);
  check("the page of a tuning is quiet", noted.length === 0, noted.join("; "));
  await page.context().close();
}

async function main() {
  fs.mkdirSync(shots, { recursive: true });
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  const { page, noted } = await opened(browser, "run");
  await checkHurt(page, "run");
  await checkAgreement(page);
  await checkPointing(page);
  await checkPaths(page, "run");
  await checkSaving(page, ["#figure-hurt", "#figure-fabric", "#figure-goodput", "#figure-completions"]);
  for (const part of [checkTime, checkKeys, checkToggles, checkFabric, checkTables]) await part(page);
  await checkTabs(browser);
  await checkThemes(browser, page);
  check("the page of a run is quiet", noted.length === 0, noted.join("; "));
  const large = await opened(browser, "large");
  const bytes = fs.statSync(path.join(folder, "large", "report.html")).size;
  check("the large page opens within 3 s", large.took < LONGEST_MS, large.took + " ms");
  check("the large page has less than 5 MB", bytes < LARGEST_BYTES, (bytes / 1e6).toFixed(2) + " MB");
  await checkAgreement(large.page);
  await checkBars(large.page);
  await large.page.click(".play");
  await large.page.waitForTimeout(1000);
  check("the large page plays", Number(await large.page.inputValue(".player input")) >= 0);
  check("the large page is quiet", large.noted.length === 0, large.noted.join("; "));
  await large.page.context().close();
  if (fs.existsSync(path.join(folder, "sweep", "report.html"))) await checkSweep(browser);
  await checkTuning(browser);
  for (const name of ["run", "large", "sweep", "tuning"]) await takeShots(browser, name);
  await browser.close();
  console.log((failures === 0 ? "all checks hold" : failures + " checks failed") + "; screenshots and prints are in " + shots);
  process.exit(failures === 0 ? 0 : 1);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
