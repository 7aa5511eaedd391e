// Filling shelves: how far that is, what was spent, and what could not be read and why.

import { announce, button, complain, el, fill, problem, told } from "./dom.js";
import { get, part, post } from "./api.js";
import { count, counted, duration, money, short } from "./format.js";

const EVERY = 1200; // milliseconds between looks while a shelf is being filled
const CALM = 4000; // and while none is
const SHARE = 9; // looks are this many times as far apart as they take, since the documents are counted
const LONGEST = 600; // characters of a name or a reason that are shown
const STATES = [
  ["reading", "Being read"],
  ["waiting", "Waiting"],
  ["failed", "To be tried again"],
  ["set_aside", "Set aside"],
];

export function fillingView(root, app) {
  const view = new Filling(root, app);
  view.load();
  return view;
}

class Filling {
  constructor(root, app) {
    this.readOnly = app.status.read_only;
    this.parts = new Map();
    this.count = el("span", { class: "count" });
    this.note = el("div", { class: "list-note" });
    this.list = el("ul", { class: "fillings" });
    this.seen = () => document.hidden || this.look(0);
    document.addEventListener("visibilitychange", this.seen);
    fill(
      root,
      el(
        "div",
        { class: "library" },
        el("header", { class: "view-head" }, el("h1", { text: "Filling" }), this.count),
        this.note,
        this.list,
      ),
    );
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.seen);
  }

  async load() {
    try {
      await this.refresh();
    } catch (error) {
      if (!this.closed) fill(this.note, problem(error));
    }
    this.look();
  }

  async refresh() {
    const began = Date.now();
    const records = await get("filling");
    if (this.closed) return;
    this.draw(records);
    this.took = Date.now() - began;
  }

  draw(records) {
    this.count.textContent = records.length > 1 ? `${count(records.length)} shelves` : "";
    fill(this.note, records.length ? null : nothing());
    const shelves = new Set(records.map((one) => one.shelf));
    for (const shelf of this.parts.keys()) if (!shelves.has(shelf)) this.parts.delete(shelf);
    for (const one of records) {
      if (!this.parts.has(one.shelf)) this.parts.set(one.shelf, new FillingPart(this.readOnly, () => this.look(0)));
      this.parts.get(one.shelf).draw(one);
    }
    const nodes = records.map((one) => this.parts.get(one.shelf).node);
    place(this.list, nodes);
    this.busy = records.some(alive);
  }

  /** Look again and again: shelves are filled elsewhere. A hidden page looks when it is shown again. */
  look(wait = Math.max(this.busy ? EVERY : CALM, SHARE * (this.took ?? 0))) {
    clearTimeout(this.timer);
    if (this.closed) return;
    this.timer = setTimeout(async () => {
      if (document.hidden) return;
      try {
        await this.refresh();
      } catch {
        // the banner says that the connection is lost
      }
      this.look();
    }, wait);
  }
}

/** Put these elements into a list; one that has them already is left alone, with what is open in it. */
function place(list, nodes) {
  const same = nodes.length === list.children.length && nodes.every((node, at) => list.children[at] === node);
  if (!same) fill(list, nodes);
}

/** How many workers read now. */
function alive(one) {
  return one.workers.filter((worker) => worker.alive).length;
}

function nothing() {
  return el(
    "div",
    { class: "nothing" },
    el("p", { class: "lead", text: "No shelf is being filled." }),
    el("p", { class: "quiet" }, "To read many documents: ", el("code", { text: "readagent shelf add NAME FOLDER" })),
  );
}

/** One shelf. What is open or has the focus stays so when it is drawn again. */
class FillingPart {
  constructor(readOnly, changed) {
    this.readOnly = readOnly;
    this.changed = changed;
    this.kinds = new Map();
    this.title = el("h2");
    this.state = el("span", { class: "job-state" });
    this.bar = el("progress");
    this.share = el("span", { class: "job-share" });
    this.line = el("p", { class: "job-facts" });
    this.facts = el("dl", { class: "facts" });
    this.next = el("p", { class: "quiet" });
    this.said = el("p", { class: "quiet", role: "status" });
    this.failureHead = el("div", { class: "failure-head" });
    this.failureList = el("ul", { class: "failure-kinds" });
    this.failures = el("section", { class: "failures", "aria-label": "Failures" }, this.failureHead, this.failureList);
    this.node = el(
      "li",
      { class: "filling" },
      this.title,
      el("div", { class: "job-row" }, this.state, this.bar, this.share),
      this.line,
      this.facts,
      this.next,
      this.failures,
      this.said,
    );
  }

  draw(one) {
    const key = JSON.stringify(one);
    if (this.key === key) return;
    this.key = key;
    this.one = one;
    const { done } = one.states;
    const share = one.documents ? Math.floor((100 * done) / one.documents) : 0;
    if (this.name !== one.shelf) fill(this.title, shelfLink(one));
    this.name = one.shelf;
    this.state.textContent = doing(one);
    this.bar.max = Math.max(1, one.documents);
    this.bar.value = done;
    this.bar.setAttribute("aria-label", `${doing(one)}, ${share}%`);
    this.share.textContent = `${share}%`;
    this.line.textContent = [
      `${count(done)} of ${counted(one.documents, "document")} read`,
      alive(one) ? counted(alive(one), "worker") : "",
      one.seconds_left ? `about ${duration(one.seconds_left)} left` : "",
    ]
      .filter(Boolean)
      .join(" \u00b7 ");
    fill(this.facts, figures(one).map(figure));
    fill(this.next, waitingFor(one));
    this.drawFailures();
  }

  drawFailures() {
    const { failures } = this.one;
    this.failures.hidden = !failures.length;
    const total = failures.reduce((sum, one) => sum + one.documents, 0);
    const all = `Failures of ${counted(total, "document")}`;
    if (this.all !== all)
      fill(this.failureHead, el("h3", { text: all }), failures.length ? this.retryButton("Try all again", "") : null);
    this.all = all;
    const known = new Set(failures.map((one) => one.kind));
    for (const kind of this.kinds.keys()) if (!known.has(kind)) this.kinds.delete(kind);
    for (const one of failures) {
      if (!this.kinds.has(one.kind)) this.kinds.set(one.kind, new KindPart(this, one.kind));
      this.kinds.get(one.kind).draw(one.documents);
    }
    const nodes = failures.map((one) => this.kinds.get(one.kind).node);
    place(this.failureList, nodes);
  }

  retryButton(label, kind) {
    if (this.readOnly) return null;
    const press = async (event) => {
      const pressed = event.currentTarget;
      pressed.disabled = true;
      try {
        const { documents } = await post(`shelves/${part(this.one.shelf)}/retry`, { kind });
        const text = `${counted(documents, "document")} will be tried again.`;
        this.said.classList.remove("problem");
        this.said.textContent = text;
        announce(text);
        this.changed();
      } catch (error) {
        this.said.classList.add("problem");
        complain(this.said, error);
      }
      pressed.disabled = false;
    };
    const name = kind ? `${label}: ${kind}` : `${label}: ${this.one.shelf}`;
    return button(label, press, { class: "small", "aria-label": name });
  }
}

/** The documents that failed with one kind of error; they are loaded when the list is opened, some at a time. */
class KindPart {
  constructor(filling, kind) {
    this.filling = filling;
    this.kind = kind;
    this.number = el("span", { class: "count" });
    this.list = el("ul", { class: "failure-list" });
    this.more = button("Show more", () => this.load(), { class: "small", hidden: true });
    this.why = el("p", { class: "problem", role: "alert" });
    this.box = el(
      "details",
      { on: { toggle: () => this.box.open && !this.list.children.length && this.load() } },
      el("summary", {}, told("span", cut(kind)), this.number),
      this.list,
      this.why,
      el("div", { class: "buttons" }, this.more, filling.retryButton("Try these again", kind)),
    );
    this.node = el("li", {}, this.box);
  }

  /** Show the number; a list of which only the beginning is shown is loaded again when it changes. */
  draw(number) {
    const changed = this.documents !== undefined && this.documents !== number;
    this.documents = number;
    this.number.textContent = counted(number, "document");
    if (changed && this.box.open && !this.longer) this.load(true);
  }

  async load(again = false) {
    if (this.loading) return;
    this.loading = true;
    this.longer = !again && this.next !== undefined;
    const after = this.longer ? this.next : 0;
    try {
      const path = `shelves/${part(this.filling.one.shelf)}/failures?kind=${part(this.kind)}&after=${after}`;
      const page = await get(path);
      const rows = page.failures.map(failure);
      if (this.longer) this.list.append(...rows);
      else fill(this.list, rows);
      this.next = page.next ?? undefined;
      this.more.hidden = page.next === null;
      fill(this.why);
      if (this.longer) rows[0]?.focus();
    } catch (error) {
      complain(this.why, error);
    }
    this.loading = false;
  }
}

function failure(one) {
  const tried = one.tries === 1 ? "tried once" : `${count(one.tries)} tries`;
  return el(
    "li",
    { tabindex: "-1" },
    one.reason.includes(one.source) ? null : told("p", cut(one.source), { class: "failure-source" }),
    told("p", cut(one.reason)),
    el("p", { class: "facts", text: one.state === "failed" ? `${tried} \u00b7 to be tried again` : tried }),
  );
}

/** The documents that were read are asked on the shelf. */
function shelfLink(one) {
  return el("a", { href: `#/shelves/${part(one.shelf)}`, class: "title" }, told("bdi", cut(one.shelf)));
}

function doing(one) {
  if (alive(one)) return "Reading";
  if (!one.documents) return "Empty";
  return left(one) ? "Not running" : "Finished";
}

function left({ states }) {
  return states.waiting + states.reading + states.failed;
}

function figures(one) {
  return [
    ["Read", count(one.states.done)],
    ...STATES.filter(([name]) => one.states[name]).map(([name, label]) => [label, count(one.states[name])]),
    ["Pages", count(one.pages)],
    ["Calls", count(one.calls)],
    ["Tokens", one.tokens < 1_000_000 ? count(one.tokens) : short(one.tokens)],
    ["Cost", one.calls ? money(one.unpriced ? null : one.cost) : "nothing yet"],
  ];
}

function figure([label, value]) {
  return el("div", {}, el("dt", { text: label }), el("dd", { text: value }));
}

/** What reads the rest of a list that nobody is reading. */
function waitingFor(one) {
  if (alive(one) || !left(one)) return null;
  const command = `readagent shelf add ${quoted(one.shelf)}`;
  return ["No worker is reading it. To go on: ", told("code", command)];
}

/** A word as a POSIX shell takes it. */
function quoted(text) {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\"'\"'")}'`;
}

function cut(text) {
  const letters = [...text.slice(0, 2 * LONGEST)];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join("")}\u2026` : text;
}
