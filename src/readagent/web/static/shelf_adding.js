// Putting documents on a shelf: which ones, what reading them takes, and those that are on their way.

import { button, complain, dialog, el, fill, told } from "./dom.js";
import { get, isActive, part, put } from "./api.js";
import { counted } from "./format.js";
import { offerReading } from "./estimate.js";
import { jobParts } from "./jobs.js";

const EVERY = 1200; // milliseconds between looks at what is being added

export class ShelfAdding {
  /** `view` has the name and the documents of the shelf, and `reload()`. */
  constructor(view, status) {
    this.view = view;
    this.status = status;
    this.root = el("ul", { class: "adding" });
    this.adds = new Map(); // the jobs that put documents on the shelf, and the lines that show them
    this.lines = new Map();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
  }

  async choose() {
    if (!this.view.shelf) return;
    const here = new Set(this.view.shelf.documents.map((one) => one.id));
    const others = (await get("documents")).filter((one) => !here.has(one.id));
    const boxes = others.map((one, at) => [one, el("input", { type: "checkbox", id: `add-${at}` })]);
    const why = el("p", { class: "problem", role: "alert" });
    const offer = el("div", { class: "estimate", hidden: true });
    const begin = (one) => put(`shelves/${part(this.view.name)}/documents/${part(one.id)}`);
    const addAll = async (documents) => {
      for (const one of documents) this.follow(await begin(one));
    };
    const add = button(
      "Add",
      async () => {
        const chosen = boxes.filter(([, box]) => box.checked).map(([one]) => one);
        const unread = chosen.filter((one) => one.read !== "yes");
        try {
          if (!unread.length) {
            await addAll(chosen);
            return shown.close();
          }
          add.hidden = true;
          return await offerReading(offer, unread, {
            isLocal: this.status.is_local,
            label: `Read ${counted(unread.length, "document")} and add`,
            begin,
            started: async (jobs) => {
              for (const job of jobs) this.follow(job);
              await addAll(chosen.filter((one) => !unread.includes(one)));
              shown.close();
            },
            close: () => {
              offer.hidden = true;
              add.hidden = false;
            },
          });
        } catch (error) {
          return complain(why, error);
        }
      },
      { class: "main" },
    );
    for (const [, box] of boxes)
      box.addEventListener("change", () => {
        offer.hidden = true; // the estimate was for another choice
        add.hidden = false;
      });
    const shown = dialog(
      "Add documents",
      others.length
        ? el(
            "ul",
            { class: "choices" },
            boxes.map(([one, box]) =>
              el(
                "li",
                {},
                el(
                  "label",
                  { for: box.id },
                  box,
                  " ",
                  told("bdi", one.title),
                  one.read === "yes" ? "" : el("span", { class: "facts", text: " will be read first" }),
                ),
              ),
            ),
          )
        : el("p", { class: "quiet", text: "All documents of the library are on this shelf." }),
      why,
      offer,
      others.length ? el("div", { class: "buttons" }, add) : null,
    );
  }

  /** Show a document that is being put on the shelf. */
  follow(job) {
    this.adds.set(job.id, job);
    this.draw();
    this.look();
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
      const changed = (now) => {
        this.adds.set(job.id, { ...job, ...now });
        this.draw();
        this.look(0);
      };
      fill(line.box, jobParts(job, changed, { readOnly: this.status.read_only }));
    }
  }

  /** Look again and again while documents are being put on the shelf; those that are there leave the list. */
  look(wait = EVERY) {
    clearTimeout(this.timer);
    if (this.closed || ![...this.adds.values()].some((job) => job.state !== "failed")) return;
    this.timer = setTimeout(async () => {
      try {
        const jobs = new Map((await get("jobs")).map((job) => [job.id, job]));
        const ended = [...this.adds.keys()].filter((id) => !isActive(jobs.get(id)));
        for (const id of this.adds.keys()) {
          const job = jobs.get(id);
          if (isActive(job) || job?.state === "failed") this.adds.set(id, job);
          else this.adds.delete(id);
        }
        if (ended.length) await this.view.reload();
        if (this.closed) return;
        this.draw();
      } catch {
        // the banner says that the connection is lost
      }
      this.look();
    }, wait);
  }
}
