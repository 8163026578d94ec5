// The axis of time that all figures of a page share: one range, one cursor, one moment, one choice of a flow.

/** A range of time within `[0, end]`, and a moment in it, with those who follow them. */
export class TimeAxis {
  /** @param {number} end */
  constructor(end) {
    this.end = end;
    /** @type {[number, number]} */
    this.range = [0, end];
    /** @type {number | null} */
    this.moment = null;
    /** Lines that belong to what a reader chose, as kind and name; `null` if nothing is chosen.
     * @type {Set<string> | null} */
    this.lit = null;
    /** Flow, group or pattern that a reader chose, as kind and name; `null` if none is chosen.
     * @type {string | null} */
    this.chosen = null;
    /** That at which a mouse points.
     * @type {string | null} */
    this.pointed = null;
    /** Time of the cursor; `null` while it is nowhere.
     * @type {number | null} */
    this.cursor = null;
    /** Time that a reader last asked the fabric for.
     * @type {number | null} */
    this.sought = null;
    /** @type {((axis: TimeAxis) => void)[]} */
    this.followers = [];
    /** @type {((time: number | null) => void)[]} */
    this.cursorFollowers = [];
    this.isHovering = false;
    /** @type {[string, number, number][]} */
    this.phases = [];
  }

  /**
   * Calls `follower(axis)` at every change.
   *
   * @param {(axis: TimeAxis) => void} follower
   */
  follow(follower) {
    this.followers.push(follower);
  }

  /**
   * Calls `follower(time)` at every move of the cursor: more often than anything else changes.
   *
   * @param {(time: number | null) => void} follower
   */
  followCursor(follower) {
    this.cursorFollowers.push(follower);
  }

  /**
   * Moves the cursor of all figures. Figures that move theirs meanwhile do not start anew.
   *
   * @param {number | null} time
   */
  hover(time) {
    if (this.isHovering || time === this.cursor) return;
    this.cursor = time;
    this.isHovering = true;
    this.cursorFollowers.forEach((follower) => follower(time));
    this.isHovering = false;
  }

  tell() {
    this.followers.forEach((follower) => follower(this));
  }

  /**
   * Shows a range; ranges beyond the run are moved into it, and no range is shorter than a millionth of the run.
   *
   * @param {number} from
   * @param {number} to
   */
  show(from, to) {
    const length = Math.min(Math.max(to - from, this.end * 1e-6), this.end);
    const start = Math.min(Math.max(from, 0), this.end - length);
    if (start === this.range[0] && start + length === this.range[1]) return;
    this.range = [start, start + length];
    this.tell();
  }

  /**
   * Makes the run at least as long as `end`; a range that showed all of it goes on doing so.
   *
   * @param {number} end
   */
  reach(end) {
    if (end <= this.end) return;
    const isWhole = this.range[0] === 0 && this.range[1] === this.end;
    this.end = end;
    if (isWhole) this.showAll();
  }

  showAll() {
    this.show(0, this.end);
  }

  /**
   * Makes the range shorter (a factor below 1) or longer, around its middle.
   *
   * @param {number} factor
   */
  zoom(factor) {
    const [from, to] = this.range;
    const [middle, half] = [(from + to) / 2, (to - from) / 2 * factor];
    this.show(middle - half, middle + half);
  }

  /**
   * Moves the range by a part of its length.
   *
   * @param {number} part
   */
  move(part) {
    const [from, to] = this.range;
    this.show(from + (to - from) * part, to + (to - from) * part);
  }

  /**
   * Lights lines, and fades all others.
   *
   * @param {Set<string> | null} lit
   */
  light(lit) {
    if (lit === this.lit) return;
    this.lit = lit;
    this.tell();
  }

  /** Returns the flow, group or pattern that all figures show: at which a mouse points, or else that was chosen. */
  get subject() {
    return this.pointed ?? this.chosen;
  }

  /**
   * Chooses a flow, a group or a pattern for all figures.
   *
   * @param {string | null} subject
   */
  choose(subject) {
    if (subject === this.chosen) return;
    this.chosen = subject;
    this.pointed = null;
    this.tell();
  }

  /**
   * Shows a flow, a group or a pattern for as long as a mouse points at it.
   *
   * @param {string | null} subject
   */
  point(subject) {
    if (subject === this.pointed) return;
    this.pointed = subject;
    this.tell();
  }

  /**
   * Asks the picture of the fabric for a time: it shows, and marks, its moment there. Without moments the time itself is marked.
   *
   * @param {number} time
   */
  seek(time) {
    this.sought = time;
    this.mark(time);
  }

  /**
   * Marks a moment.
   *
   * @param {number | null} moment
   */
  mark(moment) {
    this.moment = moment;
    this.tell();
  }
}
