// A shelf: its documents, and questions to all of them at once.

import { announce, button, el, fill, notThere, problem, told, visible } from "./dom.js";
import { dialog } from "./dialog.js";
import { needsModel } from "./setup.js";
import { get, isActive, part, post, remove } from "./api.js";
import { counted, fileOf, placeOf, scopeOf, when } from "./format.js";
import { Growing, markdownOf, textsOf } from "./markdown.js";
import { answerParts, copyButton, optionList, unansweredItem } from "./answer_parts.js";
import { AskForm, timeOf } from "./ask_form.js";
import { unanswered } from "./jobs.js";
import { noteParts } from "./notes.js";
import { placesIn, tellsMore } from "./position.js";
import { ShelfAdding } from "./shelf_adding.js";
import { follow } from "./stream.js";

export function shelfView(root, app, route) {
  const view = new Shelf(root, app, route.path[1]);
  view.load(route);
  return view;
}

class Shelf {
  constructor(root, app, name) {
    this.root = root;
    this.app = app;
    this.name = name;
    this.endings = new Map();
    this.unanswered = [];
    this.list = el("ul", { class: "shelf-documents" });
    this.adding = new ShelfAdding(this, app.status);
    this.log = el("div", {
      class: "log shelf-log",
      role: "log",
      "aria-label": "Questions and answers",
      "aria-live": "off",
    });
    this.compare = el("input", { type: "checkbox", id: "compare" });
    this.form = new AskForm({
      label: "Question to all documents",
      placeholder: "Ask all documents on this shelf",
      send: "Ask all",
      subject: `shelf.${name}`,
      isLocal: app.status.is_local,
      controls: [app.status.is_local ? needsModel("Comparing") : el("label", { class: "check", for: "compare" }, this.compare, " compare: one line for each document")],
      ask: (asked) => this.submit(asked),
    });
    this.form.send.disabled = true; // until it is known what may be told
    this.known = el("p", { class: "note", hidden: true });
    const readOnly = app.status.read_only;
    fill(
      root,
      el(
        "div",
        { class: "shelf-view" },
        el(
          "header",
          { class: "view-head" },
          told("h1", name),
          (this.count = el("span", { class: "count" })),
          el("span", { class: "spread" }),
          readOnly
            ? null
            : [
                (this.add = button("Add documents\u2026", () => this.adding.choose(), { class: "small", disabled: true })),
                button("Remove shelf", () => this.drop(), { class: "small quiet-button" }),
              ],
        ),
        el(
          "div",
          { class: "shelf-columns" },
          el("section", { "aria-label": "Documents on this shelf" }, this.adding.root, this.list),
          el(
            "section",
            { class: "shelf-talk", "aria-label": "Conversation" },
            readOnly ? null : this.form.root,
            this.known,
            this.log,
          ),
        ),
      ),
    );
    document.title = `${name} \u2013 ReadAgent`;
  }

  close() {
    this.closed = true;
    announce("");
    this.adding.close();
    for (const end of this.endings.values()) end();
  }

  async load(route) {
    try {
      const [shelf, jobs] = await Promise.all([get(`shelves/${part(this.name)}`), get(`jobs?shelf=${part(this.name)}`)]);
      await this.take(shelf);
      if (this.closed) return;
      this.unanswered = unanswered(jobs.filter((one) => one.kind === "shelf_ask"), shelf.answers);
      this.draw();
      jobs.filter(isActive).forEach((job) => this.followAnswer(job));
      const reading = await Promise.all(shelf.waiting.filter((one) => one.job).map((one) => get(`jobs/${part(one.job)}`)));
      reading.forEach((job) => this.adding.took(job));
      await this.update(route);
    } catch (error) {
      fill(this.root, notThere(error));
    }
  }

  /** Show the answer that the address names. */
  async update(route) {
    const id = Number(route?.query.get("answer"));
    const node = this.shelf?.answers.find((one) => one.id === id)?.node;
    if (node) return node.scrollIntoView({ block: "start" });
    const gone = this.shelf && id && (await import("./trash.js").then((it) => it.goneAnswer(this.shelf.answers, id), () => null));
    return gone && this.log.prepend(gone);
  }

  /** Take a shelf, and how far its documents may be known. */
  async take(shelf) {
    const ids = [...shelf.documents, ...shelf.waiting].map((one) => one.id);
    const known = new Map(this.shelf?.answers.map((one) => [one.id, one]));
    shelf.answers = shelf.answers.map((one) => known.get(one.id) ?? one);
    await markdownOf(textsOf(shelf.answers));
    [this.places, this.shelf] = [await placesIn(ids), shelf];
    if (this.add) this.add.disabled = false;
  }

  /** Show what has changed on the shelf. */
  async reload() {
    const shelf = await get(`shelves/${part(this.name)}`);
    const now = JSON.stringify(shelf);
    if (now === this.last) return;
    this.last = now;
    await this.take(shelf);
    if (!this.closed) this.draw();
  }

  /** Whether an answer from these documents tells what lies after the reader's place in one of them. */
  isHidden(upTo, documents) {
    return tellsMore(upTo ?? {}, this.places, documents.map((one) => one.id));
  }

  draw() {
    const { documents, waiting, answers } = this.shelf;
    const fair = answers.filter((one) => !this.isHidden(one.up_to, one.documents));
    const partly = documents.filter((one) => one.id in this.places).map((one) => one.title);
    const hidden = answers.length - fair.length;
    const limits = partly.length ? `Asked only up to your place in ${partly.join(", ")}.` : "";
    const spared = hidden ? ` ${counted(hidden, "answer")} hidden: asked about more than you have read.` : "";
    this.known.hidden = !limits && !spared;
    this.known.textContent = visible(`${limits}${spared}`);
    const all = [...waiting, ...documents];
    this.count.textContent = counted(all.length, "document");
    this.adding.draw(waiting);
    fill(
      this.list,
      all.length
        ? all.map((one) => this.document(one))
        : el("li", { class: "quiet", text: "No documents yet. Add some, then ask all of them at once." }),
    );
    const shown = [...this.unanswered, ...fair].sort((a, b) => timeOf(b) - timeOf(a));
    for (const one of shown) one.node ??= one.request ? unansweredItem(one, this.failure(one)) : this.answer(one);
    fill(this.log, this.live, shown.map((one) => one.node));
    this.form.send.disabled = Boolean(this.live) || !(documents.length || waiting.some((one) => one.read === "yes"));
  }

  /** What can be done with a question that was not answered. */
  failure(job) {
    const gone = () => (this.unanswered = this.unanswered.filter((one) => one !== job));
    return { readOnly: this.app.status.read_only, gone, again: (request) => this.submit(request), draw: () => this.draw() };
  }

  document(one) {
    const away = this.app.status.read_only
      ? null
      : button(
          "Take off",
          async () => {
            await remove(`shelves/${part(this.name)}/documents/${part(one.id)}`);
            this.load();
          },
          { class: "small quiet-button", "aria-label": `Take ${one.title} off the shelf` },
        );
    return el(
      "li",
      {},
      el("h2", {}, el("a", { href: `#/documents/${part(one.id)}` }, told("bdi", one.title))),
      "read" in one ? this.adding.state(one) : null,
      one.kind ? told("p", one.kind, { class: "facts" }) : null,
      one.id in this.places
        ? el("p", { class: "facts", text: "What it is about is hidden: you have not read all of it." })
        : one.card
          ? told("p", one.card, { class: "card-text" })
          : null,
      away,
    );
  }

  async submit(asked) {
    if (this.live) return;
    const how = { compare: this.compare.checked, ...asked, up_to: this.places };
    try {
      const job = await post(`shelves/${part(this.name)}/questions`, how);
      this.form.clear();
      this.followAnswer(job);
    } catch (error) {
      this.log.prepend(problem(error));
    }
  }

  followAnswer(job) {
    const said = el("div", { class: "said streaming" });
    const working = el(
      "p",
      { class: "working" },
      el("span", { class: "dots", "aria-hidden": "true" }),
      el("span", { text: "Looking at the cards of the documents\u2026" }),
    );
    const body = el("div", { class: "answer-body" }, working, said);
    const hidden = this.isHidden(job.request.up_to, this.shelf.documents);
    let text = "";
    this.live = el(
      "article",
      { class: "exchange live", "aria-busy": "true" },
      told("h2", job.request.question, { class: "asked" }),
      body,
    );
    this.draw();
    const end = (error) => {
      this.live = null;
      if (error) this.unanswered.unshift({ ...job, state: "failed", reason: error.message, ...error });
      this.draw();
    };
    const growing = new Growing(() => draw());
    const draw = () =>
      fill(said, hidden ? el("p", { class: "note", text: "Asked about more than you have read." }) : growing.elements(text));
    this.endings.get(job.id)?.();
    this.endings.set(
      job.id,
      follow(job.id, {
        progress: ({ what }) => {
          if (what) working.lastElementChild.textContent = what;
        },
        state: ({ reason }) => {
          if (reason) working.lastElementChild.textContent = visible(reason);
        },
        text: ({ delta }) => {
          text += delta;
          working.hidden = true;
          draw();
        },
        restart: () => {
          text = "";
          draw();
        },
        done: async (ended) => {
          if (ended.state !== "done" || !ended.result)
            return end({ message: ended.reason, hint: ended.hint, state: ended.state, changed: ended.changed });
          await markdownOf(textsOf([ended.result]));
          announce(hidden ? "The answer is hidden." : `Answer: ${ended.result.answer}`);
          this.shelf.answers = [ended.result, ...this.shelf.answers.filter((one) => one.id !== ended.result.id)];
          this.unanswered = unanswered(this.unanswered, this.shelf.answers);
          this.adding.look(); // documents are described with the first question
          return end();
        },
        gone: end,
      }),
    );
  }

  answer(answer) {
    const go = (one) => {
      location.hash = `#/documents/${part(one.document)}?at=${one.start}-${one.end}`;
    };
    const here = [...this.shelf.documents, ...this.shelf.waiting];
    const from = answer.documents.map((one) => here.find(({ id }) => id === one.id) ?? one);
    const cited = from.length
      ? `from ${from.map(named).join(", ")} (of ${scopeOf(answer)})`
      : "";
    const asked = answer.documents.map((one) => one.title).join(", ");
    const why = button(
      "Why did it answer that?",
      async () =>
        (await import("./trace.js")).showTrace(answer, {
          path: `answers/${part(answer.id)}/trace`,
          name: (one) => `${one.title}, ${placeOf(one)}`,
          go: (one) => {
            location.hash = `#/documents/${part(one.document)}?page=${one.page + 1}`;
          },
          about: `Asked ${answer.documents.length} of ${scopeOf(answer)}${asked ? `: ${asked}` : ""}`,
        }),
      { class: "link" },
    );
    const spoilers = Object.keys(answer.up_to).length ? el("span", { text: "spoiler-free" }) : null;
    const address = `#/shelves/${part(this.name)}?answer=${answer.id}`;
    const time = el("a", { href: address, text: when(answer.made), title: "The address of this answer" });
    const own = noteParts(answer, () => this.reload());
    const controls = this.app.status.read_only ? null : own.controls;
    const facts = [own.note, el("p", { class: "answer-facts" }, told("span", cited), why, copyButton(answer, () => from), controls, spoilers, time)];
    const table = answer.lines?.length ? compareTable(answer.lines, go) : null;
    const shown = table ? { ...answer, quotes: [] } : answer;
    return el(
      "article",
      { class: "exchange" },
      told("h2", answer.question, { class: "asked" }),
      optionList(answer),
      el("div", { class: "answer-body" }, answerParts(shown, { quote: go, places: el("div", {}, table, facts) })),
    );
  }

  drop() {
    const shown = dialog(
      "Remove this shelf?",
      el("p", { text: "The documents stay in the library." }),
      el(
        "div",
        { class: "buttons" },
        button("Keep it", () => shown.close()),
        button(
          "Remove",
          async () => {
            await remove(`shelves/${part(this.name)}`);
            shown.close();
            location.hash = "#/";
          },
          { class: "danger" },
        ),
      ),
    );
  }

  key(event) {
    if (event.key !== "/") return false;
    this.form.focus();
    return true;
  }
}

/** Return the title of a document and the file or address that it is from. */
const named = (one) => one.title + (fileOf(one) && ` (${fileOf(one)})`);

/** Return what each document says, one below the other. */
function compareTable(lines, go) {
  const row = (line) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("a", { href: `#/documents/${part(line.document)}` }, told("bdi", line.title))),
      el(
        "td",
        { dir: "auto" },
        line.problem
          ? told("span", `no line: ${line.problem}`, { class: "problem" })
          : line.silent
            ? el("span", { class: "quiet", text: "says nothing about it" })
            : told("span", line.text),
      ),
      el(
        "td",
        {},
        line.quotes.map((one) => button(placeOf(one), () => go(one), { class: "where", title: one.text })),
      ),
    );
  return el(
    "div",
    { class: "table-box", tabindex: "0", role: "group", "aria-label": "What each document says" },
    el(
      "table",
      { class: "compare" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col", text: "Document" }),
          el("th", { scope: "col", text: "Says" }),
          el("th", { scope: "col", text: "Where" }),
        ),
      ),
      el("tbody", {}, lines.map(row)),
    ),
  );
}
