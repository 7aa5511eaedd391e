// The memory as a map: every page a tile with its gist, as large as the page is long, chapters as rows.

import { button, el, fill, told, visible } from "./dom.js";
import { count, counted, pageName } from "./format.js";

const ROW = 20; // pages of a row where the document has no chapters
const MANY = 60; // pages from which on the map begins as a mosaic

export class GistMap {
  /**
   * `go(page)` is called for a tile that somebody chooses, `save(number, text)` for an edited gist, and
   * `unpin(number)` to give a gist back to the model; the last two return a promise.
   */
  constructor(root, { go, save, unpin, readOnly }) {
    this.root = root;
    this.go = go;
    this.save = save;
    this.unpin = unpin;
    this.readOnly = readOnly;
    this.tiles = new Map();
    this.current = 0;
    this.form = null;
    this.lang = null; // of the text
    this.tools = el("div", { class: "map-tools" });
    this.rows = el("div", { class: "rows", role: "group", "aria-label": "Pages and their gists" });
    this.rows.addEventListener("click", (event) => this.click(event));
    this.rows.addEventListener("keydown", (event) => this.key(event));
    this.canvas = el("canvas", { class: "strip", "aria-hidden": "true" });
    this.head = el("div", { class: "map-head" }, this.tools, this.canvas);
    fill(root, this.head, this.rows);
  }

  close() {
    this.closed = true;
    this.strip?.close();
  }

  /** Show these pages; gists after the page `last` are hidden. */
  setPages(pages, last) {
    this.pages = pages;
    this.last = last;
    if (this.mosaic === undefined) this.mosaic = pages.length > MANY;
    const groups = rowsOf(pages, last);
    const key = groups
      .map((group) => `${group.title}|${group.pages.map((page) => `${page.number}:${page.words}`)}`)
      .join("/");
    if (key !== this.key_) {
      this.key_ = key;
      this.tiles.clear();
      fill(
        this.rows,
        groups.length ? groups.map((group) => this.row(group)) : el("p", { class: "quiet", text: "When the text is read, each of its pages gets a tile here, with its gist." }),
      );
    }
    for (const page of pages) this.updateTile(page);
    this.drawTools();
    this.setCurrent(this.current);
  }

  row(group) {
    const tiles = group.pages.map((page) => this.tile(page));
    const heading = group.title ? told("h2", group.title, { class: "row-title", lang: this.lang }) : null;
    const row = el("section", { class: "row" }, heading, el("div", { class: "tiles" }, tiles));
    const words = group.pages.reduce((sum, page) => sum + page.words, 0);
    row.style.setProperty("--guess", `${Math.round(this.mosaic ? 24 + words / 250 : 40 + group.pages.length * 150)}px`);
    return row;
  }

  tile(page) {
    const name = el("button", { type: "button", class: "tile-name", tabindex: "-1" });
    const tile = el(
      "article",
      { class: "tile", data: { page: page.number } },
      name,
      el("p", { class: "gist", dir: "auto", lang: this.lang }),
    );
    tile.style.setProperty("--words", page.words);
    this.tiles.set(page.number, tile);
    return tile;
  }

  /** Show the state of one page. */
  updateTile(page) {
    const tile = this.tiles.get(page.number);
    if (!tile || tile.contains(this.form)) return;
    const after = page.number > this.last;
    const state = `${after}|${page.pinned}|${page.gist_problem}|${page.gist ?? ""}`;
    if (tile.state === state) return;
    tile.state = state;
    tile.classList.toggle("after", after);
    tile.classList.toggle("pinned", Boolean(page.pinned));
    tile.classList.toggle("failed", Boolean(page.gist_problem));
    tile.classList.toggle("unread", !page.gist);
    const notes = [page.pinned && "pinned", page.gist_problem && "failed", after && "after your place"].filter(Boolean);
    const name = tile.firstElementChild;
    fill(
      name,
      el("span", { class: "tile-page", text: after ? `page ${page.number + 1}` : pageName(page) }),
      el("span", { class: "tile-note", text: notes.join(", ") }),
    );
    name.setAttribute(
      "aria-label",
      `${pageName(page)}, ${counted(page.words, "word")}${notes.length ? `, ${notes.join(", ")}` : ""}`,
    );
    tile.querySelector(".gist").textContent = after ? "" : visible(page.gist ?? "");
    tile.title = page.gist_problem && !after ? page.gist_problem : "";
  }

  /** Light up the pages that a model opened. */
  light(numbers) {
    if (numbers.length) this.loadStrip().catch(() => {});
    for (const tile of this.rows.querySelectorAll(".lit")) tile.classList.remove("lit");
    for (const number of numbers) this.tiles.get(number)?.classList.add("lit");
    this.lit = [...numbers];
    this.drawTools();
    this.drawStrip();
    if (numbers.length) this.show(numbers[numbers.length - 1]);
  }

  /** Bring the tile of a page into view. */
  show(number = this.current) {
    this.tiles.get(number)?.scrollIntoView({ block: "nearest", behavior: "auto" });
  }

  /** Load what draws all pages in one line. */
  async loadStrip() {
    const { Strip } = await import("./strip.js");
    if (this.closed) return;
    this.strip ??= new Strip(this.canvas, this.go);
    this.drawStrip();
  }

  drawStrip() {
    this.strip?.show({ pages: this.pages ?? [], last: this.last, lit: this.lit ?? [], current: this.current });
  }

  /** Mark the page that the reader is on. */
  setCurrent(number) {
    const old = this.tiles.get(this.current);
    if (old) {
      old.removeAttribute("aria-current");
      old.firstElementChild.tabIndex = -1;
      if (!old.contains(this.form)) old.querySelector(".tile-tools")?.remove();
    }
    this.current = number;
    this.drawStrip();
    const tile = this.tiles.get(number);
    if (!tile) return;
    tile.setAttribute("aria-current", "true");
    tile.firstElementChild.tabIndex = 0;
    const page = this.pages.find((one) => one.number === number);
    if (page?.gist && !this.readOnly && !tile.contains(this.form) && page.number <= this.last)
      this.addTools(tile, page);
    const pane = this.root.getBoundingClientRect();
    const box = tile.getBoundingClientRect();
    const top = pane.top + this.head.offsetHeight;
    if (pane.height && !this.rows.contains(document.activeElement) && (box.top < top || box.bottom > pane.bottom))
      this.show(number);
  }

  addTools(tile, page) {
    tile.querySelector(".tile-tools")?.remove();
    tile.append(
      el(
        "div",
        { class: "tile-tools" },
        button("Edit gist", () => this.edit(page.number), { class: "small" }),
        page.pinned && button("Unpin", () => this.unpin(page.number), { class: "small" }),
      ),
    );
  }

  /** Let the reader write the gist of a page. */
  async edit(number) {
    this.editGist ??= (await import("./gist_form.js")).editGist; // usually loaded: what is typed next goes into the form
    this.editGist(this, number);
  }

  click(event) {
    const tile = event.target.closest(".tile");
    if (!tile || event.target.closest("form, .tile-tools") || tile.classList.contains("after")) return;
    this.go(this.pages.find((page) => page.number === Number(tile.dataset.page)));
  }

  key(event) {
    if (event.target.closest("form") || event.altKey || event.ctrlKey || event.metaKey) return;
    const tile = event.target.closest(".tile");
    if (!tile) return;
    const at = this.pages.findIndex((page) => page.number === Number(tile.dataset.page));
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -at, End: this.pages.length };
    if (event.key === "e") {
      event.preventDefault();
      return this.edit(this.pages[at].number);
    }
    if (!(event.key in steps)) return undefined;
    event.preventDefault();
    const upTo = this.pages.filter((page) => page.number <= this.last).length - 1;
    const next = this.pages[Math.max(0, Math.min(upTo, at + steps[event.key]))];
    this.go(next);
    this.setCurrent(next.number);
    return this.focus();
  }

  /** Give the focus to the tile of the current page. */
  focus() {
    (this.tiles.get(this.current) ?? this.tiles.values().next().value)?.firstElementChild.focus();
  }

  drawTools() {
    const pages = this.pages ?? [];
    const gists = pages.filter((page) => page.gist);
    const words = gists.reduce((sum, page) => sum + (page.gist_words || page.gist.split(/\s+/u).length), 0);
    const full = gists.reduce((sum, page) => sum + page.words, 0);
    const shorter = full ? ` \u00b7 ${Math.round(100 - (100 * words) / full)}% shorter` : "";
    const facts = pages.length
      ? `${counted(pages.length, "page")}${words ? ` \u00b7 gists of ${count(words)} words${shorter}` : ""}`
      : "";
    const toggle = (mosaic, text) =>
      button(
        text,
        () => {
          this.mosaic = mosaic;
          this.drawTools();
          this.show(this.current);
        },
        { "aria-pressed": String(this.mosaic === mosaic), class: "small" },
      );
    this.rows.classList.toggle("mosaic", Boolean(this.mosaic));
    const clear = this.lit?.length
      ? button(`${counted(this.lit.length, "page")} lit \u00d7`, () => this.light([]), {
          class: "small lit-count",
          "aria-label": "Put the lights out",
        })
      : null;
    fill(
      this.tools,
      el("span", { class: "facts", text: facts }),
      clear,
      pages.length > 1 &&
        el(
          "span",
          { class: "pair", role: "group", "aria-label": "Size of the tiles" },
          toggle(false, "Gists"),
          toggle(true, "Mosaic"),
        ),
    );
  }
}

/** Group pages by chapter, or by twenty where there are none; chapters after the reader's place have no title. */
function rowsOf(pages, last) {
  const rows = [];
  for (const page of pages) {
    const hidden = page.number > last;
    const chapter = hidden ? "hidden" : (page.chapter_index ?? null);
    const row = rows[rows.length - 1];
    if (row && row.chapter === chapter && (chapter !== null || row.pages.length < ROW)) row.pages.push(page);
    else rows.push({ chapter, title: hidden ? "" : page.chapter || "", pages: [page] });
  }
  return rows;
}
