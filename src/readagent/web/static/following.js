// What happens to the text of an open reading room elsewhere: readings, questions, edited gists, and that it grows.

import { get, isActive, part } from "./api.js";
import { subscribe } from "./changes.js";
import { throttled } from "./dom.js";

const EVERY = 500; // milliseconds between looks, at least
const LATER = 3000;

export class Following {
  /** `room` shows a document. It is looked at when the server says that something has happened. */
  constructor(room) {
    this.room = room;
    this.look = throttled(() => this.compare().catch((error) => this.failed(error)), EVERY);
    const ours = (job) => job.document === room.id && this.look();
    this.end = subscribe({ begin: this.look, library: this.look, state: ours, done: ours });
  }

  close() {
    this.closed = true;
    this.look.cancel();
    this.end();
  }

  failed(error) {
    if (error.status === 404 && !this.closed) this.room.gone(error); // else the banner says that the connection is lost
  }

  /** Show what has changed. */
  async compare() {
    const { room } = this;
    const [doc, jobs] = await Promise.all([get(`documents/${part(room.id)}`), get(`jobs?document=${part(room.id)}`)]);
    if (this.closed) return;
    if (doc.id !== room.id) return room.grown(doc);
    const own = jobs.filter((job) => job.document === room.id && isActive(job));
    const reading = own.find((job) => job.kind === "read");
    const asked = own.find((job) => job.kind === "ask");
    const { state, questions } = room.doc;
    if (reading && !isActive(room.reading?.job)) await room.showReading(reading);
    else if (doc.state !== state && !isActive(room.reading?.job)) {
      if (room.map.form) return setTimeout(this.look, LATER); // a gist is being edited here
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
