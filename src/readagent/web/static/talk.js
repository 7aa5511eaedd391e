// The conversation about a document: questions, answers as they arrive, and what they rest on.

import { announce, button, el, fill, problem, told, visible } from "./dom.js";
import { get, isActive, part } from "./api.js";
import { AskForm, timeOf } from "./ask_form.js";
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
    this.followUp = el("input", { type: "checkbox", id: "follow-up" });
    this.stopper = button("Stop", () => this.asking.stop(), { hidden: true });
    const last = el("span", { class: "away", text: " to the last answer" });
    const about = { class: "check", for: "follow-up", title: "It follows the last answer" };
    this.follows = el("label", about, this.followUp, " follow-up", last);
    this.form = new AskForm({
      label: "Question",
      placeholder: "Ask about this text",
      send: "Ask",
      subject: room.id,
      isLocal: room.app.status.is_local,
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
    this.asking?.close();
  }

  /** Load the earlier answers, and go on with a question that is being answered; `jobs` are all of this text. */
  async load(jobs) {
    const asked = jobs.filter((one) => one.kind === "ask");
    const job = asked.find(isActive);
    try {
      const found = await get(`documents/${part(this.room.id)}/answers`);
      this.answers = found.sort((a, b) => a.id - b.id);
      if (found.length || asked.length) await this.ready(found);
    } catch (error) {
      fill(this.log, problem(error));
      return;
    }
    if (asked.length) this.unanswered = (await import("./jobs.js")).unanswered(asked, this.answers);
    this.loaded = true;
    this.draw();
    if (job) await this.followJob(job);
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
    return limit !== null && (answer.up_to ?? Infinity) > limit;
  }

  /** Draw all answers; those that may tell what lies after the reader's place are only counted. */
  draw() {
    const fair = this.answers.filter((answer) => !this.hiddenAfter(answer));
    const hidden = this.answers.length - fair.length;
    const failed = this.unanswered.filter((job) => !this.hiddenAfter(job.request));
    const shown = [...fair, ...failed].sort((a, b) => timeOf(a) - timeOf(b));
    const cut = this.all ? 0 : Math.max(0, shown.length - SHOWN);
    const items = shown.slice(cut).map((one) => (one.node ??= this.kit && (one.request ? this.failed(one) : this.kit.answerItem(one, this))));
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
    if (this.asking?.liveText) this.asking.liveDraw();
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
    return this.kit.unansweredItem(job, { readOnly: this.readOnly, gone, again: (request) => this.submit(request), draw: () => this.draw() });
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

  /** Say that an answer is not there. */
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

  /** Load what asks. */
  async loadAsking() {
    const { Asking } = await import("./asking.js");
    this.asking ??= new Asking(this);
  }

  get live() {
    return this.asking?.live;
  }

  async submit(asked) {
    try {
      await this.loadAsking();
    } catch (error) {
      const { message: reason } = await get("status").then(() => error, (it) => it);
      return this.unfinished({ request: asked, state: "failed", reason, changed: new Date() });
    }
    return this.asking.submit(asked);
  }

  async followJob(job) {
    await this.loadAsking();
    this.asking.followJob(job);
  }

  /** Show a question that was not answered. */
  async unfinished(job) {
    this.unanswered.push(job);
    await this.ready([]).catch(() => {});
    this.draw();
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
