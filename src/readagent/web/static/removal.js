// Removing: what is removed goes to the trash at once, and a note says so, with a way back. Notes of what was done.

import { announce, button, el, told } from "./dom.js";
import { post } from "./api.js";

const SHOWN = 10_000; // milliseconds; the trash keeps it for longer
const AT_ONCE = 50; // documents in one request
let last = null;

/** Say at the foot of the page what was done, in place of what was said before, for a while. */
export function notice(text, ...links) {
  last?.remove();
  const note = el("div", { class: "undo", role: "group", "aria-label": "Done" }, told("span", text), links);
  last = note;
  document.body.append(note);
  announce(text);
  setTimeout(() => note.contains(document.activeElement) || note.remove(), SHOWN);
}

/**
 * Move documents or answers to the trash. `what` and `more` say what they are; `changed(isGone)` is called when they are
 * gone, and when they are back.
 */
export async function moveToTrash({ documents = [], answers = [], what, more = "" }, changed) {
  const close = button("Close", () => last.remove(), { class: "small" });
  const undo = (kept) => async () => {
    try {
      await post("trash/restore", { numbers: kept.map((one) => one.id) });
      last.remove();
      announce("It is back.");
      changed(false);
    } catch (error) {
      notice([error.message, error.hint].filter(Boolean).join(": "), close);
    }
  };
  try {
    const kept = answers.length ? await post("trash", { answers }) : [];
    for (let at = 0; at < documents.length; at += AT_ONCE) {
      if (at) notice(`Removing ${what}: ${Math.floor((100 * at) / documents.length)}%`);
      kept.push(...(await post("trash", { documents: documents.slice(at, at + AT_ONCE) })));
    }
    const trash = el("a", { href: "#/trash", text: "Trash" });
    if (kept.length) notice(`Removed ${what}. ${more}`, button("Undo", undo(kept), { class: "small" }), trash);
    else notice(`Deleted ${what}: the trash does not keep conversations.`, close);
    changed(true);
  } catch (error) {
    notice(`${what} could not be removed: ${error.message}`, close);
  }
}
