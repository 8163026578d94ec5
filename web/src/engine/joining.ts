// Reports of progress, joined: a report has only what is new since the last (crates/web/src/curves.rs).
import { withGaps } from "../../../crates/page/src/script/arrays.js";
import type { Graph, Panel } from "../../../crates/page/src/script/types.js";
import type { LiveFabric, Progress } from "../simulator.ts";
import { opened, type Parcel } from "./parcel.ts";

/** New points of a panel; `lines` if the points are all. */
interface News {
  id: string;
  lines: { heading: string; about: string; unit: string; samples_a_pair: number; lines: { name: string; kind: string; shown: boolean }[] } | null;
  x: Float64Array;
  y: Float64Array[];
}

/** A panel whose arrays grow. */
type Growing = Panel & { x: number[]; lines: { y: (number | null)[] }[] };

/** The reports of a run. */
export class Reports {
  private readonly panels = new Map<string, Growing>();

  constructor(private readonly graph: Graph) {}

  /** Returns the progress up to a report. Its panels are the same objects each time, and grow. */
  join(parcel: Parcel): Progress {
    const { panels, ...report } = opened(parcel) as { now_s: number; end_s: number; events: number; fabric: LiveFabric; panels: News[] };
    for (const news of panels) {
      const panel = news.lines === null ? this.panels.get(news.id) as Growing : whole(news.id, news.lines);
      this.panels.set(news.id, panel);
      panel.x.push(...news.x);
      news.y.forEach((values, place) => panel.lines[place]?.y.push(...withGaps(values)));
    }
    return { ...report, graph: this.graph, panels: [...this.panels.values()] };
  }
}

function whole(id: string, { lines, ...words }: NonNullable<News["lines"]>): Growing {
  return { id, ...words, x: [], lines: lines.map((line) => ({ ...line, y: [] })) };
}
