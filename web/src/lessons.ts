// The lessons: a scenario each, three sentences, two things to try, and what is to be seen.
//
// They stand in lessons.json, since a test of the program compares their numbers with its own: goodput over the second half of the
// last phase (the table "Goodput by phase", `phases.csv`), to the digits shown. The page sets its own run beside them.
import lessons from "./lessons.json";

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
  /** A sentence or two on what is to be seen. */
  see: string;
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
  sentences: [string, string, string];
  base: Sight;
  /** Two things to try: a button each, whose run stands beside that of the lesson. */
  tries: [Tried, Tried];
}

/** A thing to try. */
export type Tried = Sight & { label: string };

export const LESSONS = lessons as unknown as Lesson[];
