// The library: documents and shelves, what has been read, and ways to add more.

import { button, complain, el, fill, kept, problem, throttled, told } from "./dom.js";
import { get, getAgain, isActive, part, post } from "./api.js";
import { count, counted } from "./format.js";
import { dropZone, droppedFiles, leftOut, paste, uploadFiles, uploads } from "./adding.js";
import { subscribe } from "./changes.js";
import { DocumentRow, icon } from "./document_row.js";
import { offerReading } from "./estimate.js";
import { jobsText } from "./jobs.js";
import { moveToTrash } from "./removal.js";
import { putOnShelf, shelfList } from "./shelf_list.js";
import { tagDocuments } from "./tags.js";

const PAGE = 50; // documents that are shown at once
const MOST = 200; // documents that the server lists at once
const SORTS = [
  ["-added", "Newest first"],
  ["added", "Oldest first"],
  ["title", "By title"],
  ["-words", "Longest first"],
  ["-questions", "Most asked first"],
];

const chosen = new Map(); // documents as they were last seen, until somebody clears them or they are gone

export function libraryView(root, app, route) {
  const view = new Library(root, app, route);
  view.load();
  return view;
}

class Library {
  constructor(root, app, route) {
    this.app = app;
    this.route = route;
    this.readOnly = app.status.read_only;
    this.rows = new Map(); // by document
    this.jobs = new Map(); // the newest one that reads a document
    this.part = null;
    this.changed = throttled(() => this.load(), 800);
    this.setup = el("div");
    if (app.status.is_local) import("./setup.js").then(async ({ setupOffer }) => fill(this.setup, await setupOffer()), () => {});
    uploads.added = (some) => this.added(some);
    this.offerAll = el("div", { class: "offer-all estimate", hidden: true });
    this.list = el("ul", { class: "documents" });
    const soon = () => import("./room.js"); // so that a document opens at once
    for (const sign of ["pointerover", "focusin"]) this.list.addEventListener(sign, soon, { once: true });
    this.note = el("div", { class: "list-note" });
    this.bulk = el("div", { class: "bulk", role: "group", "aria-label": "Chosen documents", hidden: true });
    this.pager = el("nav", { class: "pager", "aria-label": "Pages of the list", hidden: true });
    this.filters = el("nav", { class: "filters-list", "aria-label": "Documents" });
    this.shelves = el("section", { class: "shelves", "aria-labelledby": "shelves-title" });
    this.count = el("span", { class: "count" });
    this.readAll = el("span");
    this.going = el("a", { class: "count", href: "#/server", hidden: true });
    fill(
      root,
      el(
        "div",
        { class: "library wide" },
        el("aside", { class: "library-side", "aria-label": "Parts of the library" }, this.side()),
        el(
          "div",
          { class: "library-main" },
          el("header", { class: "view-head" }, el("h1", { text: "Library" }), this.count, this.going, this.readAll),
          this.setup,
          this.readOnly ? el("p", { class: "note", text: "This server is read-only." }) : this.adding(),
          uploads.root,
          this.offerAll,
          this.toolbar(),
          this.bulk,
          this.note,
          this.list,
          this.pager,
        ),
      ),
    );
    this.drag = this.readOnly
      ? null
      : dropZone((transfer) => droppedFiles(transfer).then((files) => this.upload(files)));
    const took = (job) => (job.kind === "read" && this.took(job), this.changed());
    this.end = subscribe({ begin: this.changed, library: this.changed, state: took, done: took, progress: (one) => this.progress(one) });
  }

  /** The filters and shelves: beside the list, or folded above it where there is no room for both. */
  side() {
    const narrow = matchMedia("(max-width: 979px)");
    const parts = el("div", { class: "side-parts" }, this.filters, this.shelves);
    const side = el("details", { open: !narrow.matches }, el("summary", { text: "Filters, trash and shelves" }), parts);
    narrow.addEventListener("change", () => (side.open = !narrow.matches));
    return side;
  }

  adding() {
    const chooser = (label, take, props) => {
      const input = el("input", { type: "file", hidden: true, "aria-label": label, ...props });
      input.addEventListener("change", () => {
        const files = take([...input.files]);
        input.value = "";
        this.upload(files);
      });
      return input;
    };
    const whole = (files) => files.filter((file) => !file.webkitRelativePath.split("/").some(leftOut));
    const files = chooser("Files to add", (some) => some, { multiple: true });
    const folder = chooser("Folder to add", whole, { webkitdirectory: true });
    const drop = el("span", { text: "Drop files or a folder anywhere on this page" });
    return el(
      "section",
      { class: "add", "aria-label": "Add documents" },
      el("p", { class: "drop-text" }, icon("M8 11V2M4.5 5.5 8 2l3.5 3.5M2 10v4h12v-4"), drop),
      el(
        "div",
        { class: "buttons" },
        button("Choose files", () => files.click()),
        button("Choose a folder", () => folder.click()),
        button("Add a link", () => paste("url", (one) => this.added([one]))),
        button("Paste text", () => paste("text", (one) => this.added([one]))),
      ),
      files,
      folder,
    );
  }

  toolbar() {
    const { query } = this.route;
    const words = el("input", { type: "search", id: "filter", placeholder: "Filter by title or file", autocomplete: "off", "aria-label": "Filter by title or file", value: query.get("q") ?? "" });
    const filter = throttled(() => this.go({ q: words.value.trim() }, this.app.replaceRoute), 250);
    words.addEventListener("input", filter);
    this.sort = el("select", { "aria-label": "Order" }, SORTS.map(([value, text]) => el("option", { value, text })));
    this.sort.addEventListener("change", () => {
      kept.set("sort", this.sort.value);
      this.go({ sort: this.sort.value });
    });
    this.all = el("input", { type: "checkbox", id: "choose-all" });
    this.all.addEventListener("change", () => this.chooseAll(this.all.checked));
    const choose = el("label", { class: "check", for: "choose-all" }, this.all, " all here");
    return (this.tools = el("div", { class: "list-tools" }, this.readOnly ? null : choose, words, this.sort));
  }

  close() {
    this.closed = true;
    this.changed.cancel();
    this.end();
    uploads.added = null;
    this.drag?.abort();
  }

  /** What the address says: which documents, in which order, and from which one on. */
  asked() {
    const { query } = this.route;
    const page = Math.max(1, Math.floor(Number(query.get("page"))) || 1);
    return { q: query.get("q") ?? "", read: query.get("read") ?? "", tag: query.get("tag") ?? "", sort: query.get("sort") || kept.get("sort", "-added"), page };
  }

  address(changes) {
    const query = new URLSearchParams();
    const known = new URLSearchParams(this.route.query);
    if (!("page" in changes)) known.delete("page");
    for (const [name, value] of [...known, ...Object.entries(changes)]) query.set(name, value);
    for (const [name, value] of [...query]) if (!value || (name === "page" && Number(value) === 1)) query.delete(name);
    return `#/${query.size ? `?${query}` : ""}`;
  }

  /** Go to another part of the list; `write` puts its address in place of this one, or after it. */
  go(changes, write = this.app.pushRoute) {
    const address = this.address(changes);
    write(address);
    this.update({ query: new URLSearchParams(address.split("?")[1] ?? "") });
  }

  update(route) {
    const before = this.asked().page;
    this.route = route;
    const words = document.getElementById("filter");
    if (document.activeElement !== words) words.value = this.asked().q;
    this.load();
    if (before !== this.asked().page) scrollTo(0, 0);
  }

  /** Return a query for a part of the documents that the address says. */
  query(some) {
    const { q, sort, read, tag } = this.asked();
    return new URLSearchParams({ q, sort, ...some, ...(read ? { read } : {}), ...(tag ? { tag } : {}) });
  }

  /** Load what the address says, and show it; of several loads at once only the last one counts. */
  load() {
    this.turn = (this.turn ?? 0) + 1;
    return (this.loading = this.loadPart(this.turn));
  }

  async loadPart(turn) {
    const query = this.query({ offset: PAGE * (this.asked().page - 1), limit: PAGE });
    try {
      const [found, shelves] = await Promise.all([getAgain(`library?${query}`), get("shelves")]);
      if (this.closed) return undefined;
      if (turn !== this.turn) return this.loading;
      this.part = found;
      for (const one of found.documents) if (chosen.has(one.id)) chosen.set(one.id, one);
      this.jobs = new Map(found.jobs.map((job) => [job.document, job]));
      this.shelfNames = shelves.map((one) => one.name);
      if (!this.shelves.contains(document.activeElement)) fill(this.shelves, shelfList(shelves, this.readOnly));
      this.draw();
    } catch (error) {
      if (error.status) fill(this.note, problem(error)); // else the banner says that the connection is lost
    }
    return undefined;
  }

  /** The documents that are shown. */
  documents() {
    return this.part?.documents ?? [];
  }

  draw() {
    if (this.closed) return;
    const documents = this.documents();
    const { total, found, readings } = this.part;
    const asked = this.asked();
    this.sort.value = asked.sort;
    this.count.textContent = total ? counted(found, "document") + (found < total ? ` of ${count(total)}` : "") : "";
    this.going.hidden = !Object.keys(readings).length;
    this.going.textContent = jobsText("reading", readings);
    this.tools.hidden = !total;
    fill(this.note, total ? (documents.length ? null : el("p", { class: "quiet", text: "No documents here." })) : this.nothing());
    const unread = documents.filter((one) => one.read === "no" && !isActive(this.jobs.get(one.id)));
    const label = `Read ${counted(unread.length, "unread document")}${found > PAGE ? " here" : ""}\u2026`;
    const read = unread.length > 1 && !this.readOnly;
    fill(this.readAll, read ? button(label, () => this.readTogether(unread), { class: "small" }) : null);
    this.drawRows(documents);
    this.drawFilters(asked);
    this.drawPager(asked.page);
    this.drawBulk();
  }

  drawRows(documents) {
    const ids = new Set(documents.map((one) => one.id));
    for (const id of this.rows.keys()) if (!ids.has(id)) this.rows.delete(id);
    const nodes = documents.map((one) => {
      if (!this.rows.has(one.id)) this.rows.set(one.id, new DocumentRow(one, this, this.readOnly));
      const row = this.rows.get(one.id);
      row.show(one, this.jobs.get(one.id), chosen.has(one.id));
      return row.node;
    });
    const same = nodes.length === this.list.children.length && nodes.every((node, at) => this.list.children[at] === node);
    if (!same) fill(this.list, nodes);
  }

  drawFilters(asked) {
    const { total, unread, partly, tags } = this.part;
    const entry = (changes, isChosen, name, number) =>
      number || isChosen
        ? el(
            "a",
            { href: this.address(changes), "aria-current": isChosen ? "page" : null },
            told("bdi", name),
            el("span", { class: "count", text: count(number) }),
          )
        : null;
    const link = (read, name, number) => entry({ read, tag: "" }, read === asked.read && !asked.tag, name, number);
    const tagged = Object.entries(tags).map(([tag, number]) => entry({ tag, read: "" }, tag === asked.tag, tag, number));
    fill(
      this.filters,
      link("", "All documents", total),
      link("yes", "Read", total - unread - partly),
      link("partly", "Partly read", partly),
      link("no", "Not read", unread),
      el("a", { href: "#/trash", text: "Trash" }),
      tagged.length ? el("h2", { text: "Tags" }) : null,
      tagged,
    );
  }

  drawPager(page) {
    const { found, documents } = this.part;
    const first = PAGE * (page - 1);
    this.pager.hidden = found <= PAGE && page === 1;
    const step = (to, text, rel) => el("a", { href: this.address({ page: to }), rel, text });
    fill(
      this.pager,
      page > 1 ? step(page - 1, "\u2190 Previous", "prev") : null,
      el("span", { text: `${count(Math.min(found, first + 1))}\u2013${count(first + documents.length)} of ${count(found)}` }),
      first + PAGE < found ? step(page + 1, "Next \u2192", "next") : null,
    );
  }

  chooseAll(isChosen) {
    for (const one of this.documents()) this.choose(one, isChosen);
  }

  /** Choose all documents that were found, also those on other pages of the list. */
  async chooseFound(found) {
    for (let offset = 0; offset < found; offset += MOST) {
      const { documents } = await get(`library?${this.query({ offset, limit: MOST })}`);
      for (const one of documents) chosen.set(one.id, one);
    }
    this.draw();
  }

  choose(document, isChosen) {
    if (isChosen) chosen.set(document.id, document);
    else chosen.delete(document.id);
    const row = this.rows.get(document.id);
    if (row) row.box.checked = isChosen;
    this.drawBulk();
  }

  drawBulk() {
    if (this.readOnly) return;
    const here = this.documents();
    this.all.checked = here.length > 0 && here.every((one) => chosen.has(one.id));
    this.list.classList.toggle("choosing", chosen.size > 0);
    this.bulk.hidden = !chosen.size;
    const clear = () => {
      chosen.clear();
      this.draw();
    };
    const unread = (some) => some.filter((one) => one.read !== "yes");
    const { found } = this.part;
    const every = this.all.checked && chosen.size < found;
    const act = (label, action, kind = "") => button(label, () => this.withChosen(action), { class: `small ${kind}` });
    fill(
      this.bulk,
      el("span", { text: `${counted(chosen.size, "document")} chosen` }),
      every ? button(`Choose all ${count(found)}`, () => this.chooseFound(found), { class: "small" }) : null,
      unread([...chosen.values()]).length ? act("Read\u2026", (now) => this.readTogether(unread(now))) : null,
      act("Put on a shelf\u2026", (now) => this.shelve(now)),
      act("Tag\u2026", (now) => this.tag(now)),
      act("Remove", (now) => this.remove(now), "danger"),
      button("Choose none", clear, { class: "small quiet-button" }),
    );
  }

  /** Do something with the chosen documents as they are now; those that are gone are chosen no longer. */
  async withChosen(act) {
    const [ids, now] = [[...chosen.keys()], []];
    try {
      for (let at = 0; at < ids.length; at += MOST) {
        const some = ids.slice(at, at + MOST).map(part).join(",");
        now.push(...(await get(`library?ids=${some}&limit=${MOST}`)).documents);
      }
      chosen.clear();
      for (const one of now) chosen.set(one.id, one);
      if (now.length < ids.length) this.drawBulk();
      if (now.length) act(now);
    } catch (error) {
      fill(this.note, problem(error));
    }
  }

  tag(documents) {
    tagDocuments(documents, Object.keys(this.part.tags), () => this.load());
  }

  shelve(documents) {
    putOnShelf(documents, this.shelfNames, () => this.load());
  }

  remove(documents) {
    for (const one of documents) chosen.delete(one.id);
    const what = documents.length === 1 ? `\u201c${documents[0].title}\u201d` : counted(documents.length, "document");
    const more = `Gists and answers went with ${documents.length === 1 ? "it" : "them"}; files stay where they are.`;
    return moveToTrash({ documents: documents.map((one) => one.id), what, more }, () => this.load());
  }

  read({ document, offer }) {
    this.offerReading(offer, [document]);
  }

  readTogether(documents) {
    if (!documents.length) return this.drawBulk();
    this.offerReading(this.offerAll, documents);
    return this.offerAll.scrollIntoView({ block: "nearest" });
  }

  offerReading(root, documents) {
    const close = () => (root.hidden = true);
    const started = (jobs) => {
      close();
      jobs.forEach((job) => this.took(job));
    };
    offerReading(root, documents, { isLocal: this.app.status.is_local, started, close });
  }

  /** Take what has become of a job. */
  took(job) {
    this.jobs.set(job.document, job);
    this.drawJob(job);
  }

  progress({ job: id, ...progress }) {
    const job = [...this.jobs.values()].find((one) => one.id === id);
    if (job) this.took({ ...job, state: "running", progress });
  }

  drawJob(job) {
    const row = this.rows.get(job.document);
    if (!row) return;
    const document = job.state === "done" ? { ...row.document, read: "yes" } : row.document; // the rest comes with the list
    row.show(document, job, chosen.has(job.document));
  }

  upload(files) {
    if (files.length) uploadFiles(files, this.app.status.limits?.upload_bytes);
  }

  nothing() {
    const text = "Add a book, a report, a folder of notes. ReadAgent reads it in pages and remembers the gist of each; then ask.";
    const why = el("p", { class: "problem", role: "alert" });
    const sample = async () => {
      try {
        const made = await post("sample");
        location.hash = `#/documents/${part(made.document)}?answer=${made.answer}`;
      } catch (error) {
        complain(why, error);
      }
    };
    const look = [button("Look at a sample", sample), el("p", { class: "quiet", text: "A short story, with an answer that was recorded: no model is needed." })];
    return el(
      "div",
      { class: "nothing" },
      el("p", { class: "lead", text: "Nothing here yet." }),
      el("p", { class: "quiet", text }),
      this.readOnly ? null : el("div", { class: "sample" }, look, why),
    );
  }

  /** Show documents that were added, and offer to read them. */
  async added(documents) {
    await this.load();
    const unread = documents.filter((one) => one.read === "no");
    const row = unread.length === 1 && this.rows.get(unread[0].id);
    if (row) this.read(row);
    else if (unread.length) this.readTogether(unread);
    this.rows.get(documents[0].id)?.node.scrollIntoView({ block: "nearest" });
  }
}

