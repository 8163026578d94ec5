// The goodput of one flow in both runs, in one chart, while they go on and afterwards.
import { element, onceInTurn } from "../../../crates/page/src/script/dom.js";
import { onColours } from "../../../crates/page/src/script/palette.js";
import { fittingUnit, short, spelled } from "../../../crates/page/src/script/format.js";
import { fit, palette } from "./canvas.ts";

/** A curve of the chart. */
export interface Course {
  label: string;
  x: ArrayLike<number>;
  y: ArrayLike<number | null>;
}

const HEIGHT = 140;
const ROOM = { left: 70, right: 12, top: 14, bottom: 22 };
const INKS = ["line-1", "line-0"];
const DASHES = [[6, 4], []];

/** The chart. */
export class Race {
  readonly box: HTMLElement;
  private readonly canvas = element("canvas", { role: "img" });
  private readonly heading = element("p", { class: "race-name" });
  private courses: Course[] = [];
  private end = 0;
  private name = "";
  /** Names and colours of the legend. */
  private key = "";

  constructor() {
    this.box = element("div", { class: "race" }, this.heading, this.canvas);
    onColours(this.box, () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** Shows the goodput of `name`, whose runs end at `end` s. */
  show(name: string, courses: Course[], end: number): void {
    [this.name, this.courses, this.end] = [name, courses, end];
    this.draw();
  }

  private readonly draw = onceInTurn(() => {
    const width = this.box.clientWidth;
    if (width === 0) return;
    const inks = palette();
    const context = fit(this.canvas, width, HEIGHT);
    context.clearRect(0, 0, width, HEIGHT);
    const largest = Math.max(1, ...this.courses.flatMap(({ y }) => Array.from(y, (value) => value ?? 0)));
    const [size, unit] = fittingUnit(largest, "bit/s");
    const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((one) => largest / size / one <= 4) ?? 1000;
    const top = Math.ceil(largest / size / step) * step * size;
    const at = (time: number) => ROOM.left + (width - ROOM.left - ROOM.right) * time / (this.end || 1);
    const high = (value: number) => HEIGHT - ROOM.bottom - (HEIGHT - ROOM.top - ROOM.bottom) * value / top;
    this.axes(context, inks, { top, step: step * size, size, unit, at, high, width });
    this.courses.forEach((course, place) => {
      const which = this.courses.length === 1 ? 1 : place;
      context.strokeStyle = inks.get(INKS[which] as string) as string;
      context.lineWidth = 2.4;
      context.setLineDash(DASHES[which] as number[]);
      context.beginPath();
      let isDrawn = false;
      for (let point = 0; point < course.x.length; point += 1) {
        const value = course.y[point];
        if (value === null || value === undefined) { isDrawn = false; continue; }
        if (isDrawn) context.lineTo(at(course.x[point] as number), high(value));
        else context.moveTo(at(course.x[point] as number), high(value));
        isDrawn = true;
      }
      context.stroke();
      context.setLineDash([]);
    });
    this.legend(inks);
  });

  private axes(context: CanvasRenderingContext2D, inks: Map<string, string>, { top, step, size, unit, at, high, width }: { top: number; step: number; size: number; unit: string; at: (time: number) => number; high: (value: number) => number; width: number }): void {
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = inks.get("soft") as string;
    context.strokeStyle = inks.get("grid") as string;
    context.lineWidth = 1;
    for (let value = 0; value <= top * 1.001; value += step) {
      context.beginPath();
      context.moveTo(ROOM.left, Math.round(high(value)) + 0.5);
      context.lineTo(width - ROOM.right, Math.round(high(value)) + 0.5);
      context.stroke();
      context.textAlign = "right";
      context.fillText(short(value / size) + (value + step > top * 1.001 ? " " + unit : ""), ROOM.left - 5, high(value) + 4);
    }
    context.textAlign = "center";
    const parts = width < 420 ? 3 : 6;
    for (let part = 0; part <= parts && this.end > 0; part += 1) {
      context.textAlign = part === 0 ? "left" : part === parts ? "right" : "center";
      context.fillText(spelled(this.end * part / parts, "s"), at(this.end * part / parts), HEIGHT - 6);
    }
  }

  private legend(inks: Map<string, string>): void {
    const key = [this.name, ...this.courses.map(({ label }) => label), ...INKS.map((one) => inks.get(one))].join("|");
    const isNew = key !== this.key;
    this.key = key;
    const last = (course: Course) => course.y.length > 0 ? course.y[course.y.length - 1] : null;
    if (isNew) this.heading.replaceChildren("Goodput of ", element("b", {}, this.name), ...this.courses.flatMap((course, place) => {
      const which = this.courses.length === 1 ? 1 : place;
      const swatch = element("canvas", { class: "swatch", width: 56, height: 16, "aria-hidden": "true" });
      const context = swatch.getContext("2d") as CanvasRenderingContext2D;
      context.strokeStyle = inks.get(INKS[which] as string) as string;
      context.lineWidth = 6;
      context.setLineDash((DASHES[which] as number[]).map((part) => 2 * part));
      context.beginPath();
      context.moveTo(0, 8);
      context.lineTo(56, 8);
      context.stroke();
      return [element("span", { class: "entry" }, swatch, " ", course.label)];
    }));
    this.canvas.setAttribute("aria-label", "Goodput of " + this.name + " over time: " + this.courses.map((course) => course.label + ", now " + spelled(last(course), "bit/s")).join("; ") + ". A table stands below each run.");
  }
}
