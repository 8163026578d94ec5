// The lessons: a scenario each, three sentences, a guess, two things to try, and what is to be seen.
//
// They stand in lessons.json, since a test (crates/web/tests/lessons.rs) holds each sentence, by the checks beside it, and each number
// against the runs themselves. Numbers are goodputs over the second half of the last phase (the table "Goodput by phase", `phases.csv`),
// to the digits shown. The page sets its own run beside them.
import lessons from "./lessons.json";

/** A sentence, with checks by which a test finds it true. */
export interface Said {
  says: string;
  holds: string[];
}

/** A question before the run, with answers of which one is right. */
export interface Guess {
  asks: string;
  choices: string[];
  /** Place of the right answer. */
  right: number;
  /** Thing to try whose run gives the answer; the lesson's own run if there is none. */
  try?: number;
}

/** A goodput that a lesson states. */
export interface Stated {
  /** Name of the flow or group; `total` for all flows. */
  name: string;
  /** Goodput in Gb/s, as text with the digits that count. */
  gbps: string;
}

/** What a run of a lesson shows. */
export interface Sight {
  /** Settings of the run. */
  sets: string[];
  /** Sentences on what is to be seen. */
  see: Said[];
  /** Goodputs; none for a run that does not come to its end. */
  stated: Stated[];
  /** How the run ends, if not with results. */
  ends?: "deadlock" | "fault";
}

/** A lesson. */
export interface Lesson {
  id: string;
  title: string;
  scenario: string;
  /** Flow that the page follows. */
  follow: string;
  sentences: [Said, Said, Said];
  guess: Guess;
  base: Sight;
  /** Two things to try: a button each, whose run stands beside that of the lesson. */
  tries: [Tried, Tried];
}

/** A thing to try. */
export type Tried = Sight & { label: string };

export const LESSONS = lessons as unknown as Lesson[];
