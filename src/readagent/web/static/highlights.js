// Passages that the reader selects in the text: highlighted, copied with their citation, asked about.

import { announce, button, el, fill, problem, told, visible } from "./dom.js";
import { get, part, put, remove } from "./api.js";
import { fileOf, placeOf } from "./format.js";
import { codePointAt } from "./text_store.js";

/** Return a passage with where it is from, for the clipboard: its speaker, place, document and file or address. */
export function cited({ text, speaker, place, page }, doc) {
  const file = fileOf(doc);
  const said = visible(text.replace(/\s+/gu, " ").trim());
  return `\u201c${said}\u201d (${doc.title || "Untitled"}, ${placeOf({ speaker, place, page })}${file && `, ${file}`})`;
}

export class Highlights {
  /** `room` has `id`, `doc`, `text`, `talk` and `goOffset(start, end)`. */
  constructor(room, { readOnly }) {
    this.room = room;
    this.readOnly = readOnly;
    this.all = [];
    this.tools = el("div", { class: "selection-tools", role: "toolbar", "aria-label": "The selected passage", hidden: true });
    this.tools.addEventListener("pointerdown", (event) => event.preventDefault()); // so that the text stays selected
    room.text.scroller.append(this.tools);
    this.look = () => this.offer();
    document.addEventListener("selectionchange", this.look);
  }

  close() {
    document.removeEventListener("selectionchange", this.look);
    this.tools.remove();
  }

  address(more) {
    return `documents/${part(this.room.id)}/${more}`;
  }

  async load() {
    this.take(await get(this.address("highlights")).catch(() => []));
    this.offer();
  }

  take(all) {
    this.all = all;
    this.room.text.setHighlights(all);
    this.room.drawTabs();
    if (this.root?.isConnected) this.draw(this.root);
  }

  /** Return a passage with the number of its page, which is where it is if the source has no places. */
  onPage(one) {
    return { ...one, page: this.room.pages.find((page) => page.start <= one.start && one.start < page.end)?.number };
  }

  /** Highlight what is selected, or else the passage that was gone to. */
  add() {
    const target = this.room.text.marks.find(({ kind }) => kind === "target");
    const span = this.span ?? target;
    if (span && !this.readOnly) this.change(put, span);
  }

  /** Offer what can be done with the selected text, if some is. */
  offer() {
    const selected = getSelection();
    const span = selected.isCollapsed || !selected.rangeCount ? null : offsetsOf(this.room.text, selected.getRangeAt(0));
    this.tools.hidden = !span;
    this.span = span;
    if (!span) return;
    const same = this.all.find((one) => one.start < span.end && span.start < one.end);
    fill(
      this.tools,
      this.readOnly ? null : same ? button("Remove highlight", () => this.change(remove, same), { class: "small" }) : button("Highlight", () => this.change(put, span), { class: "small" }),
      button("Copy with citation", () => this.copy(span), { class: "small" }),
      this.readOnly ? null : button("Ask about it", () => this.ask(selected.toString()), { class: "small" }),
    );
  }

  async change(how, { start, end }) {
    try {
      this.take(await how(this.address(`highlights/${start}-${end}`)));
      announce(how === put ? "Highlighted" : "The highlight is removed");
      getSelection().empty();
    } catch (error) {
      fill(this.tools, problem(error));
    }
  }

  async copy({ start, end }) {
    try {
      await navigator.clipboard?.writeText(cited(this.onPage(await get(this.address(`passages/${start}-${end}`))), this.room.doc));
      announce("Copied with its citation");
    } catch (error) {
      fill(this.tools, problem(error));
    }
  }

  ask(text) {
    this.room.showPane("talk");
    this.room.talk.form.question.value = `What does this mean: \u201c${text.replace(/\s+/gu, " ").trim()}\u201d?`;
    this.room.talk.focus();
  }

  /** List all highlights. */
  draw(root) {
    this.root = root;
    const limit = this.room.upTo() ?? Infinity;
    const item = (one) =>
      el(
        "li",
        {},
        button(told("span", one.text.replace(/\s+/gu, " "), { class: "quote-text" }), () => this.room.goOffset(one.start, one.end), { class: "quote" }),
        el(
          "p",
          { class: "answer-facts" },
          told("bdi", placeOf(this.onPage(one))),
          button("Copy with citation", () => this.copy(one), { class: "link" }),
          this.readOnly ? null : button("Remove", () => this.change(remove, one), { class: "link" }),
        ),
      );
    const shown = this.all.filter((one) => one.end <= limit);
    fill(root, shown.length ? el("ol", { class: "overview highlights" }, shown.map(item)) : el("p", { class: "overview quiet", text: "Nothing is highlighted here. Select a passage of the text." }));
  }
}

/** Return the offsets of what a range has of the text: `{start, end}`; null if it is elsewhere. */
function offsetsOf(pane, range) {
  if (!pane.scroller.contains(range.commonAncestorContainer)) return null;
  const found = [];
  for (const at of [...pane.shown.keys()].sort((one, other) => one - other)) {
    const block = pane.blocks[at];
    for (const { from, node } of block.parts ?? []) {
      if (!range.intersectsNode(node)) continue;
      const low = node === range.startContainer ? range.startOffset : 0;
      const high = node === range.endContainer ? range.endOffset : node.length;
      const first = block.start + (block.shift ?? 0);
      if (low < high) found.push([first + codePointAt(block.text, from + low), first + codePointAt(block.text, from + high)]);
    }
  }
  return found.length ? { start: found[0][0], end: found.at(-1)[1] } : null;
}
