// What happens to the text of an open reading room elsewhere: readings, questions, edited gists, and that it grows.

import { get, isActive, isReading, part } from "./api.js";

const EVERY = 3000; // milliseconds between looks

export class Following {
  /** `room` shows a document. It is looked at again and again; a hidden page looks when it is shown again. */
  constructor(room) {
    this.room = room;
    this.seen = () => document.hidden || this.look(0);
    document.addEventListener("visibilitychange", this.seen);
    this.look(0);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.seen);
  }

  look(wait) {
    clearTimeout(this.timer);
    if (this.closed) return;
    this.timer = setTimeout(async () => {
      if (document.hidden) return;
      try {
        await this.compare();
      } catch (error) {
        if (error.status === 404 && !this.closed) return this.room.gone(error);
        // else the banner says that the connection is lost
      }
      this.look(EVERY);
    }, wait);
  }

  /** Show what has changed. */
  async compare() {
    const { room } = this;
    const [doc, jobs] = await Promise.all([get(`documents/${part(room.id)}`), get("jobs")]);
    if (this.closed) return;
    if (doc.id !== room.id) return room.grown(doc);
    const own = jobs.filter((job) => job.document === room.id && isActive(job));
    const reading = own.find((job) => isReading(job, doc));
    const asked = own.find((job) => job.kind === "ask");
    const { state, questions } = room.doc;
    if (reading && !isActive(room.reading?.job)) await room.showReading(reading);
    else if (doc.state !== state && !isActive(room.reading?.job)) {
      if (room.map.form) return; // a gist is being edited here; later
      await room.reload();
      if (room.reading || doc.failed_pages) await room.showReading(null);
    }
    if (this.closed || room.talk.live) return;
    if (asked) room.talk.followJob(asked);
    else if (doc.questions !== questions || doc.state !== state) {
      await room.talk.refresh(doc.state !== state);
      room.doc.questions = doc.questions;
    }
  }
}
