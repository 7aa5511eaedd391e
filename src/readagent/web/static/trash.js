// The trash: what was removed, until when it is kept, and how it comes back or goes for good.

import { announce, button, el, fill, problem, told } from "./dom.js";
import { dialog } from "./dialog.js";
import { get, post, remove } from "./api.js";
import { counted, when } from "./format.js";
import { subscribe } from "./changes.js";

const KINDS = { document: "Document", answer: "Answer" };

export function trashView(root, app) {
  const note = el("p", { class: "quiet" });
  const said = el("div", { role: "status" });
  const list = el("ul", { class: "documents" });
  const all = el("span");
  fill(
    root,
    el("div", { class: "library" }, el("header", { class: "view-head" }, el("h1", { text: "Trash" }), all), note, said, list),
  );

  async function act(work, done) {
    try {
      await work();
      fill(said);
      announce(done);
    } catch (error) {
      fill(said, problem(error));
    }
    await load();
  }

  function item(one) {
    const restore = () => act(() => post("trash/restore", { numbers: [one.id] }), `${one.name} is back.`);
    const away = () => ask(`Delete \u201c${one.name}\u201d for good?`, () => act(() => remove(`trash/${one.id}`), "Deleted."));
    const facts = `${KINDS[one.kind]} \u00b7 removed ${when(one.removed)} \u00b7 kept until ${when(one.until)}`;
    return el(
      "li",
      { class: "document" },
      el("div", { class: "document-main" }, el("h2", {}, told("bdi", one.name)), el("p", { class: "facts", text: facts })),
      app.status.read_only
        ? null
        : el(
            "div",
            { class: "document-side" },
            button("Restore", restore, { class: "small", "aria-label": `Restore ${one.name}` }),
            button("Delete\u2026", away, { class: "small quiet-button", "aria-label": `Delete ${one.name} for good` }),
          ),
    );
  }

  async function load() {
    try {
      const found = await get("trash");
      const kept = "What is removed is kept here for 30 days, with its gists and answers. Conversations are not kept.";
      note.textContent = found.length ? kept : `The trash is empty. ${kept}`;
      fill(list, found.map(item));
      const every = `Delete everything in the trash (${counted(found.length, "thing")}) for good?`;
      const empty = () => ask(every, () => act(() => remove("trash"), "The trash is empty."));
      fill(all, found.length && !app.status.read_only ? button("Empty the trash\u2026", empty, { class: "small" }) : null);
    } catch (error) {
      fill(said, problem(error));
    }
  }

  load();
  return { close: subscribe({ begin: load, library: load }), load };
}

/** Return what says that a document is in the trash, with a way to it; null if it is not there. */
export async function inTrash(id) {
  const found = (await get("trash").catch(() => [])).find((one) => one.kind === "document" && one.document === id);
  if (!found) return null;
  const ways = el("p", {}, el("a", { href: "#/trash", text: "Open the trash" }), " \u00b7 ", el("a", { href: "#/", text: "Back to the library" }));
  return el("div", { class: "library" }, told("p", `\u201c${found.name}\u201d is in the trash.`, { class: "problem", role: "alert" }), ways);
}

/** Return what says that an answer is not among these, which may be hidden; null if it is. */
export function goneAnswer(answers, id) {
  if (answers.some((one) => one.id === id)) return null;
  const link = el("a", { href: "#/trash", text: "the trash" });
  return el("p", { class: "note", role: "status" }, "This answer is no longer here. What was removed is kept for a while in ", link, ".");
}

/** Ask before something is deleted that cannot be restored. */
function ask(what, go) {
  const sure = button("Delete", () => (shown.close(), go()), { class: "danger" });
  const shown = dialog("Delete for good", told("p", what), el("div", { class: "buttons" }, sure, button("Keep", () => shown.close())));
}
