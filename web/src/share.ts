// A case as a link: the scenario, its settings and its seed, compressed, in the fragment, which a browser sends to no server.
//
// A link may come from a stranger: what it inflates to is bounded, and so is the memory that this takes.

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

/** Most bytes of a case, written out. The largest shipped scenario has some 10,000. */
export const MOST_BYTES = 1 << 20;
/** Most letters of a fragment: bytes that cannot be compressed, four letters for three. */
const MOST_LETTERS = MOST_BYTES * 3 / 2;
/** Bytes that are inflated at a time. A stream inflates all of a piece before it is asked for more: a thousandfold at most. */
const PIECE = 1024;

/** A case that is too large for a link. */
class TooLarge extends Error {
  constructor() {
    super("This case is too large for a link: it has more than " + MOST_BYTES.toLocaleString("en") + " bytes. Pass the scenario on as a file.");
  }
}

/** Returns bytes, piece by piece. */
function pieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(to) {
      if (at >= bytes.length) to.close();
      else to.enqueue(bytes.subarray(at, at += PIECE));
    },
  }, { highWaterMark: 0 });
}

/** Returns the bytes that a stream makes of these. Throws an error once there are more than `most`. */
async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream, most: number): Promise<Uint8Array> {
  const reader = pieces(bytes).pipeThrough(stream as ReadableWritablePair<Uint8Array, Uint8Array>).getReader();
  const read: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new TooLarge();
    }
    read.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  read.forEach((part) => { all.set(part, at); at += part.length; });
  return all;
}

/** Returns the fragment of a case, without `#`. Throws an error with words for the reader if the case is too large for a link. */
export async function encoded(of: Case): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify({ v: 1, ...of }));
  if (bytes.length > MOST_BYTES) throw new TooLarge();
  const packed = await through(bytes, new CompressionStream("deflate-raw"), MOST_LETTERS);
  let letters = "";
  packed.forEach((byte) => { letters += String.fromCharCode(byte); });
  return FIELD + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Returns the case of a fragment. Throws an error with words for the reader if the fragment is cut, too large, or from a later version. */
export async function decoded(fragment: string): Promise<Case> {
  let read: Record<string, unknown>;
  if (fragment.length > MOST_LETTERS) throw new TooLarge();
  try {
    const letters = atob(fragment.slice(FIELD.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    read = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), MOST_BYTES)));
  } catch (fault) {
    if (fault instanceof TooLarge) throw fault;
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
