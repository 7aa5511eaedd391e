// The text of a document as blocks, of which only those near the window are in the page. A block is a page of the
// memory, or a stretch of text that has not been read yet.

import { el, visible } from "./dom.js";
import { pageName } from "./format.js";
import { TextStore, codePointAt, codePoints, unitAt } from "./text_store.js";

const STRETCH = 4000; // code points of a block that is no page
const LOOK = 2000; // how far such a block may reach to end with a line
const AROUND = 1600; // pixels above and below the window that are kept in the page
const FULL_SIZE = 12_000_000; // texts up to this size are fetched whole, in the background

export class TextPane {
  /** `onPlace(block)` is called when another block is at the top of the window. */
  constructor(scroller, id, { onPlace }) {
    this.scroller = scroller;
    this.onPlace = onPlace;
    this.store = new TextStore(id, () => this.draw());
    this.before = el("div", { class: "space" });
    this.window = el("div", { class: "blocks" });
    this.after = el("div", { class: "space" });
    this.end = el("div", { class: "rest-hidden", hidden: true });
    scroller.replaceChildren(this.before, this.window, this.after, this.end);
    this.blocks = [];
    this.tops = [0];
    this.shown = new Map();
    this.marks = [];
    this.highlights = [];
    this.headings = new Map();
    this.perCharacter = 0;
    this.current = -1;
    scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(scroller);
    this.width = 0;
  }

  close() {
    this.resized.disconnect();
    this.store.close();
    for (const name of ["own", "quote", "target"]) globalThis.CSS?.highlights?.delete(name);
  }

  /** Show the text up to `limit`: pages first, then what has no pages yet, in stretches. The place is kept. */
  setPages(total, pages, chapters, limit) {
    const place = this.topOffset();
    this.store.total = total;
    this.headings = new Map(chapters.filter((one) => one.start < limit).map((one) => [one.start, one]));
    const blocks = pages
      .filter((page) => page.start < limit)
      .map((page) => ({ start: page.start, end: Math.min(page.end, limit), page }));
    const from = blocks.length ? blocks[blocks.length - 1].end : 0;
    for (let at = from; at < Math.min(total, limit); at += STRETCH)
      blocks.push({ start: at, end: Math.min(at + STRETCH, limit), page: null, first: at === from });
    const same = new Map(this.blocks.map((block) => [`${block.start}-${block.end}`, block]));
    this.blocks = blocks.map((block) => {
      const old = same.get(`${block.start}-${block.end}`);
      if (!old || Boolean(old.page) !== Boolean(block.page)) return block;
      old.page = block.page;
      old.first = block.first;
      return old;
    });
    this.end.hidden = limit >= total;
    this.clear();
    this.measureAll();
    if (place !== null) this.scroller.scrollTop = this.topOf(place);
    this.draw();
  }

  clear() {
    this.shown.clear();
    this.window.replaceChildren();
  }

  /** Return the offset at the top of the window, about. */
  topOffset() {
    if (!this.blocks.length) return null;
    const block = this.blocks[this.indexAt(this.scroller.scrollTop)];
    const at = this.indexAt(this.scroller.scrollTop);
    const share = (this.scroller.scrollTop - this.tops[at]) / Math.max(1, this.tops[at + 1] - this.tops[at]);
    return block.start + share * (block.end - block.start);
  }

  topOf(offset) {
    const at = this.indexOf(offset);
    const block = this.blocks[at];
    const share = Math.max(0, offset - block.start) / Math.max(1, block.end - block.start);
    return this.tops[at] + share * (this.tops[at + 1] - this.tops[at]);
  }

  resize() {
    const width = this.scroller.clientWidth;
    if (!width || Math.abs(width - this.width) < 1) return this.draw();
    const place = this.width ? this.topOffset() : null;
    this.width = width;
    this.perCharacter = 0;
    for (const block of this.blocks) block.height = 0;
    this.clear();
    this.measureAll();
    if (place !== null && this.blocks.length) this.scroller.scrollTop = this.topOf(place);
    return this.draw();
  }

  measureAll() {
    const width = Math.min(680, Math.max(240, (this.width || 600) - 64));
    const perCharacter = this.perCharacter || (29 * 8.6) / width;
    this.tops = new Array(this.blocks.length + 1);
    this.tops[0] = 0;
    for (let at = 0; at < this.blocks.length; at += 1) {
      const block = this.blocks[at];
      const height = block.height || Math.max(60, 48 + (block.end - block.start) * perCharacter);
      this.tops[at + 1] = this.tops[at] + height;
    }
  }

  indexAt(top) {
    let low = 0;
    let high = this.blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= top) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  indexOf(offset) {
    let low = 0;
    let high = this.blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.blocks[middle].start <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Bring the blocks near the window into the page, and take out the others. */
  draw() {
    if (!this.blocks.length || !this.scroller.clientHeight) return;
    const keep = this.scroller.scrollTop;
    const anchor = this.indexAt(keep);
    const within = keep - this.tops[anchor];
    const height = this.tops[anchor + 1] - this.tops[anchor];
    const first = this.indexAt(keep - AROUND);
    const last = this.indexAt(keep + this.scroller.clientHeight + AROUND);
    for (const [at, node] of this.shown) {
      if (at < first || at > last) {
        node.remove();
        this.shown.delete(at);
      }
    }
    let next = null;
    let fresh = false;
    for (let at = last; at >= first; at -= 1) {
      let node = this.shown.get(at);
      if (!node || node.classList.contains("coming")) {
        const made = this.makeBlock(this.blocks[at], this.tops[at + 1] - this.tops[at]);
        if (made) {
          if (node) node.replaceWith(made);
          else this.window.insertBefore(made, next);
          this.shown.set(at, made);
          node = made;
          fresh = true;
        }
      }
      next = node;
    }
    if (fresh) this.measure(first, last);
    this.before.style.setProperty("height", `${this.tops[first]}px`);
    this.after.style.setProperty("height", `${this.tops[this.blocks.length] - this.tops[last + 1]}px`);
    const wanted = this.tops[anchor] + within * ((this.tops[anchor + 1] - this.tops[anchor]) / Math.max(1, height));
    if (Math.abs(wanted - this.scroller.scrollTop) > 1) this.scroller.scrollTop = wanted;
    if (fresh) this.mark();
    this.tell();
  }

  /** Take the heights of the blocks in the page; the first ones also tell how high a letter of the others is, about. */
  measure(first, last) {
    let changed = false;
    let letters = 0;
    let pixels = 0;
    for (let at = first; at <= last; at += 1) {
      const node = this.shown.get(at);
      const block = this.blocks[at];
      if (!node || node.classList.contains("coming")) continue;
      const height = node.offsetHeight;
      if (Math.abs(height - (block.height || 0)) > 0.5) {
        block.height = height;
        changed = true;
      }
      letters += block.end - block.start;
      pixels += height;
    }
    if (!this.perCharacter && letters > 2000) this.perCharacter = pixels / letters;
    if (changed) this.measureAll();
  }

  tell() {
    const at = this.indexAt(this.scroller.scrollTop + Math.min(220, this.scroller.clientHeight / 3));
    if (at === this.current && this.told === this.blocks[at]) return;
    this.current = at;
    this.told = this.blocks[at];
    this.onPlace(this.blocks[at]);
  }

  makeBlock(block, height) {
    const text = this.textOf(block);
    if (text === null) {
      if (this.shown.get(this.blocks.indexOf(block))) return null;
      const coming = el("div", { class: "block coming", "aria-busy": "true" });
      coming.style.setProperty("height", `${height}px`);
      return coming;
    }
    const made = el("div", { class: "block" });
    if (block.page) {
      made.setAttribute("role", "group"); // hundreds of landmarks would be none
      made.setAttribute("aria-label", pageName(block.page));
      made.dataset.page = block.page.number;
      made.append(el("div", { class: "page-mark", "aria-hidden": "true", text: pageName(block.page) }));
    } else if (block.first && block.start > 0)
      made.append(el("div", { class: "page-mark unread", text: "not read yet" }));
    block.text = text;
    block.parts = [];
    const whole = visible(text);
    const pattern = /\n[^\S\n]*\n\s*/gu;
    let from = whole.length - whole.trimStart().length;
    while (from < whole.length) {
      pattern.lastIndex = from;
      const found = pattern.exec(whole);
      const to = found ? found.index : whole.length;
      const node = document.createTextNode(whole.slice(from, to));
      block.parts.push({ from, node });
      made.append(this.paragraph(block, from, node));
      from = found ? found.index + found[0].length : whole.length;
    }
    return made;
  }

  paragraph(block, from, node) {
    const at = block.start + codePointAt(block.text, from) + (block.shift ?? 0);
    const said = node.data;
    const heading = this.headings.get(at);
    if ((heading || at === 0) && said.length < 160)
      return el("p", { class: `heading level-${at === 0 ? 0 : Math.min(3, heading.level || 1)}`, dir: "auto" }, node);
    const lines = said.split("\n");
    const wrapped = lines.length > 2 && said.length / lines.length > 52;
    const kind = /\t|^\s*\|/u.test(said) ? "columns" : lines.length > 1 && !wrapped ? "lines" : "";
    return el("p", { class: kind, dir: "auto" }, node);
  }

  /** Return the text of a block; one that is no page begins and ends with a line where it can. */
  textOf(block) {
    if (block.page) return this.store.peek(block.start, block.end);
    const limit = this.blocks[this.blocks.length - 1].end;
    const text = this.store.peek(block.start, Math.min(block.end + LOOK, limit));
    if (text === null) return null;
    const head = block.first ? 0 : lineEnd(text, 0);
    const tail = block.end >= limit ? Infinity : lineEnd(text, STRETCH);
    block.shift = head;
    return codePoints(text, head, tail);
  }

  /** Show where these are: `[{start, end, kind}]`, with the kinds "quote" and "target". */
  setMarks(marks) {
    this.marks = marks;
    this.mark();
  }

  /** Show the passages that the reader has highlighted: `[{start, end}]`. */
  setHighlights(all) {
    this.highlights = all.map(({ start, end }) => ({ start, end, kind: "own" }));
    this.mark();
  }

  mark() {
    const byKind = { own: [], quote: [], target: [] };
    for (const node of this.window.querySelectorAll(".marked")) node.classList.remove("marked");
    for (const mark of [...this.highlights, ...this.marks]) {
      for (const range of this.rangesOf(mark.start, mark.end)) byKind[mark.kind].push(range);
    }
    if (globalThis.CSS?.highlights && globalThis.Highlight) {
      for (const [kind, ranges] of Object.entries(byKind)) CSS.highlights.set(kind, new Highlight(...ranges));
    } else {
      for (const range of Object.values(byKind).flat()) range.startContainer.parentElement.classList.add("marked");
    }
  }

  /** Return the ranges in the page that show the text between two offsets. */
  rangesOf(start, end) {
    const found = [];
    for (const at of this.shown.keys()) {
      const block = this.blocks[at];
      if (!block.parts || this.shown.get(at).classList.contains("coming")) continue;
      const from = block.start + (block.shift ?? 0);
      const a = unitAt(block.text, Math.max(0, start - from));
      const b = unitAt(block.text, Math.max(0, end - from));
      for (const { from: begin, node } of block.parts) {
        const low = Math.max(a, begin);
        const high = Math.min(b, begin + node.length);
        if (low >= high) continue;
        const range = document.createRange();
        range.setStart(node, low - begin);
        range.setEnd(node, high - begin);
        found.push(range);
      }
    }
    return found;
  }

  /** Scroll to an offset. With `end`, what lies between is highlighted and stands in the upper third of the window. */
  async goTo(offset, end = null) {
    if (!this.blocks.length) return;
    const block = this.blocks[this.indexOf(offset)];
    await this.store.load(block.start, Math.min(this.store.total, block.end + LOOK));
    if (end !== null)
      this.setMarks([...this.marks.filter((mark) => mark.kind !== "target"), { start: offset, end, kind: "target" }]);
    const at = this.indexOf(offset);
    this.scroller.scrollTop = this.tops[at];
    this.draw();
    for (let turn = 0; turn < 2; turn += 1) {
      const range = end === null && offset <= block.start ? null : this.rangesOf(offset, end ?? offset + 1)[0];
      if (range) {
        const gap = range.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top;
        this.scroller.scrollTop += gap - this.scroller.clientHeight * 0.28;
      } else this.scroller.scrollTop = this.tops[at];
      this.draw();
    }
  }

  /** Fetch the whole text in the background, if it is not very long. */
  async loadRest() {
    if (this.store.total <= FULL_SIZE) await this.store.loadAll(this.topOffset() ?? 0);
  }
}

/** Return the offset after the first line break at or after `from`, or a little later where there is none. */
function lineEnd(text, from) {
  const unit = unitAt(text, from);
  const found = text.indexOf("\n", unit);
  if (found < 0 || codePointAt(text, found) > from + LOOK - 2)
    return Math.min(codePointAt(text, text.length), from + LOOK - 1);
  return codePointAt(text, found) + 1;
}
