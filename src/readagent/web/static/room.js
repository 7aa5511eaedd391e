// The reading room: the text, the map of the memory, and the conversation about it.

import { announce, button, el, fill, kept, notThere, throttled } from "./dom.js";
import { get, isActive, part, put, remove } from "./api.js";
import { KINDS, counted } from "./format.js";
import { GistMap } from "./map.js";
import { endOfPages, followGrown, keepPlace, placeIn } from "./position.js";
import { RoomHead } from "./room_head.js";
import { splitters } from "./splitters.js";
import { Talk } from "./talk.js";
import { TextPane } from "./text_pane.js";

const FOLLOWED_AFTER = 3000; // milliseconds; a room that was just loaded is up to date
const OPTIONS = ["words", "count", "audience", "chapter"]; // of overviews, in addresses
const PANES = [
  ["text", "Text"],
  ["map", "Map"],
  ["talk", "Ask"],
];

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
    this.place = null; // the offset up to which the text may be shown and asked about; null for all
    this.tab = "map";
    this.overviewOptions = {}; // those that are not the usual ones
    this.build();
  }

  build() {
    const readOnly = this.app.status.read_only;
    this.head = new RoomHead(this.id, {
      position: (number) => this.setPosition(number),
      chapter: (start) => this.goOffset(start),
      print: () => this.print(),
    });
    this.readingBox = el("div", { class: "room-job", hidden: true });
    const text = el("section", { class: "pane pane-text", "aria-label": "Text", id: "pane-text", tabindex: "0" });
    this.mapBox = el("div", { class: "pane-body", id: "map-panel", role: "tabpanel", tabindex: "0" });
    this.overviewBox = el("div", {
      class: "pane-body overview-box",
      id: "overview-panel",
      role: "tabpanel",
      tabindex: "0",
      hidden: true,
    });
    this.tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "The memory of this text" });
    const map = el(
      "section",
      { class: "pane pane-map", "aria-label": "Memory", id: "pane-map" },
      this.tabs,
      this.mapBox,
      this.overviewBox,
    );
    const talk = el("section", { class: "pane pane-talk", "aria-label": "Conversation", id: "pane-talk" });
    this.panes = el("div", { class: "panes", data: { pane: kept.get("pane", "text"), side: "talk" } }, text, map, talk);
    this.switch = el(
      "nav",
      { class: "pane-switch", "aria-label": "Panes" },
      PANES.map(([pane, name]) => button(name, () => this.showPane(pane), { data: { pane } })),
    );
    const low = matchMedia("(max-height: 479px)");
    const fit = () => low.matches && this.panes.scrollIntoView({ block: "nearest" }); // the bars scroll away with a pane
    this.panes.addEventListener("scroll", fit, { capture: true, passive: true });
    this.after = el("p", { class: "after-place", hidden: true, text: "That passage lies after your place, so it is hidden." });
    const parts = [this.head.root, this.readingBox, this.after, this.panes, this.switch];
    fill(this.root, el("div", { class: "room" }, parts));
    this.text = new TextPane(text, this.id, { onPlace: (block) => this.placed(block) });
    this.map = new GistMap(this.mapBox, {
      readOnly,
      go: (page) => this.goPage(page.number, { keepPane: true }),
      save: (number, gist, before) => this.saveGist(number, gist, before),
      unpin: (number) => this.unpin(number),
    });
    this.talk = new Talk(talk, this, { readOnly });
    this.unsplit = splitters(this.panes);
    this.keepPlace = throttled(() => this.writeUrl(), 400);
    this.refresh = throttled(() => this.show(), 900);
    this.follow = throttled(() => this.map.pages && this.map.setCurrent(this.current), 150); // not while the text scrolls fast
    this.showPane(this.panes.dataset.pane, false);
  }

  close() {
    if (this.closed) return;
    this.closed = true;
    announce("");
    this.keepPlace.cancel();
    this.refresh.cancel();
    this.follow.cancel();
    clearTimeout(this.followed);
    this.following?.close();
    this.reading?.close();
    this.text.close();
    this.map.close();
    this.talk.close();
    this.overviews?.close();
    this.highlights?.close();
    document.removeEventListener("selectionchange", this.selected);
    this.unsplit();
  }

  /** Look from now on at what is done with the text elsewhere. */
  async startFollowing() {
    try {
      const scripts = [import("./following.js"), import("./gist_form.js"), this.talk.loadAsking(), this.map.loadStrip()];
      const [{ Following }, { editGist }] = await Promise.all(scripts);
      this.map.editGist = editGist;
      if (!this.closed) this.following = new Following(this);
    } catch {
      if (!this.closed) this.followed = setTimeout(() => this.startFollowing(), FOLLOWED_AFTER); // the connection is lost
    }
  }

  async load(route) {
    try {
      const path = `documents/${part(this.id)}`;
      const [doc, pages, jobs] = await Promise.all([
        get(path),
        get(`${path}/pages`),
        get(`jobs?document=${part(this.id)}`),
        this.text.store.load(0, 1),
        followGrown(),
      ]);
      if (this.closed) return;
      this.doc = doc;
      this.chapters = doc.chapters ?? [];
      this.setAll(pages);
      for (const pane of [this.text.scroller, this.head.title]) pane.lang = doc.language; // so that words break as they should
      this.map.lang = doc.language;
      const own = jobs.filter((job) => job.document === this.id);
      document.title = `${doc.title || "Untitled"} \u2013 ReadAgent`;
      this.place = this.startPlace(route.query);
      this.drawTabs();
      this.showText();
      await this.update(route);
      await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))); // the text first, then the map
      if (this.closed) return;
      this.showMap();
      const readings = own.filter((job) => job.kind === "read");
      await this.showReading(readings.find(isActive) ?? (doc.read === "yes" ? null : readings[0]));
      await this.talk.load(own);
      await this.showAnswer(route);
      this.text.loadRest();
      await this.loadHighlights();
      this.followed = setTimeout(() => this.startFollowing(), FOLLOWED_AFTER);
    } catch (error) {
      if (!this.closed) await this.gone(error);
    }
  }

  /** Show what is highlighted; what highlights is only fetched when there is something, or something is selected. */
  async loadHighlights() {
    const found = await get(`documents/${part(this.id)}/highlights`).catch(() => []);
    if (found.length || this.tab === "highlights" || !getSelection().isCollapsed) return this.startHighlights();
    this.selected = () => this.startHighlights().catch(() => {}); // the connection is lost
    return document.addEventListener("selectionchange", this.selected, { once: true });
  }

  async startHighlights() {
    const { Highlights } = await import("./highlights.js").catch(() => ({})); // without the server there are none
    if (!Highlights || this.closed || this.highlights) return;
    this.highlights = new Highlights(this, { readOnly: this.app.status.read_only });
    await this.highlights.load();
    if (this.tab === "highlights") this.drawOverview();
  }

  /** Go to the longer text that this one has grown into; if there is none, say what is wrong. */
  async gone(error) {
    const doc = error.status === 404 ? await get(`documents/${part(this.id)}`).catch(() => null) : null;
    if (this.closed) return;
    if (doc && doc.id !== this.id) return this.grown(doc);
    this.close();
    const removed = error.status === 404 && (await import("./trash.js").then((it) => it.inTrash(this.id), () => null));
    fill(this.root, removed || notThere(error));
  }

  /** Go to the longer text that this one has grown into. */
  grown(doc) {
    location.replace(`#/documents/${part(doc.id)}${this.place === null ? "" : `?place=${this.place}`}`);
  }

  /** Show a reading, or what is left to read; most texts have been read, and then nothing is fetched for that. */
  async showReading(job) {
    if (!job && !this.reading && this.doc.read === "yes" && !this.doc.failed_pages) return;
    const { Reading } = await import("./reading.js");
    if (this.closed) return;
    this.reading ??= new Reading(this.readingBox, this, this.app.status);
    this.reading.show(job);
  }

  setAll(pages) {
    this.pages = [...pages].sort((a, b) => a.start - b.start);
  }

  /** Show the pages that were found so far, a little later: more of them come. */
  takePages(pages) {
    this.setAll(pages);
    this.refresh();
  }

  /** Load the document and its pages again. */
  async reload() {
    const path = `documents/${part(this.id)}`;
    const [doc, pages] = await Promise.all([get(path), get(`${path}/pages`)]);
    if (this.closed) return;
    this.doc = doc;
    this.chapters = doc.chapters ?? [];
    this.setAll(pages);
    if (this.place !== null) this.place = placeIn(this.doc.id) ?? this.place;
    this.show();
  }

  /** Return the place that the address names, or else the one that is kept. */
  startPlace(query) {
    const known = placeIn(this.doc.id);
    const [named, count] = [Number(query.get("place")), Number(query.get("upto"))];
    let place = known;
    if (Number.isInteger(named) && named > 0) place = named;
    else if (Number.isInteger(count) && count > 0) place = Math.min(known ?? Infinity, endOfPages(count, this.pages));
    if (place === null || place >= this.text.store.total) return null;
    if (place !== known) keepPlace(this.id, place); // so that shelves and the search hide the same
    return place;
  }

  /** The last page that lies before the place of the reader, -1 if none does; null if all do. */
  get position() {
    return this.place === null ? null : this.pages.findLastIndex((page) => page.end <= this.place);
  }

  /** Show what the address says: a page, a place in the text, and a tab. */
  async update(route) {
    const tab = route.query.get("tab") ?? "map";
    const options = Object.fromEntries(OPTIONS.filter((name) => route.query.has(name)).map((name) => [name, route.query.get(name)]));
    const other = JSON.stringify(options) !== JSON.stringify(this.overviewOptions);
    this.overviewOptions = options;
    const there = [...this.kinds().map(([kind]) => kind), "highlights"]; // which are not loaded yet
    const isOther = there.includes(tab) && tab !== this.tab;
    if (isOther) this.showTab(tab);
    else if (other && this.tab !== "map") this.drawOverview();
    if (isOther && tab !== "map") this.showPane("map", false);
    const at = /^(\d+)(?:-(\d+))?$/u.exec(route.query.get("at") ?? "");
    const page = Number(route.query.get("page"));
    if (at && route.query.get("at") !== this.wentTo) {
      this.wentTo = route.query.get("at");
      await this.goOffset(Number(at[1]), at[2] ? Number(at[2]) : null);
    } else if (page && page - 1 !== this.current) await this.goPage(page - 1, { keepPane: true });
    await this.showAnswer(route);
  }

  /** Show the answer that the address names. */
  async showAnswer(route) {
    const id = Number(route.query.get("answer"));
    const answer = id ? this.talk.find(id) : null;
    if (!answer) return id && this.talk.loaded && this.talk.lacks(id);
    this.showPane("talk", false);
    this.talk.find(id); // now that the pane has a height
    this.opened(answer.pages, false);
    this.quotes(answer.quotes);
    if (answer.quotes.length) await this.quote(answer.quotes[0], { keepPane: true });
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
    const hidden = this.place === null ? 0 : this.pages.length - 1 - this.position;
    const what = this.pages.length ? `${counted(hidden, "page")} after your place are hidden.` : "The rest is hidden.";
    const more = this.pages.length ? "Show one page more" : "Show the rest";
    fill(this.text.end, el("p", { text: what }), button(more, () => this.setPosition(this.position + 1)));
    this.drawHead();
  }

  drawHead() {
    this.head.show(this.doc, this.pages, this.chapters, this.known());
  }

  /** Hide what lies after a page, in every pane. */
  setPosition(number) {
    this.place = number >= this.pages.length - 1 ? null : this.pages[number].end;
    this.after.hidden = true;
    announce(""); // it may have told an answer that is hidden now
    keepPlace(this.id, this.place);
    this.head.drawPosition(this.pages, this.known());
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
    return this.place;
  }

  /** How much may be shown: the place, the last page before it, and the length of the text. */
  known() {
    return { place: this.place, position: this.position, total: this.text.store.total };
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

  writeUrl(write = this.app.replaceRoute) {
    if (this.closed) return;
    const query = new URLSearchParams();
    if (this.current) query.set("page", this.current + 1);
    if (this.place !== null) query.set("place", this.place);
    if (this.tab !== "map") query.set("tab", this.tab);
    for (const [name, value] of Object.entries(this.overviewOptions)) query.set(name, value);
    const text = query.toString();
    write(`#/documents/${part(this.id)}${text ? `?${text}` : ""}`);
  }

  async goPage(number, { keepPane = false } = {}) {
    const page = this.page(number);
    if (!page) return;
    if (!keepPane) this.showPane("text", false);
    await this.text.goTo(page.start);
  }

  async goOffset(start, end = null, { keepPane = false } = {}) {
    if (!keepPane) this.showPane("text", false);
    const limit = this.upTo();
    this.after.hidden = limit === null || start < limit;
    if (!this.after.hidden) return announce("This lies after your place.");
    return this.text.goTo(start, end);
  }

  step(by) {
    const at = this.pages.findIndex((page) => page.number === this.current);
    const next = this.pages[Math.max(0, Math.min(this.pages.length - 1, at + by))];
    if (next && next.start < (this.place ?? Infinity)) this.goPage(next.number, { keepPane: true });
  }

  /** Light up pages in the map. */
  opened(numbers, showMap = true) {
    if (showMap && this.tab !== "map") this.choose("map");
    if (showMap) this.showPane("map", false);
    this.map.light(numbers);
  }

  /** Show where quotes are in the text. */
  quotes(list) {
    this.text.setMarks(
      list
        .filter((one) => Number.isInteger(one.start))
        .map((one) => ({ start: one.start, end: one.end, kind: "quote" })),
    );
  }

  /** Scroll to a quote and highlight it. */
  async quote(one, how) {
    if (!Number.isInteger(one.start)) return;
    if (this.tab === "original") this.original?.load(one, true);
    await this.goOffset(one.start, one.end, how);
  }

  /** Save a gist, unless the one that it replaces is no longer `before`; then the newer one is shown. */
  async saveGist(number, text, before) {
    const path = `documents/${part(this.id)}/pages`;
    const saved = await put(`${path}/${number}/gist`, { text, before }).catch(async (error) => {
      if (error.status === 409) this.takePages(await get(path));
      this.map.pages = this.pages;
      throw error;
    });
    const words = text.split(/\s+/u).filter(Boolean).length;
    const edited = { ...this.page(number), gist: text, gist_words: words, pinned: true };
    this.setPage({ ...edited, ...(saved?.number === number ? saved : {}) });
    this.map.drawTools();
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

  /** The tabs of the middle pane. */
  kinds() {
    const own = this.highlights?.all.length || this.tab === "highlights" ? [["highlights", "Highlights"]] : [];
    const original = this.doc?.format === "pdf" || this.tab === "original" ? [["original", "PDF"]] : [];
    return [["map", "Map"], ...KINDS, ...own, ...original];
  }

  drawTabs() {
    const tab = (kind, name) =>
      button(name, () => this.choose(kind), {
        role: "tab",
        id: `tab-${kind}`,
        "aria-selected": String(kind === this.tab),
        "aria-controls": kind === "map" ? "map-panel" : "overview-panel",
        tabindex: kind === this.tab ? "0" : "-1",
      });
    fill(this.tabs, this.kinds().map(([kind, name]) => tab(kind, name)));
    this.mapBox.setAttribute("aria-labelledby", "tab-map");
    this.overviewBox.setAttribute("aria-labelledby", `tab-${this.tab}`);
    this.tabs.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const all = this.kinds().map(([kind]) => kind);
      this.choose(all[(all.indexOf(this.tab) + step + all.length) % all.length]);
      this.tabs.querySelector('[aria-selected="true"]').focus();
    };
  }

  /** Show the map or an overview in the middle pane; the way back leads to what was there. */
  choose(tab) {
    if (tab === this.tab) return;
    this.writeUrl();
    this.overviewOptions = {};
    this.showTab(tab);
    this.writeUrl(this.app.pushRoute);
  }

  /** Show the overview of the open tab with these options. */
  chooseOverview(options) {
    this.overviewOptions = options;
    this.writeUrl(this.app.pushRoute);
    this.drawOverview();
  }

  showTab(tab) {
    this.tab = tab;
    this.drawTabs();
    this.mapBox.hidden = tab !== "map";
    this.overviewBox.hidden = tab === "map";
    if (tab !== "map") this.drawOverview(true);
  }

  /** Show an overview; what makes them is only fetched when it is needed. */
  async drawOverview(anew = false) {
    if (this.tab === "highlights") return this.highlights?.draw(this.overviewBox);
    if (this.tab === "original") return this.drawOriginal();
    const draw = () => !this.closed && KINDS.some(([kind]) => kind === this.tab) && this.overviews?.draw(this.overviewBox, this.tab);
    draw();
    if (!anew) return undefined;
    const { Overviews } = await import("./overviews.js");
    this.overviews ??= new Overviews(this, this.app.status);
    await this.overviews.load();
    draw();
  }

  async drawOriginal() {
    const { Original } = await import("./original.js");
    this.original ??= new Original(this);
    if (!this.closed && this.tab === "original") this.original.draw(this.overviewBox);
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

  async print() {
    const { printText } = await import("./print.js");
    await printText(this.text, this.doc.title);
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
    } else if (event.key === "h") this.startHighlights().then(() => this.highlights?.add());
    else return false;
    return true;
  }
}
