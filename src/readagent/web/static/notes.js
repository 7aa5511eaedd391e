// What a person does with an answer: a star, a note, and removing it.

import { button, complain, el, fill, told } from "./dom.js";
import { dialog } from "./dialog.js";
import { part, put } from "./api.js";
import { draft } from "./drafts.js";
import { moveToTrash } from "./removal.js";

/** Return the controls of an answer, and its note; `changed(isGone)` is called when it is removed, and when that is undone. */
export function noteParts(answer, changed) {
  const note = told("p", "", { class: "own-note", title: "Your note" });
  const keep = async (now) => {
    Object.assign(answer, await put(`answers/${part(answer.id)}/note`, { starred: Boolean(answer.starred), note: answer.note ?? "", ...now }));
    draw();
  };
  const star = button("", () => keep({ starred: !answer.starred }).catch((error) => complain(why, error)), { class: "link star" });
  const write = button("", () => writeNote(answer, keep), { class: "link" });
  const why = el("span", { class: "problem", role: "alert" });
  const draw = () => {
    star.textContent = answer.starred ? "\u2605 Starred" : "\u2606 Star";
    star.setAttribute("aria-pressed", String(Boolean(answer.starred)));
    write.textContent = answer.note ? "Edit note" : "Note";
    fill(note, answer.note ? told("span", answer.note) : null);
    note.hidden = !answer.note;
  };
  const away = button("Remove", () => moveToTrash({ answers: [answer.id], what: "the answer" }, changed), { class: "link" });
  draw();
  return { note, controls: [star, write, away, why] };
}

function writeNote(answer, keep) {
  const why = el("p", { class: "problem", role: "alert" });
  const text = el("textarea", { id: "own-note", rows: 5, maxlength: 10_000, dir: "auto", value: answer.note ?? "" });
  const forget = draft(text, `note.${answer.id}`);
  const submit = async (event) => {
    event.preventDefault();
    try {
      await keep({ note: text.value });
      forget();
      shown.close();
    } catch (error) {
      complain(why, error);
    }
  };
  const label = el("label", { class: "away", for: "own-note", text: "Your note" });
  const save = el("div", { class: "buttons" }, el("button", { class: "main", text: "Save" }));
  const shown = dialog("Your note", told("p", answer.question, { class: "asked" }), el("form", { class: "paste", on: { submit } }, label, text, why, save));
  text.focus();
}
