// A document in the list of the library: what it is, how far it is read, and what can be done with it.

import { button, complain, el, fill, told } from "./dom.js";
import { dialog } from "./dialog.js";
import { isActive, part, put } from "./api.js";
import { count, counted, fileOf, when } from "./format.js";
import { jobParts } from "./jobs.js";

const SVG = "http://www.w3.org/2000/svg";

export class DocumentRow {
  /** `list` has `read(row)`, `shelve(documents)`, `tag(documents)`, `remove(documents)`, `choose(document, isChosen)` and `took(job)`. */
  constructor(document, list, readOnly) {
    this.list = list;
    this.readOnly = readOnly;
    this.link = el("a", { href: `#/documents/${part(document.id)}`, class: "title" });
    this.file = told("p", "", { class: "file" });
    this.facts = el("p", { class: "facts" });
    this.state = el("div", { class: "state-box" });
    this.offer = el("div", { class: "estimate", hidden: true });
    this.jobBox = el("div", { class: "job" });
    this.box = el("input", { type: "checkbox", "aria-label": `Choose ${document.title}` });
    this.box.addEventListener("change", () => list.choose(this.document, this.box.checked));
    const act = (label, action, about) => button(label, action, { class: "small quiet-button", "aria-label": about });
    const menu = el(
      "div",
      { class: "row-buttons" },
      act("Shelf\u2026", () => list.shelve([this.document]), `Put ${document.title} on a shelf`),
      act("Tag\u2026", () => list.tag([this.document]), `Tag ${document.title}`),
      act("Rename\u2026", () => this.rename(), `Rename ${document.title}`),
      act("Remove", () => list.remove([this.document]), `Remove ${document.title}`),
    );
    this.node = el(
      "li",
      { class: "document" },
      readOnly ? null : this.box,
      el("div", { class: "document-main" }, el("h2", {}, this.link), this.file, this.facts),
      el("div", { class: "document-side" }, readOnly ? null : menu, this.state),
      this.jobBox,
      this.offer,
    );
  }

  /** Show a document, the job that reads it if there is one, and whether it is chosen. */
  show(document, job, chosen) {
    this.box.checked = chosen;
    const key = JSON.stringify([document, job]);
    if (this.key === key) return;
    [this.key, this.document] = [key, document];
    fill(this.link, told("bdi", document.title || "Untitled"));
    this.link.title = document.title;
    const file = fileOf(document);
    this.file.hidden = !file;
    fill(this.file, told("bdi", file));
    const facts = [
      document.format,
      `${count(document.words)} words`,
      document.pages ? counted(document.pages, "page") : "",
      document.questions ? counted(document.questions, "question") : "",
      document.added ? `added ${when(document.added)}` : "",
    ];
    const failed = document.failed_pages ? ` \u00b7 ${counted(document.failed_pages, "page")} failed` : "";
    fill(
      this.facts,
      el("span", { text: facts.filter(Boolean).join(" \u00b7 ") }),
      document.tags.map((tag) => told("span", tag, { class: "tag" })),
      failed ? el("span", { class: "problem", text: failed }) : null,
    );
    this.showJob(job);
  }

  showJob(job) {
    const { document } = this;
    const active = isActive(job);
    this.jobBox.hidden = !active && !(["failed", "stopped"].includes(job?.state) && document.read !== "yes");
    if (!this.jobBox.hidden)
      fill(this.jobBox, jobParts(job, (changed) => this.list.took(changed), { readOnly: this.readOnly }));
    if (active) this.offer.hidden = true;
    const partly = document.read === "partly";
    const words = { yes: "Read", partly: "Partly read", no: "Not read" }[document.read];
    const go = button(partly ? "Go on reading\u2026" : "Read\u2026", () => this.list.read(this), {
      class: "small",
      "aria-label": `Read ${document.title}: estimate first`,
    });
    if (active) fill(this.state);
    else if (document.read === "yes")
      fill(this.state, el("span", { class: "read-state yes" }, icon("M3 8.5 6.5 12 13 4.5"), words));
    else
      fill(
        this.state,
        partly || this.readOnly ? el("span", { class: `read-state ${document.read}`, text: words }) : null,
        this.readOnly ? null : go,
      );
  }

  rename() {
    const { document, list } = this;
    const why = el("p", { class: "problem", role: "alert" });
    const title = el("input", { type: "text", id: "new-title", value: document.title, maxlength: 200, autocomplete: "off", dir: "auto" });
    const submit = async (event) => {
      event.preventDefault();
      try {
        await put(`documents/${part(document.id)}/title`, { title: title.value });
        shown.close();
        list.changed();
      } catch (error) {
        complain(why, error);
      }
    };
    const label = el("label", { class: "away", for: "new-title", text: "Title" });
    const buttons = el("div", { class: "buttons" }, el("button", { class: "main", text: "Rename" }));
    const shown = dialog("Rename the document", el("form", { class: "paste", on: { submit } }, label, title, why, buttons));
    title.select();
  }
}

/** Make a simple icon from SVG path data. */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}
