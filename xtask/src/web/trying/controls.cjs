// The controls of the playground: scenario, parameters, text, runs, results, links.
"use strict";
const fs = require("fs");
const path = require("path");
const zlib = require("zlib");
const { LONGEST_MS, address, caseOf, check, checked, digests, done, native, nativeDigest, opened, openParameters, ran, scratch, slowness } = require("./page.cjs");

/** Least blank between the name of an axis, its values and their ticks, in px. */
const LEAST_GAP = 4;
/** A scenario whose run takes some seconds, and a setting that makes it longer. */
const [LONG, LONGER] = ["gran2011-scenario1", 'duration="4 s"'];

async function tryParameters(browser) {
  const { page, noted, close } = await opened(browser, "scenario=victim");
  await page.selectOption("#scenario", "roce-victim");
  await page.waitForFunction(() => document.querySelector(".facts").textContent.startsWith("5 hosts"));
  check("the story is shown", (await page.textContent(".story")).includes("Look for: from 2 ms on"));
  check("the fabric is drawn before a run", (await page.getAttribute(".board canvas", "aria-label")).includes("5 hosts and 1 switch"));
  await openParameters(page);
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
  await ran(page, 2);
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
  await ran(other.page, 2);
  check("and gives the same digests", (await digests(other.page)).join() === [a, b].join(), [a, b].join(", "));
  check("parameters are quiet", noted.length + other.noted.length === 0, [...noted, ...other.noted].join("; "));
  await other.close();
}

async function tryFaults(browser) {
  const { page, noted, close } = await opened(browser, "scenario=victim");
  await openParameters(page);
  await page.click("#tab-text");
  const text = (await page.inputValue("textarea")).replace("latency:", "latencie:");
  await page.fill("textarea", text);
  await page.waitForSelector("#faults .message");
  fs.writeFileSync(path.join(scratch, "victim-edited.ron"), text);
  const said = native("check", "victim-edited.ron").errors.trim();
  const shown = (await page.textContent("#faults .message")).trim();
  check("a fault has the words of the command line", shown === said, shown.split("\n")[0]);
  check("no run with a fault", await page.isDisabled(".bar .run"));
  await page.click("button:text(\"Show line\")");
  check("the cursor goes to the fault", await page.evaluate(() => { const area = document.querySelector("textarea"); return area.value.slice(area.selectionStart, area.selectionEnd).startsWith("latencie"); }));
  await page.waitForSelector(".numbers .fault");
  check("the line is marked", (await page.textContent(".numbers .fault")).startsWith("▶"));
  await page.fill("textarea", text.replace("latencie:", "latency:").replace("60 ms", "30 ms"));
  await ran(page);
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

/** Opens a scenario whose run takes some seconds, and begins it. */
async function begun(browser, options = {}) {
  const all = await opened(browser, caseOf(LONG, [LONGER]), options);
  await checked(all.page);
  await all.page.click(".bar .run");
  await all.page.waitForSelector(".live .plot canvas");
  return all;
}

/** Returns the number of parts of the upright axis of the curves of this name, between blanks of at least `gap` px: its name, values and ticks. Runs in the page. */
function partsOfAxis([name, gap]) {
  const plot = [...document.querySelectorAll(".live .plot")].find((one) => one.getAttribute("aria-label").startsWith(name)).plot();
  const { ctx, bbox } = plot;
  const { data, width, height } = ctx.getImageData(0, 0, bbox.left, ctx.canvas.height);
  const isInked = (x) => { for (let y = 0; y < height; y += 1) if (data[4 * (y * width + x) + 3] > 40) return true; return false; };
  const inked = Array.from({ length: width }, (_, x) => x).filter(isInked);
  return inked.filter((x, at) => at === 0 || x - inked[at - 1] > gap * devicePixelRatio).length;
}

async function tryRunning(browser) {
  const { page, noted, close } = await begun(browser);
  const state = () => page.getAttribute(".side", "data-state");
  const picture = () => page.$eval(".live .picture canvas", (canvas) => canvas.toDataURL());
  check("curves are drawn while it runs", (await page.locator(".live .plot canvas").count()) > 0 && (await state()) === "running");
  await page.waitForFunction(() => /^From .* highest load/.test(document.querySelector(".live .moment").textContent));
  const seen = await page.evaluate(() => [document.querySelector(".live .moment").textContent, document.querySelector(".live .picture canvas").toDataURL()]);
  const isChanged = ([words, url]) => document.querySelector(".live .moment").textContent !== words && document.querySelector(".live .picture canvas").toDataURL() !== url;
  const changes = await page.waitForFunction(isChanged, seen, { timeout: LONGEST_MS / 4 }).then(() => true, () => false);
  check("the fabric is drawn while it runs, anew when another flow starts", changes, seen[0]);
  check("its picture has the words as its alternative", (await page.getAttribute(".live .picture canvas", "aria-label")).startsWith("From "));
  await page.click(".live summary:text-is('Table of the outputs at this moment')");
  await page.waitForSelector(".live .fabric table tbody tr");
  const loads = await page.$$eval(".live .fabric table tbody tr td:nth-child(2)", (cells) => cells.map((cell) => Number(cell.textContent)));
  check("loads of links are shares, and some link is busy", loads.every((load) => load >= 0 && load <= 100) && Math.max(...loads) > 10, loads.slice(0, 4).join(", "));
  await page.waitForFunction(() => [...document.querySelectorAll(".live .plot")].some((one) => one.plot?.()?.scales.y.max > 1e5 && one.getAttribute("aria-label").startsWith("Marks")));
  const axis = await page.evaluate(partsOfAxis, ["Marks", LEAST_GAP]);
  check("the name of an axis stands apart from values of six digits, and these from their ticks", axis === 3, axis + " parts");
  await page.click(".toolbar >> text=Pause");
  await page.waitForTimeout(400);
  const value = () => page.$eval(".side progress", (bar) => bar.value);
  const held = await value();
  const before = await picture();
  await page.click(".live label:has-text('stalls (width: load)')");
  await page.waitForTimeout(600);
  check("a pause holds", held === (await value()) && (await state()) === "running", String(held));
  check("links are coloured by load at first, and their colour can be chosen", (await picture()) !== before);
  await page.focus(".live .picture");
  await page.keyboard.press("c");
  await page.waitForTimeout(200);
  check("the key C chooses the other colours", (await picture()) === before && await page.isChecked(".live label:has-text('load (width: stalls)') input"));
  await page.click(".toolbar >> text=Resume");
  await page.waitForFunction((from) => document.querySelector(".side progress").value > from, held);
  check("it goes on", true);
  const took = await page.evaluate(async () => {
    const began = performance.now();
    [...document.querySelectorAll(".toolbar button")].find((one) => one.textContent === "Cancel").click();
    while (document.querySelector(".side").dataset.state !== "done") await new Promise((next) => { setTimeout(next, 1); });
    return performance.now() - began;
  });
  await page.waitForFunction(() => document.querySelector(".said").textContent.includes("Cancelled"));
  check("a cancel acts at once", took < 1000 * slowness(), took.toFixed(0) + " ms");
  check("and leaves no picture of the run", (await page.locator(".live").count()) === 0);
  await page.selectOption("#scenario", "victim");
  await page.waitForFunction(() => document.querySelector(".facts").textContent.startsWith("5 hosts"));
  await ran(page);
  check("a run after a cancel has the native digest", (await digests(page))[0] === nativeDigest(["victim"]));
  check("running is quiet", noted.length === 0, noted.join("; "));
  await close();
}

/** Two runs: a setting of the story beside the scenario, then twice the same. */
async function tryPairs(browser) {
  const { page, noted, close } = await opened(browser, "scenario=victim");
  await page.click(".story button.setting");
  await page.waitForFunction(() => document.querySelectorAll(".native code").length === 2);
  check("a setting of the story makes run B", (await page.textContent(".native code >> nth=1")).endsWith("--set congestion_control=Off"));
  await ran(page, 2);
  const [a, b] = await digests(page);
  check("and B has the native digest", a === nativeDigest(["victim"]) && b === nativeDigest(["victim", "--set", "congestion_control=Off"]), a + ", " + b);
  const tops = await page.$$eval("[data-part=completions], [data-part=files]", (found) => found.map((one) => Math.round(one.getBoundingClientRect().top + scrollY)));
  check("sections of A and B stand beside each other, though B alone has queues", tops.length === 4 && tops[0] === tops[2] && tops[1] === tops[3]
    && await page.locator("[data-part=queues]").count() === 1, tops.join(", "));
  check("trees of B are played back", /Root S2 port \d to H5/.test(await page.textContent(".side[data-side=B] .trees")), (await page.textContent(".side[data-side=B] .trees")).slice(0, 100));
  await page.click("button:text-is('Remove run B')");
  await page.waitForFunction(() => document.querySelectorAll(".native code").length === 1);
  await page.click("button:text-is('Add run B')");
  await page.waitForFunction(() => document.querySelectorAll(".native code").length === 2);
  await ran(page, 2);
  const same = await digests(page);
  check("two runs of the same settings have the same random streams", same[0] === same[1] && same[0] === a, same.join(", "));
  await page.click("#tab-b");
  await page.keyboard.press("ArrowRight");
  check("arrow keys go through the tabs", (await page.evaluate(() => document.activeElement.id)) === "tab-text" && await page.isVisible("textarea"));
  check("pairs are quiet", noted.length === 0, noted.join("; "));
  await close();
}

/** Links: an edited text with a seed and both runs; a damaged one; one of a scenario that is not there. */
async function tryLinks(browser) {
  const first = await opened(browser, "scenario=victim");
  const { page } = first;
  await openParameters(page);
  await page.click("#tab-text");
  const text = (await page.inputValue("textarea")).replace("60 ms", "25 ms");
  await page.fill("textarea", text);
  await page.fill("[aria-label^='Seed']", "11");
  await page.press("[aria-label^='Seed']", "Tab");
  await page.click("button:text-is('Add run B')");
  await page.fill("[type=search]", "link.mtu");
  await page.fill(".control[data-path='link.mtu'] input", "1 KiB");
  await page.press(".control[data-path='link.mtu'] input", "Tab");
  await page.waitForFunction(() => document.querySelectorAll(".native code")[1]?.textContent.includes("link.mtu"));
  await page.click("button:text-is('Share')");
  await page.waitForSelector(".link:visible");
  const link = (await page.inputValue(".link")).split("#")[1];
  const other = await opened(browser, link);
  await other.page.waitForFunction(() => document.querySelectorAll(".native code").length === 2);
  const commands = (one) => one.$$eval(".native code", (found) => found.map((code) => code.textContent).join("; "));
  check("a link restores text, seed and both runs", (await commands(other.page)) === (await commands(page)), await commands(other.page));
  const changes = await other.page.textContent("#parameters > summary");
  check("the page says what is changed", changes === "Parameters text edited, run A: as it ships, run B: 1 value set, seed 11", changes);
  await openParameters(other.page);
  await other.page.click("#tab-text");
  check("the text is the edited one", (await other.page.inputValue("textarea")) === text);
  check("the seed is restored", (await other.page.inputValue("[aria-label^='Seed']")) === "11");
  const damaged = await opened(browser, link.slice(0, 40));
  check("a damaged link is named", (await damaged.page.textContent("[role=alert]")).includes("This link is damaged"));
  const unknown = await opened(browser, "scenario=none");
  check("a scenario that is not there is named", (await unknown.page.textContent("[role=alert]")).includes("There is no scenario `none`."));
  // 100 MiB in some 140,000 letters.
  const bomb = zlib.deflateRawSync(Buffer.alloc(100 << 20, " ")).toString("base64url");
  const large = await opened(browser, "case=" + bomb);
  check("a link that inflates without end is refused", (await large.page.textContent("[role=alert]")).includes("too large for a link"));
  const all = [first, other, damaged, unknown, large];
  check("links are quiet", all.every(({ noted }) => noted.length === 0), all.flatMap(({ noted }) => noted).join("; "));
  for (const one of all) await one.close();
}

async function tryResults(browser) {
  const { page, noted, close } = await opened(browser, "scenario=roce-victim");
  await ran(page);
  const whole = await page.textContent(".range");
  await page.click("button:text-is('Zoom in')");
  check("a button zooms all curves", (await page.textContent(".range")) !== whole, await page.textContent(".range"));
  await page.click("button:text-is('Whole run')");
  const moment = await page.textContent(".moment");
  await page.locator(".player input").focus();
  await page.keyboard.press("Home");
  check("the slider moves the picture", (await page.textContent(".moment")) !== moment);
  await page.click(".play");
  check("the picture plays", await page.waitForFunction(() => Number(document.querySelector(".player input").value) > 1).then(() => true, () => false));
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
  const drawn = () => page.$eval(".side .plot canvas", (canvas) => canvas.toDataURL());
  const lines = await drawn();
  await page.click("legend:has-text('Flows') button:text-is('none')");
  await page.waitForTimeout(200);
  check("lines can be hidden", (await drawn()) !== lines);
  await page.click("legend:has-text('Flows') button:text-is('all')");
  const flows = page.locator("details[open] table").first();
  const firstCell = () => flows.locator("tbody td").first().textContent();
  const before = await firstCell();
  for (let clicks = 0; clicks < 2; clicks += 1) await flows.locator("thead button").first().click();
  check("a heading sorts its table", (await firstCell()) !== before, before + " becomes " + await firstCell());
  await page.selectOption(".side .choice select", { index: 1 });
  check("one tree can be chosen", (await page.locator(".trees li").count()) === 1);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.selectOption("[aria-label='Colours of the page']", "dark");
  check("dark colours are chosen", (await paper()) !== light);
  check("results are quiet", noted.length === 0, noted.join("; "));
  await close();
}


/** The first screen: it opens running, without and with congestion control, and says what came out. */
async function tryOpening(browser) {
  const { page, noted, close } = await opened(browser);
  await page.waitForFunction(() => document.querySelectorAll(".board .bar-value").length === 6);
  const picture = () => page.$$eval(".board canvas", (found) => found.map((one) => one.toDataURL()).join());
  const before = await picture();
  await page.waitForTimeout(300);
  check("the page opens running, and packets move", (await page.locator(".board").count()) === 2 && (await picture()) !== before);
  check("what it is and what to press are on the first screen", await page.evaluate(() => [".lead", ".bar .run", ".board", ".knob"].map((one) => document.querySelector(one)).every((one) => one && one.getBoundingClientRect().bottom < innerHeight)));
  await page.click("button:text-is('Skip to the end')", { timeout: 2000 }).catch(() => {});
  await done(page, 2);
  await page.waitForSelector(".headline b");
  const [a, b] = await digests(page);
  check("its runs have the native digests", a === nativeDigest(["victim", "--set", "congestion_control=Off"]) && b === nativeDigest(["victim"]), a + ", " + b);
  const answer = await page.textContent(".headline .answer");
  check("the answer is on the first screen", /^victim gets 7\.9 Gb\/s without congestion control, and 15\.8 Gb\/s with/.test(answer)
    && await page.$eval(".headline", (one) => one.getBoundingClientRect().bottom < innerHeight), answer);
  await page.click(".bar-row[data-flow=far] .bar-name");
  check("another flow can be followed", (await page.textContent(".race-name b")) === "far");
  check("the opening is quiet", noted.length === 0, noted.join("; "));
  await close();
}

/** Knobs, undo, and what an address keeps. */
async function tryKnobs(browser) {
  const { page, noted, close } = await opened(browser);
  await done(page, 2);
  const range = page.locator(".knob:has-text('Buffer of an input') input");
  await range.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector(".native code")?.textContent.includes("64 KiB"));
  await page.waitForFunction(() => document.querySelector(".side")?.dataset.state === "running");
  await done(page, 2);
  const [a, b] = await digests(page);
  const buffer = ["--set", 'switch.buffer="64 KiB"'];
  check("a knob changes both runs, and runs them", a === nativeDigest(["victim", "--set", "congestion_control=Off", ...buffer]) && b === nativeDigest(["victim", ...buffer]), a + ", " + b);
  const place = page.url();
  check("each change has an address", place.includes("#case="));
  await page.click("nav a:text-is('Lessons')");
  await page.waitForSelector(".lessons");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector(".native code")?.textContent.includes("64 KiB"));
  check("edits survive another page and Back", page.url() === place);
  await page.click("nav a:text-is('Lessons')");
  await page.waitForSelector(".lessons");
  await page.click("nav a:text-is('Playground')");
  await page.waitForFunction(() => document.querySelector(".native code")?.textContent.includes("64 KiB"));
  check("the link to the playground leads back to them", page.url() === place);
  await page.locator(".knob:has-text('Packet size') input, .knob:has-text('Buffer of an input') input").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => !document.querySelector(".native code")?.textContent.includes('64 KiB'));
  await page.click("button:text-is('Undo')");
  await page.waitForFunction(() => document.querySelector(".native code")?.textContent.includes("64 KiB"));
  check("a change can be undone", page.url() === place);
  check("knobs are quiet", noted.length === 0, noted.join("; "));
  await close();
}

/** A large case: its time is told before it runs, and it does not begin by itself. */
async function tryTime(browser) {
  const { page, noted, close } = await opened(browser, "scenario=dcs648");
  await page.waitForFunction(() => /^A run takes about [\d.,]+ (s|minutes) here\.$/.test(document.querySelector(".cost").textContent), undefined, { timeout: LONGEST_MS });
  check("the time of a large case is told before", (await page.locator(".side").count()) === 0, await page.textContent(".cost"));
  check("the time is quiet", noted.length === 0, noted.join("; "));
  await close();
}

/** The gallery: every case has a picture, and its runs can begin. */
async function tryGallery(browser) {
  const { page, noted, close } = await opened(browser, "gallery");
  const cards = await page.$$eval(".card", (found) => found.map((one) => ({ to: one.getAttribute("href"), shapes: one.querySelectorAll("svg *").length, see: one.querySelector(".card-see").textContent })));
  check("every case has a picture and a sentence", cards.length >= 8 && cards.every(({ shapes, see }) => shapes > 4 && see.length > 20), cards.length + " cases");
  for (const { to } of cards) {
    await page.goto(address(to.slice(1)));
    await page.reload();
    await page.waitForSelector(".board canvas", { timeout: LONGEST_MS });
    await page.waitForFunction(() => document.querySelector(".side")?.dataset.state === "running" || document.querySelector(".side")?.dataset.state === "done", undefined, { timeout: LONGEST_MS });
    check("the case " + to.slice(6) + " begins to run", (await page.textContent("#faults")) === "");
  }
  check("the gallery is quiet", noted.length === 0, noted.join("; "));
  await close();
}

/** Tries all controls. */
async function tryControls(browser) {
  for (const part of [tryOpening, tryKnobs, tryTime, tryGallery, tryParameters, tryFaults, tryRunning, tryPairs, tryLinks, tryResults]) await part(browser);
}

module.exports = { begun, tryControls };
