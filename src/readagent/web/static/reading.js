// The line above the panes: a reading that is under way, the offer to read, or what could not be read.

import { announce, button, complain, el, fill, problem } from "./dom.js";
import { isActive, part, post } from "./api.js";
import { counted } from "./format.js";
import { offerReading } from "./estimate.js";
import { jobParts } from "./jobs.js";
import { follow } from "./stream.js";

export class Reading {
  /** `room` has the document and its pages, which change while it is read. */
  constructor(root, room, status) {
    this.root = root;
    this.room = room;
    this.status = status;
  }

  close() {
    this.ending?.();
    this.ending = null;
  }

  /** Show a reading that is under way; if there is none, offer what can be done. */
  show(job) {
    this.close();
    this.job = job;
    if (isActive(job)) this.followJob();
    else if (this.room.doc.read !== "yes") this.offer();
    else this.offerRetry();
  }

  offer() {
    const { doc } = this.room;
    const offer = el("div", { class: "estimate", hidden: true });
    const close = () => (offer.hidden = true);
    const started = ([made]) => this.show(made);
    const begin = () => offerReading(offer, [doc], { isLocal: this.status.is_local, started, close });
    const start = this.status.read_only ? null : button("Read it\u2026", begin, { class: "small main" });
    const partly = "This text has been read only in part.";
    const text = doc.read === "partly" ? partly : "This text has not been read yet: a question reads it first.";
    const failed = this.job?.reason ? problem({ message: this.job.reason, hint: this.job.hint }) : null;
    this.root.hidden = false;
    fill(this.root, el("div", { class: "job-row" }, el("span", { text }), start), failed, offer);
  }

  /** Offer to read pages again for which the model returned nothing usable. */
  offerRetry() {
    const { doc } = this.room;
    this.root.hidden = !doc.failed_pages;
    const why = el("p", { class: "problem", role: "alert" });
    const retry = async () => {
      try {
        this.show(await post(`documents/${part(doc.id)}/readings`, { retry: true }));
      } catch (error) {
        complain(why, error);
      }
    };
    const again = this.status.read_only ? null : button("Read them again", retry, { class: "small" });
    const pages = counted(doc.failed_pages, "page");
    const text = `For ${pages} the model wrote no usable gist; the beginning of the page stands in its place.`;
    fill(this.root, el("div", { class: "job-row" }, el("span", { text }), again), why);
  }

  draw() {
    const changed = (job) => this.set({ ...this.job, ...job });
    fill(this.root, jobParts(this.job, changed, { readOnly: this.status.read_only }));
  }

  set(job) {
    this.job = job;
    this.draw();
  }

  followJob() {
    const { room, job } = this;
    this.root.hidden = false;
    this.draw();
    this.ending = follow(job.id, {
      begin: () => (this.anew = true), // the pages that are there stay until others are found
      state: (now) => this.set(now),
      progress: (progress) => {
        const step = quarter(progress);
        if (step > quarter(this.job.progress)) announce(`${25 * step}% read`);
        this.set({ ...this.job, progress });
      },
      page: (page) => this.addPage(page),
      gist: ({ start, text }) => {
        const page = room.pages.find((one) => one.start === start);
        if (page) room.setPage({ ...page, gist: text });
      },
      note: ({ text }) => announce(text),
      done: (ended) => this.ended(ended),
      gone: (error) => this.show({ ...job, state: "failed", reason: error.message, hint: error.hint }),
    });
  }

  /** Take a page that was found; pages are not found in order. */
  addPage(page) {
    if (this.anew) this.room.setAll([]);
    this.anew = false;
    const { pages } = this.room;
    const old = pages.find((one) => one.start === page.start);
    const found = {
      place: "",
      chapter: "",
      gist: old?.gist ?? null,
      gist_words: 0,
      pinned: false,
      gist_problem: "",
      ...page,
    };
    const all = [...pages.filter((one) => one.start !== page.start), found].sort((a, b) => a.start - b.start);
    this.room.takePages(all.map((one, number) => ({ ...one, number })));
  }

  async ended(job) {
    await this.room.reload();
    if (this.room.closed) return;
    this.show(job);
    announce(job.state === "done" ? "The text has been read." : `Reading ended: ${job.reason || job.state}`);
  }
}

const quarter = (progress) => Math.floor((4 * (progress?.done ?? 0)) / Math.max(1, progress?.total ?? 1));
