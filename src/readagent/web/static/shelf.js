// A shelf: its documents, and questions to all of them at once.

import { announce, button, complain, dialog, el, fill, problem, told } from "./dom.js";
import { follow, get, isActive, part, post, put, remove } from "./api.js";
import { counted, when } from "./format.js";
import { offerReading } from "./estimate.js";
import { jobParts } from "./jobs.js";
import { markdown } from "./markdown.js";
import { answerParts, placeOf } from "./answer_parts.js";

const EVERY = 1200; // milliseconds between looks at what is being added

export function shelfView(root, app, route) {
  const view = new Shelf(root, app, route.path[1]);
  view.load();
  return view;
}

class Shelf {
  constructor(root, app, name) {
    this.root = root;
    this.app = app;
    this.name = name;
    this.endings = new Map();
    this.adds = new Map(); // the jobs that put documents on the shelf, and the lines that show them
    this.lines = new Map();
    this.list = el("ul", { class: "shelf-documents" });
    this.adding = el("ul", { class: "adding" });
    this.log = el("div", {
      class: "log shelf-log",
      role: "log",
      "aria-label": "Questions and answers",
      "aria-live": "off",
    });
    this.question = el("textarea", {
      rows: 2,
      id: "question",
      "aria-label": "Question to all documents",
      placeholder: "Ask all documents on this shelf",
      dir: "auto",
    });
    this.compare = el("input", { type: "checkbox", id: "compare" });
    this.send = el("button", { class: "main", text: "Ask all" });
    this.form = el(
      "form",
      { class: "ask", on: { submit: (event) => this.submit(event) } },
      this.question,
      el(
        "div",
        { class: "ask-row" },
        el("label", { class: "check", for: "compare" }, this.compare, " compare: one line for each document"),
        el("span", { class: "spread" }),
        this.send,
      ),
    );
    this.question.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.form.requestSubmit();
      }
    });
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
                button("Add documents\u2026", () => this.choose(), { class: "small" }),
                button("Remove shelf", () => this.drop(), { class: "small quiet-button" }),
              ],
        ),
        el(
          "div",
          { class: "shelf-columns" },
          el("section", { "aria-label": "Documents on this shelf" }, this.adding, this.list),
          el("section", { class: "shelf-talk", "aria-label": "Conversation" }, readOnly ? null : this.form, this.log),
        ),
      ),
    );
    document.title = `${name} \u2013 ReadAgent`;
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    for (const end of this.endings.values()) end();
  }

  async load() {
    try {
      const [shelf, jobs] = await Promise.all([get(`shelves/${part(this.name)}`), get("jobs")]);
      if (this.closed) return;
      this.shelf = shelf;
      this.draw();
      for (const job of jobs.filter((one) => one.shelf === shelf.name && isActive(one))) {
        if (job.kind === "shelf_add") this.followAdding(job);
        else if (job.kind === "shelf_ask") this.followAnswer(job);
      }
    } catch (error) {
      fill(
        this.root,
        el(
          "div",
          { class: "library" },
          problem(error),
          el("p", {}, el("a", { href: "#/", text: "Back to the library" })),
        ),
      );
    }
  }

  draw() {
    const { documents, answers } = this.shelf;
    this.count.textContent = counted(documents.length, "document");
    fill(
      this.list,
      documents.length
        ? documents.map((one) => this.document(one))
        : el("li", { class: "quiet", text: "No documents yet. Add some, then ask all of them at once." }),
    );
    fill(
      this.log,
      this.live,
      answers.map((one) => this.answer(one)),
    );
    this.send.disabled = Boolean(this.live) || !documents.length;
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
      one.kind ? told("p", one.kind, { class: "facts" }) : null,
      one.card ? told("p", one.card, { class: "card-text" }) : null,
      away,
    );
  }

  async choose() {
    if (!this.shelf) return;
    const here = new Set(this.shelf.documents.map((one) => one.id));
    const others = (await get("documents")).filter((one) => !here.has(one.id));
    const boxes = others.map((one, at) => [one, el("input", { type: "checkbox", id: `add-${at}` })]);
    const why = el("p", { class: "problem", role: "alert" });
    const offer = el("div", { class: "estimate", hidden: true });
    const begin = (one) => put(`shelves/${part(this.name)}/documents/${part(one.id)}`);
    const addAll = async (documents) => {
      for (const one of documents) this.followAdding(await begin(one));
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
            isLocal: this.app.status.is_local,
            label: `Read ${counted(unread.length, "document")} and add`,
            begin,
            started: async (jobs) => {
              for (const job of jobs) this.followAdding(job);
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
  followAdding(job) {
    this.adds.set(job.id, job);
    this.drawAdding();
    this.look();
  }

  drawAdding() {
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
        this.adding.append(node);
      }
      const line = this.lines.get(job.id);
      const key = JSON.stringify(job);
      if (line.key === key) continue;
      line.key = key;
      const changed = (now) => {
        this.adds.set(job.id, { ...job, ...now });
        this.drawAdding();
        this.look(0);
      };
      fill(line.box, jobParts(job, changed, { readOnly: this.app.status.read_only }));
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
        if (ended.length) this.shelf = await get(`shelves/${part(this.name)}`);
        if (this.closed) return;
        if (ended.length) this.draw();
        this.drawAdding();
      } catch {
        // the banner says that the connection is lost
      }
      this.look();
    }, wait);
  }

  async submit(event) {
    event.preventDefault();
    const question = this.question.value.trim();
    if (!question || this.live) return;
    try {
      const job = await post(`shelves/${part(this.name)}/questions`, { question, compare: this.compare.checked });
      this.question.value = "";
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
    let text = "";
    this.live = el(
      "article",
      { class: "exchange live", "aria-busy": "true" },
      told("h2", job.request.question, { class: "asked" }),
      body,
    );
    this.draw();
    const end = (error) => {
      const node = this.live;
      this.live = null;
      this.send.disabled = false;
      if (error) {
        fill(body, problem(error));
        node.removeAttribute("aria-busy");
      }
    };
    this.endings.get(job.id)?.();
    this.endings.set(
      job.id,
      follow(job.id, {
        progress: ({ what }) => {
          if (what) working.lastElementChild.textContent = what;
        },
        text: ({ delta }) => {
          text += delta;
          working.hidden = true;
          fill(said, markdown(text));
        },
        restart: () => {
          text = "";
          fill(said);
        },
        done: (ended) => {
          if (ended.state !== "done" || !ended.result)
            return end({ message: ended.reason || "Stopped.", hint: ended.hint });
          end();
          announce(`Answer: ${ended.result.text}`);
          this.shelf.answers = [ended.result, ...this.shelf.answers.filter((one) => one.id !== ended.result.id)];
          return this.draw();
        },
        gone: end,
      }),
    );
  }

  answer(answer) {
    const go = (one) => {
      location.hash = `#/documents/${part(one.document)}?at=${one.start}-${one.end}`;
    };
    const cited = answer.documents.length
      ? `from ${answer.documents.map((one) => one.title).join(", ")} (of ${counted(answer.among, "document")})`
      : "";
    const why = button(
      "Why did it answer that?",
      async () =>
        (await import("./trace.js")).showShelfTrace(answer, (one) => {
          location.hash = `#/documents/${part(one.document)}?page=${one.page + 1}`;
        }),
      { class: "link" },
    );
    const time = el("span", { text: when(answer.asked) });
    const facts = el("p", { class: "answer-facts" }, told("span", cited), why, time);
    const table = answer.lines?.length ? compareTable(answer.lines, go) : null;
    const shown = table ? { ...answer, quotes: [] } : answer;
    return el(
      "article",
      { class: "exchange" },
      told("h2", answer.question, { class: "asked" }),
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
        button(
          "Remove",
          async () => {
            await remove(`shelves/${part(this.name)}`);
            shown.close();
            location.hash = "#/";
          },
          { class: "main" },
        ),
        button("Keep it", () => shown.close()),
      ),
    );
  }

  key(event) {
    if (event.key !== "/") return false;
    this.question.focus();
    return true;
  }
}

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
    { class: "table-box", tabindex: "0", role: "region", "aria-label": "What each document says" },
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
