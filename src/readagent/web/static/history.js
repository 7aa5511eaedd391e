// All answers about documents and from shelves, newest first: to be found again.

import { button, el, fill, problem, throttled, told } from "./dom.js";
import { get, part } from "./api.js";
import { counted, scopeOf, when } from "./format.js";
import { markdownOf, withoutMarks } from "./markdown.js";
import { noteParts } from "./notes.js";
import { placesIn, tellsMore } from "./position.js";

const AT_ONCE = 30; // answers

export function historyView(root, app, route) {
  const view = new History(root, app, route);
  view.load();
  return view;
}

class History {
  constructor(root, app, route) {
    this.app = app;
    this.route = route;
    this.list = el("ol", { class: "history", "aria-live": "polite" });
    this.note = el("p", { class: "quiet" });
    this.more = el("div", { class: "more" });
    const words = el("input", { type: "search", id: "history-words", placeholder: "Words of questions, answers and notes", autocomplete: "off", "aria-label": "Filter", value: route.query.get("q") ?? "" });
    const starred = el("input", { type: "checkbox", id: "only-starred" });
    starred.checked = route.query.has("starred");
    const go = () => {
      const query = new URLSearchParams();
      if (words.value.trim()) query.set("q", words.value.trim());
      if (starred.checked) query.set("starred", "1");
      app.replaceRoute(`#/answers${query.size ? `?${query}` : ""}`);
      this.update({ query });
    };
    words.addEventListener("input", throttled(go, 250));
    starred.addEventListener("change", go);
    const only = el("label", { class: "check", for: "only-starred" }, starred, " starred only");
    fill(
      root,
      el(
        "div",
        { class: "library" },
        el("header", { class: "view-head" }, el("h1", { text: "Answers" })),
        el("div", { class: "list-tools" }, words, only),
        this.note,
        this.list,
        this.more,
      ),
    );
  }

  close() {
    this.closed = true;
  }

  update(route) {
    this.route = route;
    this.load();
  }

  load() {
    this.answers = [];
    this.seen = 0;
    return this.loadMore(history.state?.shown); // on the way back
  }

  async loadMore(least = 0) {
    const query = new URLSearchParams(this.route.query);
    const asked = query.toString();
    query.set("limit", AT_ONCE);
    query.set("offset", this.seen);
    fill(this.more);
    try {
      const found = await get(`answers?${query}`);
      await markdownOf(found.map((one) => one.answer));
      const places = await placesIn([...new Set(found.flatMap((one) => one.documents))]);
      if (this.closed || asked !== new URLSearchParams(this.route.query).toString()) return;
      this.seen += found.length;
      for (const one of found) one.hidden = tellsMore(one.up_to, places, one.documents);
      this.answers.push(...found);
      this.draw();
      if (found.length === AT_ONCE) fill(this.more, button("More", () => this.loadMore().then(() => this.app.keep({ shown: this.seen }))));
      if (found.length === AT_ONCE && this.seen < least) await this.loadMore(least);
    } catch (error) {
      fill(this.more, problem(error));
    }
  }

  draw() {
    const shown = this.answers.filter((one) => !one.hidden);
    const hidden = this.answers.filter((one) => one.hidden).length;
    const none = shown.length ? "" : "No answers here.";
    this.note.textContent = hidden ? `${counted(hidden, "answer")} hidden: asked about more than you have read.` : none;
    fill(this.list, shown.map((one) => (one.node ??= this.item(one))));
  }

  item(one) {
    const where = one.shelf ? `shelves/${part(one.shelf)}` : `documents/${part(one.documents[0])}`;
    const address = `#/${where}?answer=${one.id}`;
    const { note, controls } = noteParts(one, () => this.load());
    return el(
      "li",
      {},
      el("h2", { class: "asked" }, el("a", { href: address }, told("bdi", one.question))),
      told("p", withoutMarks(one.answer), { class: "excerpt" }),
      note,
      el(
        "p",
        { class: "answer-facts" },
        told("bdi", one.title, one.shelf ? { class: "shelf-name", title: "A shelf" } : {}),
        el("span", { text: [one.unread ? scopeOf(one) : "", one.quotes ? counted(one.quotes, "quote") : "", when(one.made)].filter(Boolean).join(" \u00b7 ") }),
        this.app.status.read_only ? null : controls,
      ),
    );
  }
}
