// The head of the reading room: the title, chapters, the reading position and exports.

import { button, el, fill, told } from "./dom.js";
import { address, part } from "./api.js";
import { count, counted, isRecorded, pageName } from "./format.js";

const FORMATS = [
  ["markdown", "Markdown"],
  ["html", "Web page"],
  ["json", "JSON"],
];

export class RoomHead {
  /** `go.position(number)`, `go.chapter(start)` and `go.print()` are called for what somebody chooses. */
  constructor(id, go) {
    this.title = el("h1", { class: "room-title", dir: "auto" });
    this.facts = el("p", { class: "facts" });
    this.slider = el("input", { type: "range", min: 0, max: 1, value: 1, id: "position" });
    this.slider.addEventListener("input", () => go.position(Number(this.slider.value)));
    this.sliderText = el("output", { class: "position-text", for: "position" });
    this.chapters = el("select", { class: "chapters", "aria-label": "Go to chapter", hidden: true });
    this.chapters.addEventListener("change", () => {
      if (this.chapters.value !== "") go.chapter(Number(this.chapters.value));
      this.chapters.value = "";
    });
    const label = el("label", { for: "position", text: "Read up to" });
    const position = el("div", { class: "position" }, label, this.slider, this.sliderText);
    const name = el("div", { class: "room-name" }, this.title, this.facts);
    this.id = id;
    this.links = FORMATS.map(([format, text]) => el("a", { download: true, text, data: { format } }));
    const tools = el("div", { class: "room-tools" }, this.chapters, position, exportMenu(this.links, go.print));
    this.root = el("header", { class: "room-head" }, name, tools);
  }

  /** Show a document with its pages; `known` says how much of it may be shown. */
  show(doc, pages, chapters, known) {
    fill(this.title, told("bdi", doc.title || "Untitled"));
    this.title.title = doc.source;
    const read = pages.length ? counted(pages.length, "page") : "not read yet";
    this.facts.textContent = [doc.format, `${count(doc.words)} words`, read, isRecorded(doc.model) ? "gists recorded" : ""].filter(Boolean).join(" \u00b7 ");
    const shown = chapters.filter((one) => one.start < (known.place ?? Infinity));
    this.chapters.hidden = shown.length < 2;
    fill(this.chapters, el("option", { value: "", text: "Chapters" }), shown.map(chapterOption));
    this.slider.max = Math.max(1, pages.length - 1);
    this.slider.value = known.position ?? this.slider.max;
    this.slider.disabled = pages.length < 2;
    this.drawPosition(pages, known);
  }

  drawPosition(pages, { place, position, total }) {
    const all = place === null;
    const share = `${Math.round((100 * place) / Math.max(1, total))}%`;
    const page = all || pages[position]?.end !== place ? null : pages[position]; // after another reading it may be within one
    this.sliderText.textContent = all ? "everything" : page ? `${pageName(page)} (${share})` : share;
    const shown = page ? `page ${position + 1} of ${pages.length}` : `${share} of the text`;
    this.slider.setAttribute("aria-valuetext", all ? "everything" : `${shown}; the rest is hidden`);
    const end = all ? "" : `&up_to=${place}`; // what is hidden is not exported
    for (const link of this.links)
      link.href = address(`documents/${part(this.id)}/export?format=${link.dataset.format}${end}`);
    this.slider.style.setProperty("--share", `${all ? 100 : (100 * Math.max(0, position)) / Math.max(1, pages.length - 1)}%`);
  }
}

function chapterOption(one) {
  return told("option", `${"\u2003".repeat(Math.max(0, one.level - 1))}${one.title}`, { value: String(one.start) });
}

function exportMenu(links, print) {
  const refusal = el("div", { class: "export-problem" });
  const list = el("div", { class: "menu-list" }, links, button("Print", print, { class: "plain" }), refusal);
  for (const link of links)
    link.addEventListener("click", async (event) => {
      event.preventDefault();
      (await import("./download.js")).download(link.href, refusal);
    });
  const menu = el("details", { class: "menu" }, el("summary", { text: "Export" }), list);
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(event.relatedTarget)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    menu.firstElementChild.focus();
  });
  return menu;
}
