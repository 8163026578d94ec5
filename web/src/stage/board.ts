// One run on the stage: its moving picture, and the goodput of its flows.
import { element, inTurn, isCalm } from "../../../crates/page/src/script/dom.js";
import { counted, spelled } from "../../../crates/page/src/script/format.js";
import { PARTS, Picture } from "../../../crates/page/src/script/fabric.js";
import { outputName } from "../../../crates/page/src/script/trees.js";
import { marked } from "../live.ts";
import type { LiveFabric, Progress } from "../simulator.ts";
import { fit, paint, palette } from "./canvas.ts";
import type { Cast } from "./cast.ts";
import { arranged, type Scene } from "./scene.ts";
import { inks, shapes, type State } from "./shapes.ts";

/** Hosts beyond which the report's picture stands in for the moving one. */
export const MOST_HOSTS = 64;
/** Speed of moving packets, in px a second. */
const SPEED = 110;
/** Most flows with a bar. */
const MOST_BARS = 6;
/** Points of a curve over which its last rate is the mean. */
const LAST_POINTS = 4;

/** Rates of flows and groups, in bit/s. */
export type Rates = Map<string, number>;

/** A run on the stage. */
export class Board {
  readonly box: HTMLElement;
  private readonly canvas = element("canvas", { role: "img" });
  private readonly place = element("div", { class: "scene" }, this.canvas);
  private readonly bars = element("div", { class: "bars" });
  private readonly rows = new Map<string, { bar: HTMLElement; value: HTMLElement }>();
  private readonly heading = element("h2", { class: "board-name" });
  private scene: Scene | null = null;
  private picture: Picture | null = null;
  private state: State;
  private last = 0;
  private isOn = false;

  /** `height` is that of small fabrics, in px; `onFollow` is called with the flow that the reader chooses to follow. */
  constructor(private readonly cast: Cast, label: string, private followed: string | null, private readonly height: number, private readonly onFollow: (name: string) => void) {
    const none = new Float64Array(cast.graph.outputs.length / 3);
    this.state = { load: none, stalled: none, queues: none, rates: new Map(), way: 0 };
    this.heading.textContent = label;
    this.box = element("section", { class: "board", "aria-label": label }, this.heading, this.place, this.bars);
    if (cast.graph.hosts > MOST_HOSTS) this.large();
    this.canvas.setAttribute("aria-label", this.words());
    new ResizeObserver(() => this.resize()).observe(this.place);
  }

  follow(name: string | null): void {
    this.followed = name;
    this.paint();
    this.show(this.state.rates, null);
  }

  /** Shows a report of progress. */
  progress({ fabric, panels }: Progress): void {
    if (fabric.to_s > fabric.from_s) this.take(fabric);
    const goodput = panels.find(({ id }) => id === "goodput");
    const rates: Rates = new Map();
    for (const { name, kind, y } of goodput?.lines ?? []) {
      const values = [...y].slice(-LAST_POINTS).filter((value): value is number => value !== null);
      if (kind !== "total" && kind !== "others" && values.length > 0) rates.set(name, values.reduce((sum, one) => sum + one, 0) / values.length);
    }
    this.state.rates = rates;
  }

  get rates(): Rates {
    return this.state.rates;
  }

  /** Shows rates, final or of the moment, as bars. `scale` returns the rate of the longest bar that a flow or group may have. */
  show(rates: Rates, scale: ((name: string) => number) | null): void {
    const colours = inks(this.cast.flows, this.followed);
    const shown = [...rates].sort(([one], [other]) => Number(other === this.followed) - Number(one === this.followed)).slice(0, MOST_BARS);
    if (shown.length !== this.rows.size || shown.some(([name]) => !this.rows.has(name))) {
      this.rows.clear();
      this.bars.replaceChildren(...shown.map(([name]) => {
        const row = { bar: element("span", { class: "bar-fill" }), value: element("span", { class: "bar-value" }) };
        this.rows.set(name, row);
        const choose = element("button", { type: "button", class: "bar-name", title: "Follow " + name, onclick: () => this.onFollow(name) }, name);
        return element("div", { class: "bar-row", "data-flow": name }, choose, element("span", { class: "bar-room" }, row.bar), row.value);
      }));
    }
    for (const [name, { bar, value }] of this.rows) {
      const rate = rates.get(name) ?? 0;
      value.textContent = spelled(rate, "bit/s");
      if (scale !== null) {
        const longest = scale(name);
        bar.style.width = 100 * Math.min(rate / (longest || 1), 1) + "%";
        if (bar.parentElement) bar.parentElement.title = "The whole length is " + spelled(longest, "bit/s");
      }
      bar.style.background = `var(--${colours.get(name) ?? "soft"})`;
      bar.closest(".bar-row")?.classList.toggle("followed", name === this.followed);
    }
  }

  /** Says in words what the picture shows at the end. */
  end(): void {
    this.canvas.setAttribute("aria-label", this.words());
  }

  private take({ load, stalled, queues, trees }: LiveFabric): void {
    const shares = (from: Uint16Array) => Array.from(from, (part) => part / PARTS);
    this.state = { ...this.state, load: shares(load), stalled: shares(stalled), queues };
    if (this.picture) {
      this.picture.state = marked([...this.state.stalled as number[]], [...this.state.load as number[]], trees);
      this.picture.paint();
    } else if (isCalm()) {
      this.paint();
    } else {
      this.go();
    }
  }

  /** Puts the report's picture in place of the moving one. */
  private large(): void {
    this.picture = new Picture(this.cast.graph);
    this.picture.canvas.setAttribute("aria-label", this.words());
    const none = Array.from({ length: this.cast.graph.outputs.length / 3 }, () => 0);
    this.picture.state = marked(none, none, []);
    this.place.replaceChildren(this.picture.holder);
    const { picture } = this;
    inTurn(() => picture.follow());
  }

  private words(): string {
    const { graph } = this.cast;
    const queues = Array.from(this.state.queues);
    const longest = queues.reduce((best, bytes, output) => bytes > (queues[best] as number) ? output : best, 0);
    const fabric = "The fabric: " + counted(graph.hosts, "host") + " and " + counted(graph.nodes.length - graph.hosts, "switch");
    return (queues[longest] ?? 0) > 0 ? fabric + ". Most waits at " + outputName(graph, longest) + ": " + spelled(queues[longest] as number, "B") + "." : fabric;
  }

  private resize(): void {
    const width = this.place.clientWidth;
    if (this.picture || width === 0) return;
    this.scene = arranged(this.cast.graph, this.cast.flows, width, this.height);
    this.paint();
  }

  /** Begins to move, until the page no longer shows the picture. */
  private go(): void {
    if (this.isOn) return;
    this.isOn = true;
    this.last = performance.now();
    const step = (now: number) => {
      this.isOn = this.box.isConnected;
      if (!this.isOn) return;
      this.state.way += Math.min(now - this.last, 100) / 1000 * SPEED;
      this.last = now;
      const { top, bottom } = this.canvas.getBoundingClientRect();
      if (bottom > 0 && top < innerHeight) this.paint();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  paint(): void {
    if (!this.scene) return;
    const { width, height } = this.scene;
    const context = fit(this.canvas, width, height);
    context.clearRect(0, 0, width, height);
    paint(context, shapes(this.scene, this.cast, this.state, this.followed), palette());
  }
}
