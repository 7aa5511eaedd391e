// The text of a document, fetched in slices. Offsets are code points, as in the API; a string of JavaScript counts otherwise.

import { get, part } from "./api.js";

const SLICE = 60_000;
const ASTRAL = /[\ud800-\udfff]/;

/** Return the piece of a text between two offsets in code points. */
export function codePoints(text, start, end) {
  if (!ASTRAL.test(text)) return text.slice(start, end);
  return Array.from(text).slice(start, end).join("");
}

/** Return where in a string the code point with this number is. */
export function unitAt(text, codePoint) {
  if (!ASTRAL.test(text)) return Math.min(text.length, codePoint);
  let unit = 0;
  for (let at = 0; at < codePoint && unit < text.length; at += 1) unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
  return unit;
}

/** Return how many code points are before this place of a string. */
export function codePointAt(text, unit) {
  return ASTRAL.test(text.slice(0, unit)) ? Array.from(text.slice(0, unit)).length : unit;
}

/** The slices of a text that were fetched so far. `changed` is called when more have arrived. */
export class TextStore {
  constructor(id, changed) {
    this.id = id;
    this.changed = changed;
    this.total = 0;
    this.slices = new Map();
    this.asked = new Map();
    this.closed = new AbortController();
  }

  /** Return the text between two offsets, or null if it is not here yet: then it is fetched. */
  peek(start, end) {
    let found = "";
    for (let at = Math.floor(start / SLICE); at * SLICE < end; at += 1) {
      const slice = this.slices.get(at);
      if (slice === undefined) {
        this.load(start, end).catch(() => {});
        return null;
      }
      found += codePoints(slice, Math.max(0, start - at * SLICE), Math.min(SLICE, end - at * SLICE));
    }
    return found;
  }

  /** Fetch what is missing between two offsets. */
  async load(start, end) {
    const wanted = [];
    for (let at = Math.floor(start / SLICE); at * SLICE < Math.max(end, start + 1); at += 1)
      wanted.push(this.fetch(at));
    await Promise.all(wanted);
  }

  fetch(at) {
    if (this.slices.has(at)) return Promise.resolve();
    if (!this.asked.has(at)) {
      const path = `documents/${part(this.id)}/text?start=${at * SLICE}&end=${(at + 1) * SLICE}`;
      const asked = get(path, { signal: this.closed.signal }).then(
        (answer) => {
          this.total = answer.total;
          this.slices.set(at, answer.text);
          this.changed();
        },
        (error) => {
          this.asked.delete(at);
          throw error;
        },
      );
      this.asked.set(at, asked);
    }
    return this.asked.get(at);
  }

  /** Fetch everything, from a place outwards, so that no jump has to wait. */
  async loadAll(from) {
    const middle = Math.floor(from / SLICE);
    const last = Math.floor(Math.max(0, this.total - 1) / SLICE);
    for (let away = 0; away <= last; away += 1) {
      for (const at of [middle + away, middle - away]) {
        if (this.closed.signal.aborted) return;
        if (at >= 0 && at <= last) await this.fetch(at).catch(() => {});
      }
    }
  }

  close() {
    this.closed.abort();
  }
}
