// Documents that are about to be removed: for some seconds that can be undone.

import { announce, button, el, fill, told } from "./dom.js";
import { post } from "./api.js";
import { counted } from "./format.js";

const UNDO = 10_000; // milliseconds
const going = new Set(); // ids
let flush = null;

/** Whether a document is about to be removed, and so not shown. */
export const isGoing = (id) => going.has(id);

/** Remove documents, with their gists and answers, a little later; `changed()` is called at once, and at the end. */
export function removeSoon(documents, changed) {
  flush?.();
  const ids = documents.map((one) => one.id);
  for (const id of ids) going.add(id);
  const what = ids.length === 1 ? `\u201c${documents[0].title}\u201d` : counted(ids.length, "document");
  const note = el("div", { class: "undo", role: "group", "aria-label": "Removed" });
  const away = () => {
    clearTimeout(timer);
    flush = null;
    removeEventListener("pagehide", now);
    note.remove();
  };
  const now = async () => {
    away();
    try {
      await post("library/remove", { documents: ids }, { keepalive: true });
    } catch (error) {
      fill(note, told("span", `${what} could not be removed: ${error.message}`), button("Close", () => note.remove(), { class: "small" }));
      document.body.append(note);
    }
    for (const id of ids) going.delete(id);
    changed();
  };
  const undo = () => {
    away();
    for (const id of ids) going.delete(id);
    announce("Nothing is removed.");
    changed();
  };
  const timer = setTimeout(now, UNDO);
  flush = now;
  addEventListener("pagehide", now);
  fill(
    note,
    told("span", `Removed ${what}, with gists and answers. Files stay where they are.`),
    button("Undo", undo, { class: "small" }),
  );
  document.body.append(note);
  announce(`Removed ${what}. It can be undone for ten seconds.`);
  changed();
}
