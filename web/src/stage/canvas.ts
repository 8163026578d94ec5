// Shapes on a canvas.
import { colour, onColours } from "../../../crates/page/src/script/palette.js";
import type { Shape } from "./shapes.ts";

const INKS = ["paper", "ink", "soft", "faint", "grid", "panel", "accent", "line-0", "line-1", "line-2", "line-3", "line-4", "line-5"];

/** Colours as they are now, which each frame needs; `null` until the first after a change. */
let inks: Map<string, string> | null = null;
// The first who hears of a change: no picture is drawn with the colours before.
onColours(document.documentElement, () => { inks = null; });

/** Returns the colours of the style sheet as it is now. */
export function palette(): Map<string, string> {
  inks ??= new Map(INKS.map((name) => [name, colour(name)]));
  return inks;
}

/** Gives a canvas its size in px of the page, as sharp as the screen. */
export function fit(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const scale = Math.min(devicePixelRatio || 1, 2);
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

/** Draws shapes, the first below. */
export function paint(context: CanvasRenderingContext2D, shapes: Shape[], inks: Map<string, string>): void {
  for (const shape of shapes) {
    const ink = inks.get(shape.ink) ?? "gray";
    if (shape.kind === "dot") {
      context.fillStyle = ink;
      context.beginPath();
      context.arc(shape.x, shape.y, shape.r, 0, 2 * Math.PI);
      context.fill();
    } else if (shape.kind === "line") {
      context.strokeStyle = ink;
      context.lineWidth = shape.width;
      context.beginPath();
      context.moveTo(shape.x, shape.y);
      context.lineTo(shape.toX, shape.toY);
      context.stroke();
    } else if (shape.kind === "box") {
      context.fillStyle = inks.get(shape.fill) ?? "gray";
      context.strokeStyle = ink;
      context.lineWidth = 1;
      context.beginPath();
      context.roundRect(shape.x, shape.y, shape.width, shape.height, Math.min(6, shape.width / 3));
      context.fill();
      context.stroke();
    } else {
      context.fillStyle = ink;
      context.textAlign = shape.align === "middle" ? "center" : shape.align;
      context.font = (shape.isBold ? "700 " : "") + "12px system-ui, sans-serif";
      context.fillText(shape.text, shape.x, shape.y);
    }
  }
}
