// The reading room: the text, the map of the memory, and the conversation about it.

import { announce, button, el, fill, kept, problem, throttled, told } from "./dom.js";
import { address, follow, get, isActive, part, post, put, remove } from "./api.js";
import { KINDS, count, counted, pageName } from "./format.js";
import { offerReading } from "./estimate.js";
import { jobParts } from "./jobs.js";
import { GistMap } from "./map.js";
import { splitters } from "./splitters.js";
import { Talk } from "./talk.js";
import { TextPane } from "./text_pane.js";

const FORMATS = [["markdown", "Markdown"], ["html", "Web page"], ["epub", "EPUB"], ["json", "JSON"], ["bibtex", "BibTeX"], ["anki", "Anki cards"]];
const PANES = [["text", "Text"], ["map", "Map"], ["talk", "Ask"]];

export function roomView(root, app, route) {
  const view = new Room(root, app, route);
  view.load(route);
  return view;
}

class Room {
  constructor(root, app, route) {
    this.app = app;
    this.id = route.path[1];
    this.root = root;
    this.pages = [];
    this.chapters = [];
    this.doc = null;
    this.position = null; // the last page that may be shown and asked about; null for all
    this.tab = "map";
    this.build();
  }

  build() {
    const readOnly = this.app.status.read_only;
    this.title = el("h1", { class: "room-title", dir: "auto" });
    this.facts = el("p", { class: "facts" });
    this.slider = el("input", { type: "range", min: 0, max: 1, value: 1, id: "position", "aria-label": "Reading position" });
    this.sliderText = el("output", { class: "position-text", for: "position" });
    this.chapterList = el("select", { class: "chapters", "aria-label": "Go to chapter", hidden: true, on: { change: () => this.goChapter() } });
    const exports = el("details", { class: "menu" }, el("summary", { text: "Export" }), el("div", { class: "menu-list" },
      FORMATS.map(([format, name]) => el("a", { href: address(`documents/${part(this.id)}/export?format=${format}`), download: true, text: name })), button("Print", () => this.print(), { class: "plain" })));
    exports.addEventListener("focusout", (event) => { if (!exports.contains(event.relatedTarget)) exports.open = false; });
    exports.addEventListener("keydown", (event) => { if (event.key === "Escape" && exports.open) { event.stopPropagation(); exports.open = false; exports.firstElementChild.focus(); } });
    this.strip = el("div", { class: "room-job", hidden: true });
    const text = el("section", { class: "pane pane-text", "aria-label": "Text", id: "pane-text", tabindex: "0" });
    this.mapBox = el("div", { class: "pane-body", id: "map-panel", role: "tabpanel", tabindex: "0" });
    this.overviewBox = el("div", { class: "pane-body overview-box", id: "overview-panel", role: "tabpanel", tabindex: "0", hidden: true });
    this.tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "The memory of this text" });
    const map = el("section", { class: "pane pane-map", "aria-label": "Memory", id: "pane-map" }, this.tabs, this.mapBox, this.overviewBox);
    const talk = el("section", { class: "pane pane-talk", "aria-label": "Conversation", id: "pane-talk" });
    this.panes = el("div", { class: "panes", data: { pane: kept.get("pane", "text"), side: "talk" } }, text, map, talk);
    this.switch = el("nav", { class: "pane-switch", "aria-label": "Panes" }, PANES.map(([pane, name]) => button(name, () => this.showPane(pane), { data: { pane } })));
    fill(this.root, el("div", { class: "room" },
      el("header", { class: "room-head" }, el("div", { class: "room-name" }, this.title, this.facts), el("div", { class: "room-tools" }, this.chapterList,
        el("div", { class: "position" }, el("label", { for: "position", text: "Read up to" }), this.slider, this.sliderText), exports)),
      this.strip, this.panes, this.switch));
    this.text = new TextPane(text, this.id, { onPlace: (block) => this.placed(block) });
    this.map = new GistMap(this.mapBox, { readOnly, go: (page) => this.goPage(page.number, { keepPane: true }), save: (number, gist) => this.saveGist(number, gist), unpin: (number) => this.unpin(number) });
    this.talk = new Talk(talk, this, { readOnly });
    this.slider.addEventListener("input", () => this.setPosition(Number(this.slider.value), { keep: true }));
    this.unsplit = splitters(this.panes);
    this.keepPlace = throttled(() => this.writeUrl(), 400);
    this.refresh = throttled(() => this.show(), 900);
    this.follow = throttled(() => this.map.pages && this.map.setCurrent(this.current), 150); // not while the text scrolls fast
    this.drawTabs();
    this.showPane(this.panes.dataset.pane, false);
  }

  close() {
    this.closed = true;
    this.keepPlace.cancel();
    this.refresh.cancel();
    this.follow.cancel();
    this.ending?.();
    this.text.close();
    this.map.close();
    this.talk.close();
    this.overviews?.close();
    this.unsplit();
    document.body.classList.remove("print-text");
  }

  async load(route) {
    try {
      const path = `documents/${part(this.id)}`;
      const [doc, pages, jobs] = await Promise.all([get(path), get(`${path}/pages`), get("jobs"), this.text.store.load(0, 1)]);
      if (this.closed) return;
      this.doc = doc;
      this.chapters = doc.chapters ?? [];
      this.setAll(pages);
      const own = jobs.filter((job) => job.document === this.id);
      document.title = `${doc.title || "Untitled"} \u2013 ReadAgent`;
      fill(this.title, told("bdi", doc.title || "Untitled"));
      this.position = this.startPosition(route.query.get("upto"));
      this.showText();
      await this.update(route);
      await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))); // the text first, then the map
      if (this.closed) return;
      this.showMap();
      this.drawReading(own.find((job) => job.kind === "read" && isActive(job)) ?? (doc.read === "yes" ? null : own.find((job) => job.kind === "read")));
      await this.talk.load(own.find((job) => job.kind === "ask" && isActive(job)));
      this.text.loadRest();
    } catch (error) {
      if (this.closed) return;
      fill(this.root, el("div", { class: "library" }, problem(error), el("p", {}, el("a", { href: "#/", text: "Back to the library" }))));
    }
  }

  setAll(pages) {
    this.pages = [...pages].sort((a, b) => a.start - b.start);
  }

  startPosition(given) {
    const found = given ?? kept.get(`upto.${this.id}`);
    if (!found) return null;
    const number = Number(found) - 1;
    return Number.isInteger(number) && number >= 0 && number < this.pages.length - 1 ? number : null;
  }

  /** Show what the address says: a page, a place in the text, and a tab. */
  async update(route) {
    const tab = route.query.get("tab");
    if (tab && (tab === "map" || KINDS.some(([kind]) => kind === tab)) && tab !== this.tab) this.choose(tab);
    const at = /^(\d+)(?:-(\d+))?$/u.exec(route.query.get("at") ?? "");
    const page = Number(route.query.get("page"));
    if (at && route.query.get("at") !== this.wentTo) {
      this.wentTo = route.query.get("at");
      await this.goOffset(Number(at[1]), at[2] ? Number(at[2]) : null);
    } else if (page && page - 1 !== this.current) await this.goPage(page - 1, { keepPane: true });
  }

  /** Draw everything that depends on the pages. */
  show() {
    this.showText();
    this.showMap();
  }

  showMap() {
    this.map.current = this.current ?? 0;
    this.map.setPages(this.pages, this.position ?? Infinity);
  }

  showText() {
    const limit = this.upTo();
    const total = this.text.store.total;
    this.text.setPages(total, this.pages, this.chapters, limit ?? total);
    fill(this.text.end, el("p", { text: `${counted(this.pages.length - 1 - (this.position ?? this.pages.length - 1), "page")} after your place are hidden.` }), button("Show one page more", () => this.setPosition(this.position + 1, { keep: true })));
    this.slider.max = Math.max(0, this.pages.length - 1);
    this.slider.value = this.position ?? this.pages.length - 1;
    this.slider.disabled = this.pages.length < 2;
    this.drawSlider();
    const words = this.doc.words ?? 0;
    this.facts.textContent = [this.doc.format, `${count(words)} words`, this.pages.length ? counted(this.pages.length, "page") : "not read yet"].filter(Boolean).join(" \u00b7 ");
    const chapters = this.chapters.filter((one) => limit === null || one.start < limit);
    this.chapterList.hidden = chapters.length < 2;
    fill(this.chapterList, el("option", { value: "", text: "Chapters" }), chapters.map((one, at) => told("option", `${"\u2003".repeat(Math.max(0, (one.level ?? 1) - 1))}${one.title}`, { value: String(at) })));
  }

  drawSlider() {
    const all = this.position === null;
    const page = this.pages[this.position ?? this.pages.length - 1];
    const share = page ? Math.round((100 * page.end) / Math.max(1, this.text.store.total)) : 100;
    const text = all ? "everything" : `${pageName(page)} (${share}%)`;
    this.sliderText.textContent = text;
    this.slider.setAttribute("aria-valuetext", all ? "everything" : `page ${this.position + 1} of ${this.pages.length}; the rest is hidden`);
    this.slider.style.setProperty("--share", `${all ? 100 : (100 * this.position) / Math.max(1, this.pages.length - 1)}%`);
  }

  /** Hide what lies after a page, in every pane. */
  setPosition(number, { keep = false } = {}) {
    this.position = number >= this.pages.length - 1 ? null : number;
    if (keep) kept.set(`upto.${this.id}`, this.position === null ? "" : String(this.position + 1));
    this.drawSlider();
    this.positioned ??= throttled(() => {
      if (this.closed) return;
      this.show();
      this.talk.draw();
      this.quotes([]);
      this.map.light([]);
      if (this.tab !== "map") this.drawOverview();
      this.writeUrl();
    }, 60);
    this.positioned();
  }

  /** The offset up to which the reader has read, or null for the whole text. */
  upTo() {
    return this.position === null ? null : this.pages[this.position].end;
  }

  page(number) {
    return this.pages[number]?.number === number ? this.pages[number] : this.pages.find((one) => one.number === number);
  }

  placed(block) {
    if (!block.page) return;
    this.current = block.page.number;
    this.follow();
    this.keepPlace();
  }

  writeUrl() {
    if (this.closed) return;
    const query = new URLSearchParams();
    if (this.current) query.set("page", this.current + 1);
    if (this.position !== null) query.set("upto", this.position + 1);
    if (this.tab !== "map") query.set("tab", this.tab);
    const text = query.toString();
    this.app.replaceRoute(`#/documents/${part(this.id)}${text ? `?${text}` : ""}`);
  }

  async goPage(number, { keepPane = false } = {}) {
    const page = this.page(number);
    if (!page) return;
    if (!keepPane) this.showPane("text", false);
    await this.text.goTo(page.start);
  }

  async goOffset(start, end = null) {
    this.showPane("text", false);
    const limit = this.upTo();
    if (limit !== null && start >= limit) return announce("This lies after your place.");
    return this.text.goTo(start, end);
  }

  goChapter() {
    const chapter = this.chapters[Number(this.chapterList.value)];
    if (this.chapterList.value !== "" && chapter) this.goOffset(chapter.start);
    this.chapterList.value = "";
  }

  step(by) {
    const at = this.pages.findIndex((page) => page.number === this.current);
    const next = this.pages[Math.max(0, Math.min(this.pages.length - 1, at + by))];
    if (next && next.number <= (this.position ?? Infinity)) this.goPage(next.number, { keepPane: true });
  }

  /** Light up pages in the map. */
  opened(numbers, showMap = true) {
    if (showMap && this.tab !== "map") this.choose("map");
    if (showMap) this.showPane("map", false);
    this.map.light(numbers);
  }

  /** Show where quotes are in the text. */
  quotes(list) {
    this.text.setMarks(list.filter((one) => Number.isInteger(one.start)).map((one) => ({ start: one.start, end: one.end, kind: "quote" })));
  }

  /** Scroll to a quote and highlight it. */
  async quote(one) {
    if (!Number.isInteger(one.start)) return;
    await this.goOffset(one.start, one.end);
  }

  async saveGist(number, text) {
    const saved = await put(`documents/${part(this.id)}/pages/${number}/gist`, { text });
    this.setPage({ ...this.page(number), gist: text, pinned: true, ...(saved?.number === number ? saved : {}) });
    announce("The gist is saved and pinned.");
  }

  async unpin(number) {
    await remove(`documents/${part(this.id)}/pages/${number}/gist`);
    this.setAll(await get(`documents/${part(this.id)}/pages`));
    this.show();
  }

  setPage(page) {
    const at = this.pages.findIndex((one) => one.number === page.number);
    if (at >= 0) this.pages[at] = page;
    this.map.pages = this.pages;
    this.map.updateTile(page);
  }

  drawTabs() {
    const tab = (kind, name) => button(name, () => this.choose(kind), { role: "tab", id: `tab-${kind}`, "aria-selected": String(kind === this.tab), "aria-controls": kind === "map" ? "map-panel" : "overview-panel", tabindex: kind === this.tab ? "0" : "-1" });
    fill(this.tabs, tab("map", "Map"), KINDS.map(([kind, name]) => tab(kind, name)));
    this.mapBox.setAttribute("aria-labelledby", "tab-map");
    this.overviewBox.setAttribute("aria-labelledby", `tab-${this.tab}`);
    this.tabs.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const all = ["map", ...KINDS.map(([kind]) => kind)];
      this.choose(all[(all.indexOf(this.tab) + step + all.length) % all.length]);
      this.tabs.querySelector('[aria-selected="true"]').focus();
    };
  }

  /** Show the map or an overview in the middle pane. */
  choose(tab) {
    this.tab = tab;
    this.drawTabs();
    this.mapBox.hidden = tab !== "map";
    this.overviewBox.hidden = tab === "map";
    if (tab !== "map") this.drawOverview();
    this.tabs.querySelector('[aria-selected="true"]').scrollIntoView({ block: "nearest", inline: "nearest" });
    this.writeUrl();
  }

  /** Show an overview; what makes them is only fetched when it is needed. */
  async drawOverview() {
    if (!this.overviews) {
      const { Overviews } = await import("./overviews.js");
      this.overviews ??= new Overviews(this, { readOnly: this.app.status.read_only });
      await this.overviews.load();
    }
    if (!this.closed && this.tab !== "map") this.overviews.draw(this.overviewBox, this.tab);
  }

  /** On a narrow screen one pane is shown at a time, on a medium one the text and another. */
  showPane(pane, keep = true) {
    this.panes.dataset.pane = pane;
    if (pane !== "text") this.panes.dataset.side = pane;
    if (keep) kept.set("pane", pane);
    if (pane === "map") this.map?.show();
    if (pane === "talk") this.talk?.toEnd();
    for (const one of this.switch.children) {
      const shown = one.dataset.pane === pane;
      one.classList.toggle("shown", shown);
      one.setAttribute("aria-pressed", String(shown));
      one.classList.toggle("beside", one.dataset.pane === this.panes.dataset.side);
    }
  }

  /** Show the reading that is under way, or offer to read. */
  drawReading(job) {
    this.job = job;
    this.ending?.();
    this.ending = null;
    if (!isActive(job)) {
      const unread = this.doc.read !== "yes";
      this.strip.hidden = !unread && !this.doc.failed_pages;
      if (!unread) return this.offerRetry();
      const offer = el("div", { class: "estimate", hidden: true });
      const failed = job && ["failed", "stopped"].includes(job.state) && job.reason ? problem({ message: job.reason, hint: job.hint }) : null;
      const start = this.app.status.read_only ? null : button("Read it\u2026", () => offerReading(offer, [this.doc], { isLocal: this.app.status.is_local, started: ([made]) => this.drawReading(made), close: () => { offer.hidden = true; } }), { class: "small main" });
      return fill(this.strip, el("div", { class: "job-row" }, el("span", { text: this.doc.read === "partly" ? "This text has been read only in part." : "This text has not been read yet: there are no gists to ask." }), start), failed, offer);
    }
    this.strip.hidden = false;
    const draw = () => fill(this.strip, jobParts(this.job, (changed) => { this.job = { ...this.job, ...changed }; draw(); }, { readOnly: this.app.status.read_only }));
    draw();
    this.ending = follow(job.id, {
      begin: () => { this.setAll([]); this.refresh(); },
      state: (now) => { this.job = now; draw(); },
      progress: (progress) => {
        const quarter = (one) => Math.floor((4 * (one?.done ?? 0)) / Math.max(1, one?.total ?? 1));
        if (quarter(progress) > quarter(this.job.progress)) announce(`${25 * quarter(progress)}% read`);
        this.job = { ...this.job, progress };
        draw();
      },
      page: (page) => { this.addPage(page); this.refresh(); },
      gist: ({ start, text }) => {
        const page = this.pages.find((one) => one.start === start);
        if (page) this.setPage({ ...page, gist: text });
      },
      note: ({ text }) => announce(text),
      done: async (ended) => {
        [this.doc, this.pages] = await Promise.all([get(`documents/${part(this.id)}`), get(`documents/${part(this.id)}/pages`)]);
        if (this.closed) return;
        this.chapters = this.doc.chapters ?? [];
        this.setAll(this.pages);
        this.show();
        this.drawReading(ended);
        announce(ended.state === "done" ? "The text has been read." : `Reading ended: ${ended.reason || ended.state}`);
      },
      gone: (error) => this.drawReading({ ...job, state: "failed", reason: error.message, hint: error.hint }),
    });
    return undefined;
  }

  /** Offer to read pages again for which the model returned nothing usable. */
  offerRetry() {
    if (!this.doc.failed_pages) return undefined;
    const why = el("p", { class: "problem", role: "alert" });
    const again = this.app.status.read_only ? null : button("Read them again", async () => {
      try {
        this.drawReading(await post(`documents/${part(this.id)}/readings`, { retry: true }));
      } catch (error) {
        fill(why, told("span", [error.message, error.hint].filter(Boolean).join(": ")));
      }
    }, { class: "small" });
    return fill(this.strip, el("div", { class: "job-row" }, el("span", { text: `For ${counted(this.doc.failed_pages, "page")} the model wrote no usable gist; the beginning of the page stands in its place.` }), again), why);
  }

  /** Take a page that was found while reading; pages are not found in order. */
  addPage(page) {
    const old = this.pages.find((one) => one.start === page.start);
    const found = { place: "", chapter: "", gist: old?.gist ?? null, gist_words: 0, pinned: false, failed: false, ...page };
    this.setAll([...this.pages.filter((one) => one.start !== page.start), found]);
    this.pages.forEach((one, at) => (one.number = at));
  }

  async print() {
    document.body.classList.add("print-text");
    const total = this.upTo() ?? this.text.store.total;
    await this.text.store.load(0, total);
    const all = el("div", { class: "print-all" }, el("h1", { dir: "auto", text: this.doc.title }), this.text.blocks.map((block) => this.text.makeBlock(block, 0)));
    document.body.append(all);
    globalThis.print();
    all.remove();
    document.body.classList.remove("print-text");
    this.text.clear();
    this.text.draw();
  }

  /** The keys of this view; true if the key was used. */
  key(event) {
    if (event.key === "/") {
      this.showPane("talk");
      this.talk.focus();
    } else if (event.key === "j") this.step(1);
    else if (event.key === "k") this.step(-1);
    else if (event.key === "g") {
      this.choose("map");
      this.showPane("map");
      this.map.focus();
    } else if (event.key === "t") {
      this.showPane("text");
      document.getElementById("pane-text").focus();
    } else return false;
    return true;
  }
}
