// The library: documents and shelves, what has been read, and ways to add more.

import { button, complain, dialog, el, fill, icon, problem, told } from "./dom.js";
import { get, isActive, part, remove } from "./api.js";
import { count, counted, when } from "./format.js";
import { dropZone, droppedFiles, leftOut, paste, uploadFiles } from "./adding.js";
import { offerReading } from "./estimate.js";
import { jobParts } from "./jobs.js";
import { putOnShelf, shelfList } from "./shelf_list.js";

const EVERY = 1200; // milliseconds between looks at what is being read
const CALM = 4000; // and while nothing is

export function libraryView(root, app) {
  const view = new Library(root, app);
  view.load();
  return view;
}

class Library {
  constructor(root, app) {
    this.root = root;
    this.app = app;
    this.rows = new Map();
    this.offers = new Map();
    this.documents = [];
    this.jobs = new Map();
    this.seen = () => document.hidden || this.look(0);
    document.addEventListener("visibilitychange", this.seen);
    this.files = el("input", {
      type: "file",
      multiple: true,
      hidden: true,
      "aria-label": "Files to add",
      on: { change: () => this.upload([...this.files.files]) },
    });
    this.folder = el("input", {
      type: "file",
      webkitdirectory: true,
      hidden: true,
      "aria-label": "Folder to add",
      on: {
        change: () => this.upload([...this.folder.files].filter((file) => !file.webkitRelativePath.split("/").some(leftOut))),
      },
    });
    this.uploads = el("div", { class: "upload-box", hidden: true });
    this.offerAll = el("div", { class: "offer-all estimate", hidden: true });
    this.list = el("ul", { class: "documents" });
    const soon = () => import("./room.js"); // so that a document opens at once
    for (const sign of ["pointerover", "focusin"]) this.list.addEventListener(sign, soon, { once: true });
    this.note = el("div", { class: "list-note" });
    this.shelves = el("section", { class: "shelves", "aria-labelledby": "shelves-title" });
    this.count = el("span", { class: "count" });
    this.readAll = el("span");
    const add = app.status.read_only
      ? el("p", { class: "note", text: "This server is read-only." })
      : el(
          "section",
          { class: "add", "aria-label": "Add documents" },
          el(
            "p",
            { class: "drop-text" },
            icon("M8 11V2M4.5 5.5 8 2l3.5 3.5M2 10v4h12v-4"),
            el("span", { text: "Drop files or a folder anywhere on this page" }),
          ),
          el(
            "div",
            { class: "buttons" },
            button("Choose files", () => this.files.click()),
            button("Choose a folder", () => this.folder.click()),
            button("Add a link", () => paste("url", (one) => this.added([one]))),
            button("Paste text", () => paste("text", (one) => this.added([one]))),
          ),
          this.files,
          this.folder,
        );
    fill(
      root,
      el(
        "div",
        { class: "library" },
        el("header", { class: "view-head" }, el("h1", { text: "Library" }), this.count, this.readAll),
        add,
        this.uploads,
        this.offerAll,
        this.note,
        this.list,
        this.shelves,
      ),
    );
    this.drag = app.status.read_only
      ? null
      : dropZone((transfer) => droppedFiles(transfer).then((files) => this.upload(files)));
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.seen);
    this.drag?.abort();
  }

  async load() {
    try {
      const [documents, shelves, jobs] = await Promise.all([get("documents"), get("shelves"), get("jobs")]);
      this.documents = documents;
      if (this.closed) return;
      this.takeJobs(jobs);
      this.shelfNames = shelves.map((one) => one.name);
      fill(this.shelves, shelfList(shelves, this.app.status.read_only));
      this.draw();
      this.look();
    } catch (error) {
      fill(this.note, problem(error));
    }
  }

  draw() {
    const documents = this.documents;
    this.count.textContent = documents.length ? counted(documents.length, "document") : "";
    if (!documents.length)
      fill(
        this.note,
        el(
          "div",
          { class: "nothing" },
          el("p", { class: "lead", text: "Nothing here yet." }),
          el("p", {
            class: "quiet",
            text: "Add a book, a report, a folder of notes. ReadAgent reads it in pages and remembers the gist of each; then ask.",
          }),
        ),
      );
    else fill(this.note);
    const unread = documents.filter((one) => one.read === "no" && !isActive(this.jobs.get(one.id)));
    fill(
      this.readAll,
      unread.length > 1 && !this.app.status.read_only
        ? button(`Read ${counted(unread.length, "unread document")}\u2026`, () => this.offerTogether(unread), {
            class: "small",
          })
        : null,
    );
    const gone = new Set(this.rows.keys());
    const rows = documents.map((one) => {
      gone.delete(one.id);
      if (!this.rows.has(one.id)) this.rows.set(one.id, this.makeRow(one));
      this.drawRow(one);
      return this.rows.get(one.id).node;
    });
    for (const id of gone) this.rows.delete(id);
    if (rows.some((row, at) => this.list.children[at] !== row) || this.list.children.length !== rows.length)
      fill(this.list, rows);
  }

  makeRow(one) {
    const link = el("a", { href: `#/documents/${part(one.id)}`, class: "title" });
    const facts = el("p", { class: "facts" });
    const state = el("div", { class: "state-box" });
    const offer = el("div", { class: "estimate", hidden: true });
    const job = el("div", { class: "job" });
    const menu = this.app.status.read_only
      ? null
      : el(
          "div",
          { class: "row-buttons" },
          button("Shelf\u2026", () => this.putOnShelf(one.id), {
            class: "small quiet-button",
            "aria-label": `Put ${one.title} on a shelf`,
          }),
          button("Remove", () => this.remove(one), {
            class: "small quiet-button",
            "aria-label": `Remove ${one.title}`,
          }),
        );
    return {
      node: el(
        "li",
        { class: "document" },
        el("div", { class: "document-main" }, el("h2", {}, link), facts),
        el("div", { class: "document-side" }, state, menu),
        job,
        offer,
      ),
      link,
      facts,
      state,
      offer,
      job,
    };
  }

  drawRow(one) {
    const row = this.rows.get(one.id);
    const job = this.jobs.get(one.id);
    const key = JSON.stringify([one, job]);
    if (row.key === key) return;
    row.key = key;
    fill(row.link, told("bdi", one.title || "Untitled"));
    const facts = [
      one.format,
      `${count(one.words)} words`,
      one.pages ? counted(one.pages, "page") : "",
      one.added ? `added ${when(one.added)}` : "",
    ]
      .filter(Boolean)
      .join(" \u00b7 ");
    fill(
      row.facts,
      el("span", { text: facts }),
      one.failed_pages
        ? el("span", { class: "problem", text: ` \u00b7 ${counted(one.failed_pages, "page")} failed` })
        : null,
    );
    const active = isActive(job);
    const shown = active || (job && ["failed", "stopped"].includes(job.state) && one.read !== "yes");
    row.job.hidden = !shown;
    if (shown)
      fill(
        row.job,
        jobParts(
          job,
          (changed) => {
            this.jobs.set(one.id, changed);
            this.drawRow(one);
            this.look(0);
          },
          { readOnly: this.app.status.read_only },
        ),
      );
    const offer = () => this.offer(one);
    if (active) fill(row.state);
    else if (one.read === "yes")
      fill(row.state, el("span", { class: "read-state yes" }, icon("M3 8.5 6.5 12 13 4.5"), "Read"));
    else
      fill(
        row.state,
        one.read === "partly" ? el("span", { class: "read-state partly", text: "Partly read" }) : null,
        this.app.status.read_only
          ? el("span", { class: "read-state", text: "Not read" })
          : button(one.read === "partly" ? "Go on reading\u2026" : "Read\u2026", offer, {
              class: "small",
              "aria-label": `Read ${one.title}: estimate first`,
            }),
      );
    if (active) row.offer.hidden = true;
  }

  putOnShelf(id) {
    const one = this.documents.find((other) => other.id === id);
    if (one) putOnShelf(one, this.shelfNames, this.app.status.is_local);
  }

  offer(one) {
    const { offer } = this.rows.get(one.id);
    offerReading(offer, [one], {
      isLocal: this.app.status.is_local,
      started: ([job]) => {
        offer.hidden = true;
        this.jobs.set(one.id, job);
        this.draw();
        this.look(0);
      },
      close: () => {
        offer.hidden = true;
      },
    });
  }

  offerTogether(documents) {
    offerReading(this.offerAll, documents, {
      isLocal: this.app.status.is_local,
      started: (jobs) => {
        this.offerAll.hidden = true;
        jobs.forEach((job, at) => this.jobs.set(documents[at].id, job));
        this.draw();
        this.look(0);
      },
      close: () => {
        this.offerAll.hidden = true;
      },
    });
  }

  takeJobs(jobs) {
    const readings = jobs.filter((job) => job.kind === "read");
    this.jobs = new Map(readings.map((job) => [job.document, job]).reverse());
    for (const job of readings) if (isActive(job)) this.jobs.set(job.document, job);
  }

  /** Look again and again: documents are also added and read elsewhere. A hidden page looks when it is shown again. */
  look(wait = [...this.jobs.values()].some(isActive) ? EVERY : CALM) {
    clearTimeout(this.timer);
    if (this.closed) return;
    this.timer = setTimeout(async () => {
      if (document.hidden) return;
      try {
        const [documents, jobs] = await Promise.all([get("documents"), get("jobs")]);
        if (this.closed) return;
        this.documents = documents;
        this.takeJobs(jobs);
        this.draw();
      } catch {
        // the banner says that the connection is lost
      }
      this.look();
    }, wait);
  }

  async upload(files) {
    if (!files.length) return;
    const added = await uploadFiles(files, this.uploads, this.app.status.limits?.upload_bytes);
    this.files.value = "";
    this.folder.value = "";
    if (added.length) this.added(added);
  }

  async added(documents) {
    this.documents = await get("documents");
    this.draw();
    const ids = new Set(documents.map((one) => one.id));
    const unread = this.documents.filter((one) => ids.has(one.id) && one.read === "no");
    if (unread.length === 1) this.offer(unread[0]);
    else if (unread.length) this.offerTogether(unread);
    this.rows.get(documents[0].id)?.node.scrollIntoView({ block: "nearest" });
  }

  remove(one) {
    const sure = button(
      "Remove",
      async () => {
        try {
          await remove(`documents/${part(one.id)}`);
          shown.close();
          this.load();
        } catch (error) {
          complain(why, error);
        }
      },
      { class: "danger" },
    );
    const why = el("p", { class: "problem", role: "alert" });
    const shown = dialog(
      "Remove this document?",
      told(
        "p",
        `\u201c${one.title}\u201d, its gists and the answers about it are removed from the library. The file itself stays where it is.`,
      ),
      why,
      el(
        "div",
        { class: "buttons" },
        button("Keep it", () => shown.close()),
        sure,
      ),
    );
  }
}
