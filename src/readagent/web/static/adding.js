// Adding documents: files and folders that are dropped or chosen, addresses and text that are pasted.

import { button, complain, el, fill, told } from "./dom.js";
import { dialog } from "./dialog.js";
import { add, upload } from "./uploading.js";
import { draft } from "./drafts.js";
import { count, counted } from "./format.js";

const MOST = 2000; // files of one drop
const KNOWN = "already in the library";

/** Whether files and folders of this name are no documents: hidden ones, and those of tools. */
export const leftOut = (name) => name.startsWith(".") || name === "node_modules" || name === "__pycache__";

/** Return the files of a drop, those in folders included, without what is left out. */
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files];
  const found = [];
  const visit = async (entry) => {
    if (leftOut(entry.name) || found.length >= MOST) return;
    if (entry.isFile) found.push(await new Promise((done, failed) => entry.file(done, failed)));
    else {
      const reader = entry.createReader();
      for (;;) {
        const some = await new Promise((done, failed) => reader.readEntries(done, failed));
        if (!some.length) return;
        for (const one of some) await visit(one);
      }
    }
  };
  for (const entry of entries) await visit(entry);
  return found;
}

/** What is being uploaded, also while another view is shown, and what is called with documents that were added. */
export const uploads = { root: el("div"), added: null };

/** Upload files one after the other, with a line for each. */
export async function uploadFiles(files, limit) {
  const added = [];
  const rest = new AbortController();
  const lines = files.map((file) => uploadLine(file, rest.signal));
  const done = el("span", { class: "facts" });
  const close = () => root.remove();
  const cancel = button("Cancel", () => rest.abort(), { class: "small" });
  const list = el("ul", { class: "uploads" }, lines.map((line) => line.node));
  const root = el("div", { class: "upload-box" }, el("p", { class: "upload-head", role: "status" }, done, cancel), list);
  uploads.root.append(root);
  for (const [at, line] of lines.entries()) {
    done.textContent = `${count(at)} of ${counted(files.length, "file")}`;
    list.scrollTop = line.node.offsetTop - list.offsetTop;
    const made = await line.upload(limit);
    if (made) added.push(made);
  }
  const known = added.filter((one) => one.known).length;
  done.textContent = `${count(added.length - known)} of ${counted(files.length, "file")} added${known ? `, ${count(known)} ${KNOWN}` : ""}`;
  cancel.replaceWith(button("Close", close, { class: "small" }));
  if (added.length === files.length && !known) close();
  if (added.length) uploads.added?.(added);
}

/** Return the line of a file that is to be uploaded, and a function that does it. */
function uploadLine(file, rest) {
  const own = new AbortController();
  const signal = AbortSignal.any([own.signal, rest]);
  const bar = el("progress", { max: 1, value: 0, "aria-label": file.name, hidden: true });
  const state = el("span", { class: "upload-state", text: "waiting" });
  const cancel = button("\u00d7", () => own.abort(), { class: "plain small", "aria-label": `Cancel ${file.name}` });
  const node = el("li", {}, told("bdi", file.name), bar, state, cancel);
  const sent = (share) => {
    bar.value = share;
    state.textContent = share < 1 ? `${Math.floor(100 * share)}%` : "adding\u2026";
    cancel.hidden = share === 1;
  };
  const sending = async (limit) => {
    if (signal.aborted) throw new Error("cancelled");
    if (limit && file.size > limit)
      throw Object.assign(new Error(`larger than ${count(Math.round(limit / 1e6))} MB`), { hint: "read it on the command line" });
    bar.hidden = false;
    return upload(file, { sent, signal });
  };
  const take = async (limit) => {
    let made = null;
    try {
      made = await sending(limit);
      state.textContent = made.known ? KNOWN : "added";
      node.classList.add("done");
    } catch (error) {
      node.classList.add("problem");
      complain(state, error);
    }
    bar.hidden = true;
    cancel.remove();
    return made;
  };
  return { node, upload: take };
}

/** Ask for the address or the text of a document; returns the document that was added, through `added`. */
export function paste(kind, added) {
  const problem = el("p", { class: "problem", role: "alert" });
  const note = el("p", { class: "note", role: "status" });
  const isLink = kind === "url";
  const title = el("input", { type: "text", id: "paste-title", autocomplete: "off" });
  const what = isLink
    ? el("input", { type: "url", id: "paste-what", required: true, placeholder: "https://", autocomplete: "off" })
    : el("textarea", { id: "paste-what", rows: 12, required: true, dir: "auto" });
  const drafts = [draft(title, `title.${kind}`), draft(what, `paste.${kind}`)];
  const send = el("button", { class: "main", text: "Add" });
  const submit = async (event) => {
    event.preventDefault();
    send.disabled = true;
    problem.textContent = "";
    try {
      const body = isLink
        ? { url: what.value.trim() }
        : { text: what.value, title: title.value.trim() || firstLine(what.value) };
      const made = await add("documents", body);
      for (const forget of drafts) forget();
      if (made.known) fill(note, told("bdi", made.title), `: ${KNOWN}`);
      else shown.close();
      added(made);
    } catch (error) {
      complain(problem, error);
    }
    send.disabled = false;
  };
  const form = el(
    "form",
    { class: "paste", on: { submit } },
    isLink
      ? el("label", { for: "paste-what", text: "Address of a page or a file" })
      : [el("label", { for: "paste-title", text: "Title" }), title, el("label", { for: "paste-what", text: "Text" })],
    what,
    problem,
    note,
    el("div", { class: "buttons" }, send),
  );
  const shown = dialog(isLink ? "Add a link" : "Add a text", form);
  (isLink ? what : title).focus();
}

const firstLine = (text) => text.trim().split("\n")[0].slice(0, 80) || "Pasted text";

/** Take files that are dropped anywhere on the page, until the returned controller is aborted. */
export function dropZone(take) {
  const end = new AbortController();
  let depth = 0;
  const mark = (on) => document.body.classList.toggle("dropping", on);
  const isFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const listen = (name, handle) =>
    addEventListener(
      name,
      (event) => {
        if (isFile(event)) handle(event);
      },
      { signal: end.signal },
    );
  listen("dragenter", () => {
    depth += 1;
    mark(true);
  });
  listen("dragleave", () => {
    depth = Math.max(0, depth - 1);
    mark(depth > 0);
  });
  listen("dragover", (event) => event.preventDefault());
  listen("drop", (event) => {
    event.preventDefault();
    depth = 0;
    mark(false);
    take(event.dataTransfer);
  });
  return end;
}
