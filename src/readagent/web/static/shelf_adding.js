// Putting documents on a shelf: which ones, what reading them takes, and those that are on their way.

import { button, complain, dialog, el, fill, throttled, told } from "./dom.js";
import { get, isActive, part, put } from "./api.js";
import { subscribe } from "./changes.js";
import { counted } from "./format.js";
import { offerReading } from "./estimate.js";
import { jobParts } from "./jobs.js";

const OFFERED = 100; // documents to choose from

export class ShelfAdding {
  /** `view` has the name and the documents of the shelf, and `reload()`. */
  constructor(view, status) {
    this.view = view;
    this.status = status;
    this.root = el("ul", { class: "adding" });
    this.adds = new Map(); // the jobs that put documents on the shelf, and the lines that show them
    this.lines = new Map();
    const took = (job) => this.took(job);
    const progress = ({ job: id, ...now }) => this.adds.has(id) && this.took({ ...this.adds.get(id), progress: now });
    const begin = () => this.look().catch(() => {}); // the banner says that the connection is lost
    this.end = subscribe({ begin, state: took, done: took, progress });
  }

  close() {
    this.end();
  }

  async choose() {
    const here = new Set(this.view.shelf.documents.map((one) => one.id));
    const chosen = new Map();
    const why = el("p", { class: "problem", role: "alert" });
    const offer = el("div", { class: "estimate", hidden: true });
    const list = el("ul", { class: "choices" });
    const words = el("input", { type: "search", "aria-label": "Filter by title or file", placeholder: "Filter by title or file", autocomplete: "off" });
    const choice = (one, at) => {
      const change = () => {
        if (box.checked) chosen.set(one.id, one);
        else chosen.delete(one.id);
        offer.hidden = true; // the estimate was for another choice
        add.hidden = false;
      };
      const box = el("input", { type: "checkbox", id: `add-${at}`, on: { change } });
      box.checked = chosen.has(one.id);
      const first = one.read === "yes" ? "" : el("span", { class: "facts", text: " will be read first" });
      return el("li", {}, el("label", { for: box.id }, box, " ", told("bdi", one.title), first));
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
    const add = button("Add", () => this.add([...chosen.values()], { shown, offer, add }).catch((error) => complain(why, error)), { class: "main" });
    await find();
    const shown = dialog("Add documents", words, list, why, offer, el("div", { class: "buttons" }, add));
  }

  /** Put documents on the shelf; for those that are not read, with an estimate first. */
  async add(chosen, { shown, offer, add }) {
    const unread = chosen.filter((one) => one.read !== "yes");
    const begin = (one) => put(`shelves/${part(this.view.name)}/documents/${part(one.id)}`);
    const finish = async () => {
      for (const one of chosen) if (!unread.includes(one)) this.follow(await begin(one));
      shown.close();
    };
    if (!unread.length) return finish();
    add.hidden = true;
    return offerReading(offer, unread, {
      isLocal: this.status.is_local,
      label: `Read ${counted(unread.length, "document")} and add`,
      begin,
      started: (jobs) => {
        for (const job of jobs) this.follow(job);
        return finish();
      },
      close: () => {
        offer.hidden = true;
        add.hidden = false;
      },
    });
  }

  /** Show a document that is being put on the shelf. */
  follow(job) {
    this.adds.set(job.id, job);
    this.draw();
    this.look().catch(() => {}); // it may have ended before anybody listened
  }

  draw() {
    for (const [id, line] of this.lines)
      if (!this.adds.has(id)) {
        line.node.remove();
        this.lines.delete(id);
      }
    for (const job of this.adds.values()) {
      if (!this.lines.has(job.id)) {
        const box = el("div", { class: "job" });
        const node = el("li", {}, told("p", job.subject, { class: "facts" }), box);
        this.lines.set(job.id, { node, box });
        this.root.append(node);
      }
      const line = this.lines.get(job.id);
      const key = JSON.stringify(job);
      if (line.key === key) continue;
      line.key = key;
      const changed = (now) => this.took({ ...job, ...now });
      fill(line.box, jobParts(job, changed, { readOnly: this.status.read_only }));
    }
  }

  /** Take what has become of a document that is being put on the shelf; one that is there leaves the list. */
  took(job) {
    if (!this.adds.has(job.id)) return;
    if (isActive(job) || job.state === "failed") this.adds.set(job.id, job);
    else this.adds.delete(job.id);
    this.draw();
    if (!isActive(job)) this.view.reload();
  }

  /** Look at what has become of all of them. */
  async look() {
    if (!this.adds.size) return;
    const jobs = new Map((await get(`jobs?shelf=${part(this.view.name)}`)).map((job) => [job.id, job]));
    for (const id of this.adds.keys()) if (jobs.has(id)) this.took(jobs.get(id));
  }
}
