// Documents that come onto a shelf: choosing them, and reading those that were not read.

import { button, complain, el, fill, throttled, told } from "./dom.js";
import { dialog } from "./dialog.js";
import { get, isActive, part, put } from "./api.js";
import { subscribe } from "./changes.js";
import { counted } from "./format.js";
import { jobParts } from "./jobs.js";

const OFFERED = 100; // documents to choose from

export class ShelfAdding {
  /** `view` has the name and the documents of the shelf, and `reload()`. */
  constructor(view, status) {
    this.view = view;
    this.status = status;
    this.root = el("div", { class: "waiting", hidden: true });
    this.offer = el("div", { class: "estimate", hidden: true });
    this.boxes = new Map(); // what is said of each document that waits
    this.jobs = new Map(); // that read these, by document
    this.look = throttled(() => view.reload().catch(() => {}), 800); // the banner says that the connection is lost
    const took = (job) => this.took(job);
    const progress = ({ job: id, ...now }) => {
      const job = [...this.jobs.values()].find((one) => one.id === id);
      if (job) this.took({ ...job, progress: now });
    };
    this.end = subscribe({ begin: this.look, library: this.look, state: took, done: took, progress });
  }

  close() {
    this.look.cancel();
    this.end();
  }

  async choose() {
    const { documents, waiting } = this.view.shelf;
    const here = new Set([...documents, ...waiting].map((one) => one.id));
    const chosen = new Map();
    const why = el("p", { class: "problem", role: "alert" });
    const list = el("ul", { class: "choices" });
    const words = el("input", { type: "search", "aria-label": "Filter by title or file", placeholder: "Filter by title or file", autocomplete: "off" });
    const choice = (one, at) => {
      const change = () => (box.checked ? chosen.set(one.id, one) : chosen.delete(one.id));
      const box = el("input", { type: "checkbox", id: `add-${at}`, on: { change } });
      box.checked = chosen.has(one.id);
      const state = one.read === "yes" ? "" : el("span", { class: "facts", text: " not read" });
      return el("li", {}, el("label", { class: "check", for: box.id }, box, el("span", {}, told("bdi", one.title), state)));
    };
    const find = async () => {
      const found = await get(`library?limit=${OFFERED}&sort=title&q=${part(words.value)}`);
      const others = found.documents.filter((one) => !here.has(one.id));
      const more = found.found - found.documents.length;
      fill(
        list,
        others.length ? others.map(choice) : el("li", { class: "quiet", text: "No documents that are not on this shelf." }),
        more ? el("li", { class: "quiet", text: `${counted(more, "more document")}: filter them` }) : null,
      );
    };
    words.addEventListener("input", throttled(() => find().catch((error) => complain(why, error)), 250));
    const add = async () => {
      try {
        for (const id of chosen.keys()) await put(`shelves/${part(this.view.name)}/documents/${part(id)}`);
        shown.close();
        await this.view.reload();
      } catch (error) {
        complain(why, error);
      }
    };
    await find();
    const shown = dialog("Add documents", words, list, why, el("div", { class: "buttons" }, button("Add", add, { class: "main" })));
  }

  /** Say how many documents wait, and offer to read them. */
  draw(waiting) {
    const unread = waiting.filter((one) => one.read !== "yes" && !isActive(this.jobs.get(one.id)));
    this.root.hidden = !unread.length;
    const label = unread.length > 1 ? `Read ${counted(unread.length, "document")}\u2026` : "Read it\u2026";
    const read = this.status.read_only ? null : button(label, () => this.offerReading(unread), { class: "small" });
    const text = `${counted(unread.length, "document")} not read: questions leave ${unread.length > 1 ? "them" : "it"} out.`;
    fill(this.root, el("div", { class: "job-row" }, el("span", { text }), read), this.offer);
  }

  async offerReading(unread) {
    const { offerReading } = await import("./estimate.js");
    const close = () => (this.offer.hidden = true);
    const started = (jobs) => {
      close();
      jobs.forEach((job) => this.took(job));
      this.draw(this.view.shelf.waiting);
    };
    await offerReading(this.offer, unread, { isLocal: this.status.is_local, started, close });
  }

  /** Return what is said of a document that waits. */
  state(one) {
    const box = el("div", { class: "job" });
    this.boxes.set(one.id, box);
    this.drawState(one);
    return box;
  }

  drawState(one) {
    const job = this.jobs.get(one.id);
    const said = { no: "Not read yet", partly: "Read in part", yes: "Read; it is described with the next question" }[one.read];
    const isShown = isActive(job) || job?.state === "failed";
    const parts = isShown && jobParts(job, (now) => this.took({ ...job, ...now }), { readOnly: this.status.read_only });
    fill(this.boxes.get(one.id), parts || el("p", { class: "facts", text: said }));
  }

  /** Take what has become of the reading of a document. */
  took(job) {
    const one = this.view.shelf?.waiting.find(({ id }) => id === job.document);
    if (!one || job.kind !== "read") return;
    this.jobs.set(one.id, job);
    this.drawState(one);
    if (!isActive(job)) this.look();
  }
}
