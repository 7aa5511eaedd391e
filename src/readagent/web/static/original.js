// The original next to its text: pages of a PDF as pictures, with the passage that is looked at marked on its page.

import { announce, button, el, fill, problem } from "./dom.js";
import { get, part } from "./api.js";

export class Original {
  /** `room` has `id`, `doc` and `upTo()`. */
  constructor(room) {
    this.room = room;
    this.shown = null;
    this.large = false;
  }

  /** Draw the page that is shown, or that on which the text stands that is read now. */
  draw(root) {
    this.root = root;
    if (!this.room.doc.original) return fill(root, notKept());
    if (this.room.upTo() !== null) {
      const why = "The original shows more than you have read so far. Choose “everything” above the text to see it.";
      return fill(root, el("p", { class: "overview quiet", text: why }));
    }
    const target = this.room.text.marks.find(({ kind }) => kind === "target");
    if (target) return this.load(target, true);
    const here = Math.round(this.room.text.topOffset() ?? 0);
    return this.load({ start: here, end: here + 400 });
  }

  /** Show a page by its number, or that of a passage, which is then marked if it is a quote. */
  async load({ page = 0, start = 0, end = 0 }, marked = false) {
    if (!this.room.doc.original || this.room.upTo() !== null) return;
    this.turn = (this.turn ?? 0) + 1;
    const mine = this.turn;
    if (!this.shown) fill(this.root, el("p", { class: "overview quiet", text: "Drawing the page\u2026" }));
    try {
      const found = await get(`documents/${part(this.room.id)}/original?${new URLSearchParams({ page, start, end })}`);
      if (mine !== this.turn || this.room.tab !== "original") return;
      this.shown = { ...found, lines: marked ? found.lines : [] };
      this.show();
      announce(`Page ${found.page + 1} of the original`);
    } catch (error) {
      if (mine === this.turn && this.room.tab === "original") fill(this.root, problem(error));
    }
  }

  show() {
    const { page, pages, width, height, lines, png } = this.shown;
    const step = (by, label, sign) => button(sign, () => this.load({ page: page + by }), { class: "small", "aria-label": label, disabled: page + by < 0 || page + by >= pages });
    const size = (now) => {
      this.large = now;
      this.show();
    };
    const tools = el(
      "div",
      { class: "overview-tools" },
      step(-1, "Previous page", "\u2190"),
      el("span", { class: "facts", text: `Page ${page + 1} of ${pages}` }),
      step(1, "Next page", "\u2192"),
      button(this.large ? "Smaller" : "Larger", () => size(!this.large), { class: "small" }),
    );
    const picture = el("img", { src: `data:image/png;base64,${png}`, width, height, alt: `Page ${page + 1} of the original; the text of it is in the pane of the text` });
    const marks = lines.map(([left, top, right, bottom]) => {
      const mark = el("span", { class: "sheet-mark", "aria-hidden": "true" });
      for (const [name, value] of Object.entries({ left, top, width: right - left, height: bottom - top })) mark.style.setProperty(name, `${100 * value}%`);
      return mark;
    });
    const sheet = el("div", { class: this.large ? "sheet large" : "sheet" }, picture, marks);
    fill(this.root, tools, el("div", { class: "sheet-box" }, sheet));
    marks[0]?.scrollIntoView({ block: "center", inline: "center" });
  }
}

function notKept() {
  return el(
    "div",
    { class: "offer" },
    el("p", { text: "The PDF itself was not kept: only PDFs that are uploaded on this page are." }),
    el("p", { class: "quiet", text: "Add the same file to the library once more; its text, answers and notes stay as they are." }),
  );
}
