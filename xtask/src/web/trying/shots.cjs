// Pictures of the page at three widths, dark and light, for a person to look at; and no page is wider than the screen.
"use strict";
const path = require("path");
const { check, checked, done, opened, ran, shots } = require("./page.cjs");
const { begun } = require("./controls.cjs");

const WIDTHS = [360, 768, 1440];
const HEIGHT = 900;

/** Places of the page, each with what leads to it. */
const PLACES = {
  opening: async (browser, options) => {
    const all = await opened(browser, "", options);
    await done(all.page, 2);
    return all;
  },
  gallery: async (browser, options) => opened(browser, "gallery", options),
  playground: async (browser, options) => {
    const all = await opened(browser, "scenario=victim", options);
    await checked(all.page);
    return all;
  },
  running: async (browser, options) => {
    const all = await begun(browser, options);
    await all.page.waitForFunction(() => document.querySelector(".side progress").value > 0.3);
    await all.page.click(".toolbar >> text=Pause");
    return all;
  },
  result: async (browser, options) => {
    const all = await opened(browser, "scenario=roce-victim", options);
    await ran(all.page);
    return all;
  },
  "a-and-b": async (browser, options) => {
    const all = await opened(browser, "scenario=victim", options);
    await all.page.click(".story button.setting");
    await ran(all.page, 2);
    return all;
  },
  lesson: async (browser, options) => {
    const all = await opened(browser, "lesson=pfc-victims", options);
    await all.page.click("button.try >> nth=0");
    await done(all.page, 2);
    return all;
  },
  lessons: async (browser, options) => opened(browser, "lessons", options),
};

/** Width and height of the picture in the README and the guide, in px: the first screen. */
const FIGURE = { width: 1280, height: 860 };

/** Takes the picture for `docs/figures/playground.png`, which is put there by hand. */
async function takeFigure(browser) {
  const { page, close } = await opened(browser, "", { viewport: FIGURE, colorScheme: "light" });
  await done(page, 2);
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(400);
  await page.screenshot({ path: path.join(shots, "figure.png") });
  await close();
}

/** Takes the pictures. */
async function takeShots(browser) {
  await takeFigure(browser);
  for (const width of WIDTHS) {
    for (const colorScheme of ["light", "dark"]) {
      for (const [name, go] of Object.entries(PLACES)) {
        const { page, close } = await go(browser, { viewport: { width, height: HEIGHT }, colorScheme });
        await page.evaluate(() => scrollTo(0, 0));
        await page.waitForTimeout(400);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        check(name + " fits into " + width + " px", wide <= width, wide);
        await page.screenshot({ path: path.join(shots, [name, width, colorScheme].join("-") + ".png"), fullPage: true });
        await close();
      }
    }
  }
}

module.exports = { PLACES, takeFigure, takeShots };
