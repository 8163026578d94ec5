// A case as a link: the scenario, its settings and its seed, compressed, in the fragment, which a browser sends to no server.

/** A scenario with settings for one run, or for two side by side. */
export interface Case {
  /** Name of a shipped scenario, from which the text comes if `text` is `null`. */
  scenario: string;
  /** Text of the scenario if it was edited. */
  text: string | null;
  /** Seed of all random streams; that of the scenario if `null`. */
  seed: number | null;
  /** Settings of run A, as `--set` takes them. */
  a: string[];
  /** Settings of run B; `null` if there is no run B. */
  b: string[] | null;
}

/** Name of the field of the fragment. */
export const FIELD = "case=";

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** Returns the fragment of a case, without `#`. */
export async function encoded(of: Case): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify({ v: 1, ...of })), new CompressionStream("deflate-raw"));
  let letters = "";
  packed.forEach((byte) => { letters += String.fromCharCode(byte); });
  return FIELD + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Returns the case of a fragment. Throws an error with words for the reader if the fragment is cut or from a later version. */
export async function decoded(fragment: string): Promise<Case> {
  let read: Record<string, unknown>;
  try {
    const letters = atob(fragment.slice(FIELD.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    read = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
  } catch {
    throw new Error("This link is damaged: its end may be missing. Ask for it again, as a whole.");
  }
  const { v, scenario, text, seed, a, b } = read;
  const isSeed = seed === null || Number.isSafeInteger(seed) && Number(seed) >= 0;
  if (v !== 1) throw new Error("This link is of another version of the page: it has form " + String(v) + ", and this page knows form 1.");
  if (typeof scenario !== "string" || !(text === null || typeof text === "string") || !isSeed || !isTexts(a) || !(b === null || isTexts(b))) {
    throw new Error("This link holds no case: a scenario, settings and a seed are expected.");
  }
  return { scenario, text: text as string | null, seed: seed as number | null, a, b: b as string[] | null };
}

/** Returns settings with another value of a path, or without one if the value is `null`. */
export function withSetting(sets: string[], path: string, value: string | null): string[] {
  const others = sets.filter((one) => pathOf(one) !== path);
  return value === null ? others : [...others, path + "=" + value];
}

/** Returns the path of a setting. */
export function pathOf(setting: string): string {
  return setting.slice(0, setting.indexOf("="));
}

/** Returns the value of a path among settings, if it is set. */
export function valueOf(sets: string[], path: string): string | undefined {
  return sets.find((one) => pathOf(one) === path)?.slice(path.length + 1);
}

/** Returns a word of a shell's command line. */
function quoted(word: string): string {
  return /^[\w.=/:@%+,-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

/** Returns the name of a case in messages, as the command line has it: that of the shipped scenario, or of the file of an edited text. */
export function sourceName(of: Case): string {
  return of.text === null ? of.scenario : fileName(of);
}

/** Returns the command that gives the same digest natively. An edited text is read from a file. */
export function command(of: Case, sets: string[]): string {
  const parts = ["cargo", "xtask", "sim", sourceName(of), ...sets.flatMap((one) => ["--set", one])];
  if (of.seed !== null) parts.push("--seed", String(of.seed));
  return parts.map(quoted).join(" ");
}

/** Returns the name of the file of an edited text. */
export function fileName(of: Case): string {
  return of.scenario + "-edited.ron";
}
