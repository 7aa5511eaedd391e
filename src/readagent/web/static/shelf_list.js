// The shelves in the library, and putting a document on one.

import { button, complain, el, told } from "./dom.js";
import { dialog } from "./dialog.js";
import { part, post, put } from "./api.js";
import { count, counted } from "./format.js";
import { notice } from "./removal.js";

/** Return the shelves as cards, with a form for a new one. */
export function shelfList(shelves, readOnly) {
  const why = el("p", { class: "problem", role: "alert" });
  const create = async (name) => {
    try {
      await post("shelves", { name });
      location.hash = `#/shelves/${part(name)}`;
    } catch (error) {
      complain(why, error);
    }
  };
  const about = "Documents that belong together: ask all of them at once, or compare what they say.";
  return [
    el("h2", { id: "shelves-title", text: "Shelves", title: about }),
    shelves.length ? null : el("p", { class: "quiet", text: about }),
    shelves.length ? el("ul", { class: "shelf-cards" }, shelves.map(card)) : null,
    readOnly ? null : nameForm("new-shelf", "Create", create),
    why,
  ];
}

function card(one) {
  const number = el("span", { class: "count", text: count(one.documents) });
  return el("li", {}, el("a", { href: `#/shelves/${part(one.name)}`, class: "shelf-card" }, told("bdi", one.name), number));
}

function nameForm(id, label, take) {
  const name = el("input", { type: "text", id, placeholder: "New shelf", autocomplete: "off" });
  const submit = (event) => {
    event.preventDefault();
    if (name.value.trim()) take(name.value.trim());
  };
  const called = el("label", { class: "away", for: id, text: "Name of a new shelf" });
  return el("form", { class: "inline", on: { submit } }, called, name, el("button", { text: label }));
}

/** Ask on which shelf documents are to be put, and put them there; then `changed()` is called. */
export function putOnShelf(documents, names, changed) {
  const why = el("p", { class: "problem", role: "alert" });
  const what = documents.length === 1 ? documents[0].title : counted(documents.length, "document");
  const choose = async (shelf) => {
    try {
      if (!names.includes(shelf)) await post("shelves", { name: shelf });
      names = [...names, shelf];
      for (const one of documents) await put(`shelves/${part(shelf)}/documents/${part(one.id)}`);
      shown.close();
      notice(`${what}: on the shelf ${shelf}.`, el("a", { href: `#/shelves/${part(shelf)}`, text: "Open the shelf" }));
      changed();
    } catch (error) {
      complain(why, error);
    }
  };
  const known = el(
    "div",
    { class: "ideas" },
    names.map((shelf) => button(told("bdi", shelf), () => choose(shelf))),
  );
  const form = nameForm("shelf-name", "Put it there", choose);
  const shown = dialog("Put on a shelf", told("p", what, { class: "asked" }), known, form, why);
}
