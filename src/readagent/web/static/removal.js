// What is about to be removed: for some seconds that can be undone.

import { announce, button, el, fill, told } from "./dom.js";

const UNDO = 10_000; // milliseconds
const going = new Set();
let flush = null;

/** Whether the thing with this id is about to be removed, and so not shown. */
export const isGoing = (id) => going.has(id);

/**
 * Remove the things with these ids a little later, with `send()`. `changed()` is called at once, and at the end. `what`
 * and `more` say what is removed.
 */
export function removeSoon({ ids, what, more = "", send }, changed) {
  flush?.();
  for (const id of ids) going.add(id);
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
      await send();
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
    told("span", `Removed ${what}. ${more}`),
    button("Undo", undo, { class: "small" }),
  );
  document.body.append(note);
  announce(`Removed ${what}. It can be undone for ten seconds.`);
  changed();
}
