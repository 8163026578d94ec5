// Shapes as SVG, with the colours of the style sheet by classes.
//
// Invariant: texts are left out, and names with them: nothing of a scenario but its shape is in the picture.
import type { Shape } from "./shapes.ts";

/** Returns a coordinate with as many digits as a small picture shows. */
const short = (value: number) => String(Math.round(value * 10) / 10);

/** Returns shapes as a picture that is as wide as its place. Lines of one colour and width are one path. */
export function svg(shapes: Shape[], width: number, height: number): string {
  const paths = new Map<string, string>();
  const rest: string[] = [];
  for (const shape of shapes) {
    if (shape.kind === "line") {
      const key = `class="s-${shape.ink}" stroke-width="${short(shape.width)}"`;
      paths.set(key, (paths.get(key) ?? "") + "M" + short(shape.x) + " " + short(shape.y) + "L" + short(shape.toX) + " " + short(shape.toY));
    } else if (shape.kind === "dot") {
      rest.push(`<circle class="f-${shape.ink}" cx="${short(shape.x)}" cy="${short(shape.y)}" r="${short(shape.r)}"/>`);
    } else if (shape.kind === "box") {
      rest.push(`<rect class="f-${shape.fill} s-${shape.ink}" x="${short(shape.x)}" y="${short(shape.y)}" width="${short(shape.width)}" height="${short(shape.height)}" rx="2"/>`);
    }
  }
  const lines = [...paths].map(([key, path]) => `<path ${key} fill="none" d="${path}"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${short(width)} ${short(height)}" focusable="false">${lines.join("")}${rest.join("")}</svg>`;
}
