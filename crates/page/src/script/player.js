// A slider over moments, and a button that plays them.
import { button, element, isCalm } from "./dom.js";

const MOMENTS_A_SECOND = 8;
/** The same for readers who ask for less motion. */
const CALM_MOMENTS_A_SECOND = 1;

/**
 * Returns a slider over `count` moments, whose names `named(moment)` returns. Calls `onMoment` at each change.
 *
 * @param {{ count: number, named: (moment: number) => string, onMoment: (moment: number) => void, label: string }} options
 */
export function player({ count, named, onMoment, label }) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const slider = element("input", { type: "range", min: 0, max: count - 1, step: 1, value: 0, "aria-label": label });
  const set = (/** @type {number} */ moment) => {
    slider.value = String(moment);
    slider.setAttribute("aria-valuetext", named(moment));
    onMoment(moment);
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "Play";
  };
  const start = () => {
    if (Number(slider.value) === count - 1) set(0);
    play.textContent = "Pause";
    timer = setInterval(() => {
      if (Number(slider.value) >= count - 1) stop();
      else set(Number(slider.value) + 1);
    }, 1000 / (isCalm() ? CALM_MOMENTS_A_SECOND : MOMENTS_A_SECOND));
  };
  const play = button("Play", () => timer === undefined ? start() : stop(), { class: "play" });
  slider.addEventListener("input", () => {
    if (timer !== undefined) stop();
    set(Number(slider.value));
  });
  return { box: element("div", { class: "player" }, play, slider), set };
}
