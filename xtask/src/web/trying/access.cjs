// Access to the page: names of all controls, text alternatives, order and visibility of the focus, contrast, less motion, narrow screens,
// and a way from opening to a result by keys alone.
"use strict";
const { caseOf, check, checked, digests, done, nativeDigest, opened, openParameters } = require("./page.cjs");
const { begun } = require("./controls.cjs");
const { PLACES } = require("./shots.cjs");

/** Roles, by Chromium's accessibility tree, whose elements need a name. */
const NAMED = ["application", "button", "checkbox", "combobox", "DisclosureTriangle", "heading", "image", "img", "link", "meter", "progressbar", "radio", "region", "searchbox",
  "slider", "spinbutton", "tab", "tablist", "tabpanel", "table", "textbox"];
/** Least contrast of texts, of large texts, and of lines and borders: WCAG 2.2, 1.4.3 and 1.4.11. */
const LEAST = { text: 4.5, large: 3, line: 3 };
/** Least ratio of the contrasts of neighbouring heat classes. */
const LEAST_STEP = 1.15;
/** Least side of a button in px: WCAG 2.2, 2.5.8. */
const LEAST_SIDE = 24;
/** Colour blindness, full: matrices on linear RGB by Machado, Oliveira and Fernandes (2009). */
const BLINDNESS = {
  none: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/** Returns linear red, green and blue of a colour `#rrggbb`. */
function linear(colour) {
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  return parts.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
}

/** Returns the relative luminance of a colour, as seen with a matrix. */
function luminance(colour, matrix = BLINDNESS.none) {
  const seen = matrix.map((row) => Math.min(1, Math.max(0, row.reduce((sum, part, at) => sum + part * linear(colour)[at], 0))));
  return 0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2];
}

/** Returns the contrast of two luminances. */
function contrast(one, other) {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Checks the tree of a place: every control and picture has a name. */
async function tryNames(page, name) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const controls = nodes.filter((node) => !node.ignored && NAMED.includes(node.role?.value));
  const nameless = controls.filter((node) => !(node.name?.value ?? "").trim());
  check(name + ": every control, picture and table has a name", controls.length > 10 && nameless.length === 0,
    controls.length + " of them" + nameless.map((node) => ", a " + node.role.value + " without").join(""));
  const levels = await page.$$eval("h1, h2, h3, h4", (found) => found.filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1])));
  check(name + ": headings descend a level at a time", levels.filter((level) => level === 1).length === 1 && levels.every((level, at) => at === 0 ? level === 1 : level <= levels[at - 1] + 1), levels.join(""));
}

/** Checks that each figure has a table, and each canvas a name or no part in the tree. */
async function tryAlternatives(page, name) {
  const lacking = await page.$$eval(".curves, .fabric", (figures) => figures.filter((figure) => !figure.querySelector("details")).length);
  const count = await page.locator(".side .curves, .side .fabric").count();
  const bare = await page.$$eval("canvas", (found) => found.filter((one) => !one.closest("[aria-hidden=true]") && !one.closest("[role=application]") && !one.getAttribute("aria-label")).length);
  check(name + ": curves and fabrics have tables, pictures have words", count > 1 && lacking === 0 && bare === 0, count + " figures");
  const details = page.locator(".side .curves details, .side .fabric details");
  let rows = true;
  for (let at = 0; at < await details.count(); at += 1) {
    await details.nth(at).locator("summary").click();
    await details.nth(at).locator("tbody tr").first().waitFor();
    rows &&= await details.nth(at).locator("tbody tr").count() > 0;
  }
  check(name + ": these tables have rows", rows);
}

/** Returns every text and border of a place with too little contrast, as the browser computes their colours. */
function faint({ least }) {
  const parts = (colour) => (/rgba?\(([^)]*)\)/.exec(colour)?.[1] ?? "0, 0, 0").split(",").map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((parts(colour)[3] ?? 1) === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const ratio = (one, other) => (Math.max(light(one), light(other)) + 0.05) / (Math.min(light(one), light(other)) + 0.05);
  const found = { count: 0, lowest: Infinity, faint: [] };
  const judge = (words, front, back, needed) => {
    const has = ratio(front, back);
    found.count += 1;
    found.lowest = Math.min(found.lowest, has);
    if (has < needed) found.faint.push(words + " " + has.toFixed(2));
  };
  const isShown = (one) => one.checkVisibility() && !one.closest(":disabled") && !one.closest(".skip, .unseen");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const one = node.parentElement;
    if (!node.textContent.trim() || !isShown(one) || ["SCRIPT", "STYLE", "NOSCRIPT", "OPTION"].includes(one.tagName)) continue;
    const style = getComputedStyle(one);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
    judge(one.tagName + "." + one.className + " `" + node.textContent.trim().slice(0, 30) + "`", style.color, ground(one), isLarge ? least.large : least.text);
  }
  for (const one of document.querySelectorAll("input, textarea, select, button")) {
    if (!isShown(one)) continue;
    const style = getComputedStyle(one);
    if (one.value && one.tagName !== "BUTTON") judge("value of " + (one.id || one.className), style.color, ground(one), least.text);
    if (one.placeholder && !one.value) judge("placeholder of " + (one.id || one.type), getComputedStyle(one, "::placeholder").color, ground(one), least.text);
    const isBoxed = parseFloat(style.borderTopWidth) > 0 && !["checkbox", "radio", "range"].includes(one.type);
    if (isBoxed) judge("border of " + (one.id || one.textContent || one.type), style.borderTopColor, ground(one.parentElement), least.line);
  }
  return found;
}

/** Checks the colours of curves, phases and heat classes, also as the colour-blind see the classes. */
async function tryPalette(page, name) {
  const colours = await page.evaluate(() => Object.fromEntries(["paper", "ink", "accent", "faint", ...[0, 1, 2, 3, 4, 5].flatMap((at) => ["line-" + at, "heat-" + at])]
    .map((one) => [one, getComputedStyle(document.documentElement).getPropertyValue("--" + one).trim()])));
  const { paper, ...lines } = colours;
  const ratios = Object.entries(lines).map(([one, colour]) => [one, contrast(luminance(colour), luminance(paper))]);
  const lowest = ratios.reduce((least, one) => one[1] < least[1] ? one : least);
  check(name + ": curves, links, marks and the focus stand out", ratios.length === 15 && lowest[1] >= LEAST.line, "least " + lowest[0] + " " + lowest[1].toFixed(2));
  const steps = Object.entries(BLINDNESS).flatMap(([blindness, matrix]) => [1, 2, 3, 4, 5].map((at) => {
    const of = (place) => contrast(luminance(colours["heat-" + place], matrix), luminance(paper, matrix));
    return [blindness + " " + at, of(at) / of(at - 1)];
  }));
  const least = steps.reduce((one, other) => other[1] < one[1] ? other : one);
  check(name + ": heat classes rise in contrast, for the colour-blind too", least[1] >= LEAST_STEP, "least step " + least[0] + ", " + least[1].toFixed(2));
}

async function tryContrast(browser) {
  for (const colorScheme of ["light", "dark"]) {
    for (const name of ["playground", "running", "result", "lesson"]) {
      const { page, close } = await PLACES[name](browser, { colorScheme });
      if (name === "playground") await openParameters(page);
      const { count, lowest, faint: found } = await page.evaluate(faint, { least: LEAST });
      check(name + ", " + colorScheme + ": texts and borders have contrast", count > 40 && found.length === 0, count + " of them, least " + lowest.toFixed(2) + (found.length ? "; " + [...new Set(found)].slice(0, 8).join("; ") : ""));
      if (name === "playground") await tryPalette(page, colorScheme);
      else await tryNames(page, name + ", " + colorScheme);
      if (name === "result" && colorScheme === "light") await tryAlternatives(page, name);
      await close();
    }
  }
}

/** Checks a text with a fault: its marks have contrast, and the field says that it is wrong. */
async function tryFaultColours(browser) {
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await opened(browser, "scenario=victim", { colorScheme });
    await checked(page);
    await openParameters(page);
    await tryNames(page, "playground, " + colorScheme);
    await page.click("#tab-text");
    await page.fill("textarea", (await page.inputValue("textarea")).replace("latency:", "latencie:"));
    await page.waitForSelector(".numbers .fault");
    const { faint: found } = await page.evaluate(faint, { least: LEAST });
    check("a fault, " + colorScheme + ": has contrast, and marks its field", found.length === 0 && (await page.getAttribute("textarea", "aria-invalid")) === "true", found.join("; "));
    await close();
  }
}

/** Goes through a place by Tab; returns what had the focus, and whether its outline was visible. */
async function tabbed(page, most) {
  const seen = [];
  for (let at = 0; at < most; at += 1) {
    await page.keyboard.press("Tab");
    const one = await page.evaluate(() => {
      const at = document.activeElement;
      if (at === document.body) return null;
      at.dataset.reached ??= String(document.querySelectorAll("[data-reached]").length);
      const style = getComputedStyle(at);
      const box = at.getBoundingClientRect();
      const over = document.elementFromPoint(Math.min(Math.max(box.x + box.width / 2, 0), innerWidth - 1), Math.min(Math.max(box.y + box.height / 2, 0), innerHeight - 1));
      return { name: at.tagName + " " + (at.getAttribute("aria-label") ?? at.textContent ?? "").slice(0, 24), outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
        onScreen: box.bottom > 0 && box.top < innerHeight && (at.contains(over) || over?.contains(at) || over?.closest("label")?.contains(at)) };
    });
    if (one === null) break;
    seen.push(one);
  }
  return seen;
}

async function tryFocus(browser) {
  for (const [name, options] of [["playground", {}], ["result", {}], ["lesson", {}], ["result", { viewport: { width: 360, height: 800 } }]]) {
    const { page, close } = await PLACES[name](browser, options);
    await page.evaluate(() => {
      document.body.tabIndex = -1;
      document.body.focus();
      document.body.removeAttribute("tabindex");
      scrollTo(0, 0);
    });
    const expected = await page.evaluate(() => {
      const groups = new Set();
      return [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter((one) => {
        if (one.disabled || one.tabIndex < 0 || !one.checkVisibility() || one.id === "main") return false;
        if (one.type !== "radio") return true;
        const isFirst = !groups.has(one.name);
        groups.add(one.name);
        return isFirst;
      }).length;
    });
    const seen = await tabbed(page, expected + 40);
    const [reached, inOrder] = await page.evaluate(() => {
      const found = [...document.querySelectorAll("[data-reached]")].map((one) => Number(one.dataset.reached));
      return [found.length, found.every((place, at) => place === at)];
    });
    const words = name + (options.viewport ? " at 360 px" : "");
    check(words + ": Tab reaches every control, in the order of the page", reached >= expected && inOrder, reached + " of " + expected);
    const hidden = seen.filter((one) => !one.outline || !one.onScreen);
    check(words + ": the focus is always visible", hidden.length === 0, hidden.slice(0, 4).map((one) => one.name).join("; "));
    await close();
  }
}

/** Goes from the opened page to a result, and through it, without a pointer. The run takes some seconds, so that there is a way to tell of. */
async function tryKeys(browser) {
  const setting = 'duration="600 ms"';
  const { page, noted, close } = await opened(browser, caseOf("victim", [setting]));
  await page.evaluate(() => {
    globalThis.told = [];
    new MutationObserver(() => globalThis.told.push(document.querySelector(".said").textContent)).observe(document.querySelector(".said"), { childList: true });
  });
  await checked(page);
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
  await press("Tab", "Tab", "Enter", "Tab");
  check("the second link skips to the run", (await page.evaluate(() => document.activeElement.textContent)) === "Run");
  await press("Enter");
  await done(page);
  check("Enter runs it", (await digests(page))[0] === nativeDigest(["victim", "--set", setting]));
  const told = await page.evaluate(() => globalThis.told);
  check("a live region tells the beginning, the way and the end", told[0] === "The run goes on." && told.some((one) => /^The run: \d+ % done/.test(one)) && /^Complete, digest/.test(told.at(-1)), told.join(" | "));
  const goTo = async (wanted) => {
    for (let tabs = 0; tabs < 80 && !(await page.evaluate((of) => document.activeElement.matches(of), wanted)); tabs += 1) await press("Tab");
    return page.evaluate((of) => document.activeElement.matches(of), wanted);
  };
  check("Tab goes to the slider of the fabric", await goTo(".player input"));
  const moment = () => page.textContent(".moment");
  await press("Home");
  const first = await moment();
  await press("ArrowRight");
  check("an arrow key plays it back", (await moment()) !== first && (await page.getAttribute(".player input", "aria-valuetext")).includes(" to "), await page.getAttribute(".player input", "aria-valuetext"));
  check("Tab goes to the curves", await goTo(".plot"));
  await press("ArrowRight", "ArrowRight");
  const spoken = await page.textContent(".curves [aria-live]");
  check("an arrow key reads the values", /^At [\d.]+ us: victim [\d.]+ [GM]?b\/s/.test(spoken), spoken);
  await press("+");
  check("a key zooms", (await page.textContent(".range")) !== "0 s to 600 ms", await page.textContent(".range"));
  check("keys are quiet", noted.length === 0, noted.join("; "));
  await close();
}

/** Checks that a reader who asks for less motion has a picture a second at most, and no animation. */
async function tryCalm(browser) {
  const { page, close } = await begun(browser, { reducedMotion: "reduce" });
  const times = await page.evaluate(() => new Promise((done) => {
    const found = [];
    new MutationObserver(() => found.push(performance.now())).observe(document.querySelector(".live .moment"), { childList: true });
    const timer = setInterval(() => {
      if (found.length < 4 && document.querySelector(".side").dataset.state !== "done") return;
      clearInterval(timer);
      done(found);
    }, 100);
  }));
  const gaps = times.slice(1).map((time, at) => time - times[at]);
  check("less motion: at most a picture a second", gaps.length > 0 && gaps.every((gap) => gap > 900), gaps.map((gap) => gap.toFixed(0) + " ms").join(", "));
  await done(page);
  await page.focus(".player input");
  await page.keyboard.press("Home");
  await page.click(".play");
  await page.waitForTimeout(1600);
  check("less motion: a step a second, and no animation", Number(await page.inputValue(".player input")) <= 2 && await page.evaluate(() => document.getAnimations().length === 0), await page.inputValue(".player input"));
  await close();
}

/** Checks widths and targets on a phone. */
async function tryPhone(browser) {
  for (const [name, go] of Object.entries(PLACES)) {
    const { page, close } = await go(browser, { viewport: { width: 360, height: 800 } });
    if (name === "playground") await openParameters(page);
    await page.waitForTimeout(200);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    const small = await page.$$eval("button, select, summary, input:not([type=checkbox], [type=radio])", (found, side) => found.filter((one) => one.checkVisibility() && !one.closest("th") && one.getBoundingClientRect().height < side)
      .map((one) => one.tagName + " " + (one.id || one.textContent) + " " + one.getBoundingClientRect().height.toFixed(0)), LEAST_SIDE);
    check(name + " at 360 px: nothing is wider than the screen, and no button too small", wide <= 360 && small.length === 0, [wide + " px", ...new Set(small)].slice(0, 6).join("; "));
    await close();
  }
}

/** Tries access by all ways. */
async function tryAccess(browser) {
  for (const part of [tryContrast, tryFaultColours, tryFocus, tryKeys, tryCalm, tryPhone]) await part(browser);
}

module.exports = { tryAccess };
