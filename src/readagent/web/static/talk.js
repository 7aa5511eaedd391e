// The conversation about a document: questions, answers as they arrive, and what they rest on.

import { announce, button, el, fill, problem, told, visible } from "./dom.js";
import { follow, get, isActive, part, post, remove } from "./api.js";
import { AskForm, unanswered, unansweredItem } from "./ask_form.js";
import { counted, pageName } from "./format.js";

const SHOWN = 8; // earlier answers that are shown at first

export class Talk {
  /** `room` has the document, `upTo()`, and `opened(pages)`, `quote(one)`, `quotes(list)` to show things in the other panes. */
  constructor(root, room, { readOnly }) {
    this.root = root;
    this.room = room;
    this.readOnly = readOnly;
    this.log = el("div", { class: "log", role: "log", "aria-label": "Questions and answers", "aria-live": "off" });
    this.log.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.stays = false; // whether somebody has scrolled since the last question: then nothing else does
    this.ending = null;
    this.followUp = el("input", { type: "checkbox", id: "follow-up" });
    this.stopper = button("Stop", () => this.stop(), { hidden: true });
    const last = el("span", { class: "away", text: " to the last answer" });
    const about = { class: "check", for: "follow-up", title: "It follows the last answer" };
    this.follows = el("label", about, this.followUp, " follow-up", last);
    this.form = new AskForm({
      label: "Question",
      placeholder: "Ask about this text",
      send: "Ask",
      subject: room.id,
      controls: [this.follows, this.stopper],
      ask: (asked) => this.submit(asked),
    });
    fill(
      root,
      this.log,
      readOnly ? el("p", { class: "note", text: "This server is read-only: nothing can be asked." }) : this.form.root,
    );
    this.answers = [];
    this.unanswered = []; // jobs that were stopped or failed
    this.all = false;
  }

  close() {
    this.ending?.();
  }

  /** Load the earlier answers, and go on with a question that is being answered; `jobs` are all of this text. */
  async load(jobs) {
    const asked = jobs.filter((one) => one.kind === "ask");
    const job = asked.find(isActive);
    try {
      const found = await get(`documents/${part(this.room.id)}/answers`);
      this.answers = [...found].sort((a, b) => a.id - b.id);
      if (found.length) await this.ready(found);
    } catch (error) {
      fill(this.log, problem(error));
      return;
    }
    this.unanswered = unanswered(asked, this.answers);
    this.loaded = true;
    this.draw();
    if (job) this.followJob(job);
  }

  /** Load what draws answers, with the first of them, and the parts of their texts. */
  async ready(answers) {
    this.kit ??= await import("./answer_item.js");
    await this.kit.markdownOf(this.kit.textsOf(answers));
  }

  /** Take the answers that came elsewhere; all of them anew if the pages that they name have changed. */
  async refresh(anew) {
    const found = await get(`documents/${part(this.room.id)}/answers`);
    const known = new Map(anew ? [] : this.answers.map((one) => [one.id, one]));
    if (found.length === known.size && found.every((one) => known.has(one.id))) return;
    this.answers = found.map((one) => known.get(one.id) ?? one).sort((a, b) => a.id - b.id);
    await this.ready(this.answers);
    this.draw();
  }

  hiddenAfter(answer) {
    const limit = this.room.upTo();
    return limit !== null && (answer.up_to === null || answer.up_to === undefined || answer.up_to > limit);
  }

  /** Draw all answers; those that may tell what lies after the reader's place are only counted. */
  draw() {
    const fair = this.answers.filter((answer) => !this.hiddenAfter(answer));
    const hidden = this.answers.length - fair.length;
    const failed = this.unanswered.filter((job) => !this.hiddenAfter(job.request));
    const shown = [...fair, ...failed].sort((a, b) => timeOf(a) - timeOf(b));
    const cut = this.all ? 0 : Math.max(0, shown.length - SHOWN);
    const items = shown.slice(cut).map((one) => (one.node ??= one.request ? this.failed(one) : this.kit.answerItem(one, this)));
    const more = cut
      ? button(
          `Show ${counted(cut, "earlier answer")}`,
          () => {
            this.all = true;
            this.draw();
          },
          { class: "small" },
        )
      : null;
    const empty = !shown.length && !this.live ? this.empty() : null;
    const spared = hidden
      ? el("p", { class: "note", text: `${counted(hidden, "answer")} hidden: asked about more than you have read.` })
      : null;
    fill(this.log, more, spared, empty, items, this.live);
    if (this.live && this.liveText) this.liveDraw();
    this.follows.hidden = !fair.length;
    this.toEnd();
  }

  empty() {
    const ideas = [
      "What is this about?",
      "Who are the people in it, and what do they want?",
      this.room.upTo() === null ? "What happens at the end?" : "What has happened so far?",
    ];
    const take = (idea) =>
      button(
        idea,
        () => {
          this.form.question.value = idea;
          this.form.focus();
        },
        { class: "idea" },
      );
    return el(
      "div",
      { class: "empty" },
      el("p", {
        class: "quiet",
        text: "Ask a question. The pages that are opened for it light up in the map, and the quotes in the text.",
      }),
      this.readOnly ? null : el("div", { class: "ideas" }, ideas.map(take)),
    );
  }

  /** Return a question that was stopped or failed, with a way to ask it again. */
  failed(job) {
    const gone = () => (this.unanswered = this.unanswered.filter((one) => one !== job));
    return unansweredItem(job, { readOnly: this.readOnly, gone, again: (request) => this.submit(request), draw: () => this.draw() });
  }

  addressOf(answer) {
    return `#/documents/${part(this.room.id)}?answer=${answer.id}`;
  }

  /** Bring an answer into view, with its pages and quotes; null if it is not shown. */
  find(id) {
    this.all = true;
    const answer = this.answers.find((one) => one.id === id && !this.hiddenAfter(one));
    if (!answer) return null;
    this.draw();
    this.log.scrollTop = answer.node.offsetTop - this.log.offsetTop - 16;
    return answer;
  }

  /** Say that an answer is not there, unless it is only hidden. */
  async lacks(id) {
    const note = await import("./trash.js").then((it) => it.goneAnswer(this.answers, id), () => null);
    if (!note) return;
    this.draw();
    this.log.append(note);
    this.toEnd();
  }

  /** Take an answer away that was removed, or bring it back. */
  removed(answer, isGone) {
    this.stays = true;
    this.answers = isGone ? this.answers.filter((one) => one !== answer) : [...this.answers, answer].sort((a, b) => a.id - b.id);
    this.draw();
  }

  focus() {
    this.form.focus();
  }

  async submit(asked) {
    if (this.live) return;
    if (this.room.doc.read !== "yes" && !asked.read) return this.offerReading(asked);
    asked = { ...asked, up_to: this.room.upTo() };
    const known = this.answers.filter((one) => !this.hiddenAfter(one)).slice(-4);
    if (this.followUp.checked && known.length) asked.history = known.map((one) => one.id);
    this.start(asked.question);
    try {
      const job = await post(`documents/${part(this.room.id)}/questions`, asked);
      this.form.clear();
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
    this.log.querySelector(".empty")?.remove();
    this.log.append(node);
    node.scrollIntoView({ block: "nearest" });
    await offerReading(offer, [this.room.doc], {
      isLocal: this.room.app.status.is_local,
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
    this.ready([]).then(() => (this.liveParts = this.live && new this.kit.Growing(() => this.live && this.liveDraw())), () => {});
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
    this.form.send.disabled = true;
    this.stopper.hidden = false;
    this.room.opened([], false);
    this.room.quotes([]);
    this.stays = false;
    this.draw();
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
        if (!fresh.length || this.hiddenAfter(job.request)) return;
        this.room.opened([...seen], false);
        const names = fresh.map((number) => pageName(this.room.page(number) ?? { number })).join(", ");
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
      const told = this.job && !this.hiddenAfter(this.job.request);
      fill(this.liveSaid, told ? (this.liveParts?.elements(this.liveText) ?? visible(this.liveText)) : el("p", { class: "note", text: "Asked about more than you have read." }));
      this.toEnd();
    });
  }

  async ended(job) {
    this.ending = null;
    if (job.state !== "done") return this.unfinished(job);
    const answer = job.result;
    if (!answer) return this.fail({ message: "The answer has been removed." }, job.request);
    await this.ready([answer]);
    this.finish();
    this.answers = [...this.answers.filter((one) => one.id !== answer.id), answer];
    this.unanswered = unanswered(this.unanswered, this.answers);
    this.draw();
    if (this.hiddenAfter(answer)) return announce("The answer is hidden: it is about more than you have read.");
    this.room.opened(answer.pages, false);
    this.room.quotes(answer.quotes);
    if (answer.quotes.length) this.room.quote(answer.quotes[0], { keepPane: true });
    return announce(`Answer: ${answer.answer}`);
  }

  finish() {
    this.live = null;
    this.job = null;
    this.form.send.disabled = false;
    this.stopper.hidden = true;
  }

  /** Show why a question was not answered. */
  fail(error, request) {
    this.unfinished({ request, state: "failed", reason: error.message, hint: error.hint, changed: new Date() });
  }

  unfinished(job) {
    this.ending?.();
    this.ending = null;
    this.finish();
    this.unanswered.push(job);
    this.draw();
  }

  async stop() {
    if (!this.job || !isActive(this.job)) return;
    const { request } = this.job;
    await remove(`jobs/${part(this.job.id)}`).catch((error) => this.fail(error, request));
  }

  /** Show the newest answer: from its question on, if it is longer than the pane. */
  toEnd() {
    if (this.stays) return;
    const last = this.log.lastElementChild;
    const long = last && last.offsetHeight > this.log.clientHeight - 32;
    this.log.scrollTop = long ? last.offsetTop - this.log.offsetTop - 16 : this.log.scrollHeight;
    this.put = this.log.scrollTop;
  }

  scrolled() {
    if (this.live && Math.abs(this.log.scrollTop - this.put) > 2) this.stays = true;
  }
}

export const question = (text) => told("h2", text, { class: "asked" });
const timeOf = (one) => new Date(one.made ?? one.changed).getTime();
