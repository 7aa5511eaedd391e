// Overviews of a document: made on request, kept by the server, and each statement leads to its place in the text.

import { announce, button, el, fill, problem, told } from "./dom.js";
import { needsModel } from "./setup.js";
import { pointTo } from "./drawing.js";
import { get, isActive, part, post, remove } from "./api.js";
import { STATES } from "./answer_parts.js";
import { KINDS, counted, when } from "./format.js";
import { askOptions, optionsOf, optionsText } from "./overview_options.js";
import { peopleDrawing } from "./people_graph.js";
import { timelineDrawing } from "./timeline.js";
import { follow } from "./stream.js";

const BESIDE = 5; // people who are named as being on the same pages

export class Overviews {
  /** `room` has `id`, `upTo()`, `goPage(number)` and `quote(one)`. */
  constructor(room, status) {
    this.room = room;
    this.isLocal = status.is_local;
    this.readOnly = status.read_only || this.isLocal; // nothing can be made
    this.made = new Map();
    this.jobs = new Map();
    this.failed = new Map();
    this.endings = new Map();
  }

  close() {
    for (const end of this.endings.values()) end();
  }

  /** Load those that were made, and go on with those that are being made. */
  async load() {
    try {
      const made = await get(`documents/${part(this.room.id)}/overviews`);
      for (const one of made.reverse()) this.made.set(this.key(one.kind, one.options), one); // the newest last
      for (const job of (await get(`jobs?document=${part(this.room.id)}`)).filter(
        (one) => one.document === this.room.id && one.kind === "overview" && isActive(one),
      ))
        this.followJob(job);
    } catch {
      // the server says what is wrong when an overview is asked for
    }
  }

  /** A text that stands for an overview of this kind with these options. */
  key(kind, options) {
    return JSON.stringify([kind, options.up_to ?? null, optionsOf(kind, options)]);
  }

  /** Draw an overview with the options that the room has, or the offer to make it. */
  draw(root, kind) {
    this.root = root;
    this.kind = kind;
    const [, name, what] = KINDS.find(([one]) => one === kind);
    const options = { ...this.room.overviewOptions, up_to: this.room.upTo() };
    const key = this.key(kind, options);
    const made = this.made.get(key);
    const job = this.jobs.get(key);
    const failed = this.failed.get(key);
    if (made && !job) return fill(root, this.toolbar(made, name), this.outdated(made, name), this.parts(made));
    if (job)
      return fill(
        root,
        el(
          "div",
          { class: "making" },
          el(
            "p",
            { class: "working" },
            el("span", { class: "dots", "aria-hidden": "true" }),
            told("span", job.progress?.what ? `${job.progress.what}\u2026` : `Making the ${name.toLowerCase()}\u2026`),
          ),
          job.progress?.total
            ? el("progress", { max: job.progress.total, value: job.progress.done, "aria-label": name })
            : null,
          job.reason ? problem({ message: job.reason, hint: job.hint }) : null,
          button("Stop", () => remove(`jobs/${part(job.id)}`).catch(() => {}), { class: "small" }),
        ),
      );
    const barred = this.isLocal ? needsModel("An overview") : el("p", { class: "note", text: "It has not been made, and this server is read-only." });
    const offer = this.readOnly
      ? barred
      : el("div", { class: "buttons" }, button(failed ? "Try again" : `Make the ${name.toLowerCase()}`, () => this.make(kind)), this.other(kind, name));
    const upTo =
      this.room.upTo() !== null ? el("p", { class: "quiet", text: "Only from what you have read so far." }) : null;
    return fill(
      root,
      el("div", { class: "offer" }, el("p", { text: what }), this.variants(kind), upTo, failed ? problem(failed) : null, offer),
    );
  }

  redraw() {
    if (this.root?.isConnected && this.kind === this.room.tab) this.draw(this.root, this.kind);
  }

  async make(kind) {
    const upTo = this.room.upTo();
    const asked = { kind, ...optionsOf(kind, this.room.overviewOptions), ...(upTo === null ? {} : { up_to: upTo }) };
    const key = this.key(kind, asked);
    this.failed.delete(key);
    try {
      this.followJob(await post(`documents/${part(this.room.id)}/overviews`, asked));
    } catch (error) {
      this.failed.set(key, error);
      this.redraw();
    }
  }

  /** Return a button that asks for other options, and makes an overview with them unless there is one. */
  other(kind, name) {
    if (this.readOnly) return null;
    const about = { options: this.room.overviewOptions, chapters: this.room.chapters };
    const take = (options) => {
      this.room.chooseOverview(options);
      if (!this.made.has(this.key(kind, { ...options, up_to: this.room.upTo() }))) this.make(kind);
    };
    return button("Options\u2026", () => askOptions(kind, name, about, take), { class: "small" });
  }

  /** Return a list of the overviews of a kind that were made with other options; null if there are none. */
  variants(kind) {
    const upTo = this.room.upTo();
    const all = [...this.made.values()].filter((one) => one.kind === kind && (one.options.up_to ?? null) === upTo);
    const own = this.key(kind, { ...this.room.overviewOptions, up_to: upTo });
    const others = all.filter((one) => this.key(kind, one.options) !== own);
    if (!others.length) return null;
    const go = (one) => this.room.chooseOverview(optionsOf(kind, one.options));
    const links = others.map((one) => button(told("bdi", optionsText(optionsOf(kind, one.options))), () => go(one), { class: "link" }));
    return el("span", { class: "facts variants" }, "Also made: ", links);
  }

  /** Say that the memory has changed since an overview was made. */
  outdated(made, name) {
    if (!made.outdated) return null;
    const text = `Pages or gists have changed since this was made (${when(made.made)}).`;
    const again = this.readOnly ? null : button("Make it again", () => this.make(made.kind), { class: "small", "aria-label": `Make the ${name.toLowerCase()} again` });
    return el("p", { class: "outdated" }, el("span", { text }), again);
  }

  followJob(job) {
    const { kind } = job.request;
    const key = this.key(kind, job.request);
    this.jobs.set(key, job);
    this.redraw();
    this.endings.get(key)?.();
    this.endings.set(
      key,
      follow(job.id, {
        progress: (progress) => {
          this.jobs.set(key, { ...this.jobs.get(key), progress });
          this.redraw();
        },
        state: (now) => {
          this.jobs.set(key, now);
          this.redraw();
        },
        done: (ended) => {
          this.jobs.delete(key);
          if (ended.state === "done") this.made.set(key, { ...ended.result, kind, options: job.request, made: ended.changed });
          else if (!isActive(ended)) this.failed.set(key, { message: ended.reason || "Stopped.", hint: ended.hint });
          announce(ended.state === "done" ? `${kind} is ready` : `${kind} failed`);
          this.redraw();
        },
        gone: (error) => {
          this.jobs.delete(key);
          this.failed.set(key, error);
          this.redraw();
        },
      }),
    );
  }

  toolbar(made, name) {
    const save = (label, ending, kind, text) =>
      button(label, () => download(text, `${name.toLowerCase()}.${ending}`, kind), { class: "small" });
    const facts = made.dropped?.length
      ? `${counted(made.dropped.length, "statement")} left out: not in the text`
      : "";
    return el(
      "div",
      { class: "overview-tools" },
      el("span", { class: "facts" }, [optionsText(optionsOf(made.kind, made.options)), facts].filter(Boolean).join(" \u00b7 ")),
      this.variants(made.kind),
      this.other(made.kind, name),
      made.markdown ? save("Markdown", "md", "text/markdown", made.markdown) : null,
      save("JSON", "json", "application/json", JSON.stringify(made.data, null, 2)),
    );
  }

  parts(made) {
    const items = made.data?.items ?? [];
    if (made.data?.statements?.length)
      return el(
        "div",
        { class: "overview prose" },
        made.data.statements.map((one) => this.statement(one)),
      );
    if (!items.length) return nothing(made);
    if (made.kind === "outline")
      return el(
        "ol",
        { class: "overview outline" },
        items.map((one) => this.section(one)),
      );
    if (made.kind === "people") return this.people(made, items);
    if (made.kind === "timeline") return this.timeline(items);
    if (made.kind === "entities")
      return el(
        "ul",
        { class: "overview cards" },
        items.map((one) => this.card(one, one.kind)),
      );
    if (made.kind === "extract")
      return el(
        "ul",
        { class: "overview cards" },
        items.map((one) => el("li", {}, this.statement(one))),
      );
    if (made.kind === "glossary")
      return el(
        "ul",
        { class: "overview cards" },
        items.map((one) => this.card({ name: one.name, about: one.meaning })),
      );
    return el(
      "ol",
      { class: "overview study" },
      items.map((one) => el("li", {}, el("details", {}, told("summary", one.question), this.statement(one.answer)))),
    );
  }

  statement(one) {
    const place = (one.places ?? [])[0] ?? (one.pages?.length ? `page ${one.pages[0] + 1}` : "");
    const [mark, word, meaning] = STATES[one.state] ?? STATES.quoted;
    const more = (one.pages?.length ?? 0) > 1 ? ` +${one.pages.length - 1}` : "";
    const where = place ? button(`${place}${more}`, () => this.goTo(one), { class: "where" }) : null;
    const doubt =
      one.state && one.state !== "supported"
        ? el("span", { class: `state ${one.state}`, title: meaning, text: `${mark} ${word}` })
        : null;
    return el("p", { dir: "auto" }, told("span", one.text ?? "", { dir: null }), " ", where, doubt ? " " : null, doubt);
  }

  goTo(one) {
    if (one.quote) this.room.quote(one.quote);
    else if (one.pages?.length) this.room.goPage(one.pages[0]);
  }

  section(one) {
    const pages =
      one.first_page === one.last_page
        ? `page ${one.first_page + 1}`
        : `pages ${one.first_page + 1}\u2013${one.last_page + 1}`;
    return el(
      "li",
      { class: `level-${one.level ?? 1}` },
      el(
        "h2",
        {},
        button(told("bdi", one.title), () => this.room.goOffset(one.start), { class: "link" }),
        el("span", { class: "place", text: pages }),
      ),
      (one.statements ?? []).map((point) => this.statement(point)),
    );
  }

  people(made, people) {
    const together = (name) =>
      (made.data.together ?? [])
        .filter((pair) => pair.people.includes(name))
        .sort((one, other) => other.pages - one.pages)
        .slice(0, BESIDE)
        .map((pair) => `${pair.people.find((other) => other !== name)} (${counted(pair.pages, "page")})`);
    const cards = people.map((one) => this.card(one, "", together(one.name)));
    const chosen = (name) => pointTo(cards.find((card) => card.dataset.name === name));
    return el("div", { class: "overview" }, peopleDrawing(people, made.data.together, chosen), el("ul", { class: "cards" }, cards));
  }

  card(one, kind = "", beside = []) {
    const names = one.other_names?.length
      ? told("span", `also ${one.other_names.join(", ")}`, { class: "place" })
      : null;
    const relations = (one.relations ?? []).map((pair) => told("li", `${pair.is}: ${pair.of}`));
    const light = one.pages?.length
      ? button(`${counted(one.pages.length, "page")}`, () => this.room.opened(one.pages), {
          class: "where",
          "aria-label": `Light up ${counted(one.pages.length, "page")} with ${one.name}`,
        })
      : null;
    const { offset = null, end } = one.first ?? {};
    const first =
      offset === null ? null : button("first mention", () => this.room.goOffset(offset, end), { class: "where" });
    return el(
      "li",
      { data: { name: one.name } },
      el("h2", {}, told("bdi", one.name), " ", kind ? told("span", kind, { class: "place" }) : null, names),
      one.about?.text
        ? this.statement({ ...one.about, pages: one.about.pages?.slice(0, 1), places: one.about.places?.slice(0, 1) })
        : null,
      relations.length ? el("ul", {}, relations) : null,
      beside.length ? told("p", `On the same pages: ${beside.join(", ")}`, { class: "quiet" }) : null,
      el("p", { class: "card-places" }, light, first),
    );
  }

  timeline(events) {
    const entries = events.map((one) => this.event(one));
    const drawing = timelineDrawing(events, (at) => pointTo(entries[at]));
    return el("div", { class: "overview" }, drawing, el("ol", { class: "timeline" }, entries));
  }

  event(one) {
    return el("li", {}, told("span", one.when || one.date || "", { class: "time" }), this.statement(one));
  }
}

const NONE = {
  people: "The text names nobody.",
  timeline: "No event was found with a time: no date, no year, and no words such as \u201cthe next morning\u201d.",
  entities: "The text names no organisations, places or things.",
  glossary: "The text explains no terms.",
  outline: "There are no parts to list.",
};

/** Say what was looked for and not found, and what was left out. */
function nothing(made) {
  const left = (made.dropped ?? []).length;
  const why = left ? `${counted(left, "statement")} of the model left out, because the text does not support ${left === 1 ? "it" : "them"}.` : "";
  const more = "The map has the gist of each page, and a question finds what an overview leaves out.";
  return el(
    "div",
    { class: "overview nothing" },
    el("p", { class: "lead", text: NONE[made.kind] ?? "Nothing of this kind was found in the text." }),
    el("p", { class: "quiet", text: [why, more].filter(Boolean).join(" ") }),
  );
}

/** Let the browser save a text as a file. */
export function download(text, name, kind) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
