// Pictures of the cases of gallery and lessons, made when the page is built: the module runs each case, and the drawing code of the stage draws its
// worst moment as SVG. Vite bundles this file with that code.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import gallery from "./src/gallery.json";
import lessons from "./src/lessons.json";
import { castOf } from "./src/stage/cast.ts";
import { thumbnail } from "./src/stage/thumbnail.ts";

const NAME = "virtual:thumbnails";
/** Steps of a run, of which one is drawn. */
const STEPS = 60;
/** All cases with a picture: those of the gallery, and the lessons' own runs. */
const CASES = [...gallery, ...lessons.map(({ id, scenario, base, follow }) => ({ id: "lesson-" + id, scenario, a: base.sets, follow }))];
/** Parts of one in which the module gives shares. */
const PARTS = 10000;

/** Returns the plugin that makes the module of all pictures. The module lies in `folder`. */
export function thumbnails(folder) {
  return {
    name: "thumbnails",
    resolveId: (id) => id === NAME ? "\0" + NAME : null,
    load: async (id) => id === "\0" + NAME ? "export default " + JSON.stringify(await pictures(folder)) : null,
  };
}

/** Returns the pictures by the names of their cases. Moments are kept beside the module's folder, since runs take longer than drawing. */
async function pictures(folder) {
  globalThis.simulatorPanicked = (message) => { throw new Error(message); };
  const address = new URL(folder, import.meta.url);
  const simulator = await import(/* @vite-ignore */ new URL("web.js", address).href);
  const bytes = await readFile(fileURLToPath(new URL("web_bg.wasm", address)));
  await simulator.default({ module_or_path: await WebAssembly.compile(bytes) });
  const keeper = fileURLToPath(new URL("../web-thumbnails.json", address));
  const kept = JSON.parse(await readFile(keeper, "utf8").catch(() => "{}"));
  const moments = {};
  const shipped = JSON.parse(simulator.scenarios());
  const made = CASES.map((one) => {
    const { task, checked, cast } = prepared(simulator, shipped, one);
    const key = createHash("sha256").update(bytes).update(task).digest("hex");
    moments[key] = kept[key] ?? worstOf(new simulator.Run(task), checked.facts.duration_s);
    const rates = new Map(cast.flows.map(({ name }) => [name, 1]));
    return [one.id, thumbnail(cast, { ...moments[key], rates, way: 0 }, one.follow)];
  });
  await writeFile(keeper, JSON.stringify(moments));
  return Object.fromEntries(made);
}

/** Returns a case as the module takes it, with its check. */
function prepared({ check }, shipped, { id, scenario, a }) {
  const { text } = shipped.find(({ name }) => name === scenario) ?? {};
  if (text === undefined) throw new Error("the case `" + id + "` names the scenario `" + scenario + "`, which does not ship");
  const task = JSON.stringify({ name: scenario, text, sets: a, seed: null });
  const checked = JSON.parse(check(task));
  const cast = castOf(checked);
  if (cast === null) throw new Error("the case `" + id + "`: " + checked.faults.map(({ printed }) => printed).join("\n"));
  return { task, checked, cast };
}

/** Runs a case, and returns the moment at which most waits. */
function worstOf(run, duration) {
  let worst = null;
  for (let isOver = false; !isOver;) {
    isOver = advanced(run, duration / STEPS);
    const state = stateOf(run.progress());
    if (worst === null || state.most >= worst.most) worst = state;
  }
  return worst;
}

/** Advances a run. Returns true once it is over: a deadlock ends it too. */
function advanced(run, seconds) {
  try {
    return run.advance(seconds);
  } catch (error) {
    if (!String(error).includes("deadlock")) throw error;
    return true;
  }
}

function stateOf(parcel) {
  const { fabric } = JSON.parse(parcel.names());
  const [floats, shorts] = [parcel.floats(), parcel.shorts()];
  parcel.free();
  const shares = ({ u16: [from, length] }) => Array.from(shorts.slice(from, from + length), (one) => one / PARTS);
  const [from, length] = fabric.queues.f64;
  const state = { load: shares(fabric.load), stalled: shares(fabric.stalled), queues: Array.from(floats.slice(from, from + length)) };
  return { ...state, most: state.stalled.reduce((sum, one) => sum + one, 0) };
}
