// A question that is being answered: it is sent, and what arrives is shown until the answer is there.

import { announce, el, fill, told, visible } from "./dom.js";
import { isActive, part, post, remove } from "./api.js";
import { unanswered } from "./jobs.js";
import { pageName } from "./format.js";
import { question } from "./talk.js";
import { follow } from "./stream.js";

export class Asking {
  /** `talk` has the form, the log and the answers. */
  constructor(talk) {
    this.talk = talk;
    this.live = null;
  }

  close() {
    this.ending?.();
  }

  async submit(asked) {
    if (this.live) return;
    if (this.talk.room.doc.read !== "yes" && !asked.read) return this.offerReading(asked);
    asked = { ...asked, up_to: this.talk.room.upTo() };
    const known = this.talk.answers.filter((one) => !this.talk.hiddenAfter(one)).slice(-4);
    if (this.talk.followUp.checked && known.length) asked.history = known.map((one) => one.id);
    this.start(asked.question);
    try {
      const job = await post(`documents/${part(this.talk.room.id)}/questions`, asked);
      this.talk.form.clear();
      this.followJob(job);
    } catch (error) {
      this.fail(error, asked);
    }
  }

  /** Offer to read the text, which a question needs, and to answer the question then. */
  async offerReading(asked) {
    const { offerReading } = await import("./estimate.js");
    const offer = el("div", { class: "estimate" });
    const text = el("p", { class: "note", text: "This text has to be read first; the question is answered then." });
    const node = el("article", { class: "exchange" }, question(asked.question), el("div", { class: "answer-body" }, text, offer));
    const close = () => node.remove();
    this.talk.log.querySelector(".empty")?.remove();
    this.talk.log.append(node);
    node.scrollIntoView({ block: "nearest" });
    await offerReading(offer, [this.talk.room.doc], {
      isLocal: this.talk.room.app.status.is_local,
      label: "Read it and answer",
      begin: async () => {
        close();
        await this.submit({ ...asked, read: true });
      },
      started: () => {},
      close,
    });
  }

  /** Show that a question is being answered. */
  start(asked) {
    this.liveText = "";
    this.liveParts = null;
    this.talk.ready([]).then(() => (this.liveParts = this.live && new this.talk.kit.Growing(() => this.live && this.liveDraw())), () => {});
    this.liveNotes = el("ul", { class: "steps" });
    this.liveSaid = el("div", { class: "said streaming" });
    this.liveNode = el(
      "p",
      { class: "working" },
      el("span", { class: "dots", "aria-hidden": "true" }),
      el("span", { text: "Looking through the gists\u2026" }),
    );
    this.live = el(
      "article",
      { class: "exchange live", "aria-busy": "true" },
      question(asked),
      el("div", { class: "answer-body" }, this.liveNode, this.liveNotes, this.liveSaid),
    );
    this.talk.form.send.disabled = true;
    this.talk.stopper.hidden = false;
    this.talk.room.opened([], false);
    this.talk.room.quotes([]);
    this.talk.stays = false;
    this.talk.draw();
  }

  followJob(job) {
    if (!this.live) this.start(job.request.question);
    this.job = job;
    this.liveText = "";
    const seen = new Set();
    this.ending?.();
    this.ending = follow(job.id, {
      opened: ({ pages }) => {
        const fresh = pages.filter((number) => !seen.has(number));
        fresh.forEach((number) => seen.add(number));
        if (!fresh.length || this.talk.hiddenAfter(job.request)) return;
        this.talk.room.opened([...seen], false);
        const names = fresh.map((number) => pageName(this.talk.room.page(number) ?? { number })).join(", ");
        this.working(`Opened ${names}`);
        announce(`Opened ${names}`);
      },
      text: ({ delta }) => {
        this.liveText += delta;
        this.liveNode.hidden = true;
        this.liveDraw();
      },
      restart: () => {
        this.liveText = "";
        this.liveDraw();
      },
      note: (note) => this.noted(note),
      progress: ({ what }) => what && !this.liveText && !seen.size && this.working(what),
      done: (ended) => this.ended(ended),
      gone: (error) => this.fail(error, job.request),
    });
  }

  /** Show a note; one with a key takes the place of the one before with the same. */
  noted({ text, key = "" }) {
    const line = told("li", text, { data: { key } });
    const last = this.liveNotes.lastElementChild;
    if (key && last?.dataset.key === key) last.replaceWith(line);
    else this.liveNotes.append(line);
  }

  working(text) {
    this.liveNode.lastElementChild.textContent = visible(text);
  }

  liveDraw() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      const told = this.job && !this.talk.hiddenAfter(this.job.request);
      fill(this.liveSaid, told ? (this.liveParts?.elements(this.liveText) ?? visible(this.liveText)) : el("p", { class: "note", text: "Asked about more than you have read." }));
      this.talk.toEnd();
    });
  }

  async ended(job) {
    this.ending = null;
    if (job.state !== "done") return this.unfinished(job);
    const answer = job.result;
    if (!answer) return this.fail({ message: "The answer has been removed." }, job.request);
    await this.talk.ready([answer]);
    this.finish();
    this.talk.answers = [...this.talk.answers.filter((one) => one.id !== answer.id), answer];
    this.talk.unanswered = unanswered(this.talk.unanswered, this.talk.answers);
    this.talk.draw();
    if (this.talk.hiddenAfter(answer)) return announce("The answer is hidden: it is about more than you have read.");
    this.talk.room.opened(answer.pages, false);
    this.talk.room.quotes(answer.quotes);
    if (answer.quotes.length) this.talk.room.quote(answer.quotes[0], { keepPane: true });
    return announce(`Answer: ${answer.answer}`);
  }

  finish() {
    this.live = null;
    this.job = null;
    this.talk.form.send.disabled = false;
    this.talk.stopper.hidden = true;
  }

  /** Show why a question was not answered. */
  fail(error, request) {
    this.unfinished({ request, state: "failed", reason: error.message, hint: error.hint, changed: new Date() });
  }

  unfinished(job) {
    this.ending?.();
    this.ending = null;
    this.finish();
    this.talk.unfinished(job);
  }

  async stop() {
    if (!this.job || !isActive(this.job)) return;
    const { request } = this.job;
    await remove(`jobs/${part(this.job.id)}`).catch((error) => this.fail(error, request));
  }
}
