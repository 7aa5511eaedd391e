// The shelves in the library, and putting a document on one.

import { button, complain, dialog, el, told } from "./dom.js";
import { part, post, put } from "./api.js";
import { offerReading } from "./estimate.js";
import { counted } from "./format.js";

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
    el("h2", { id: "shelves-title", text: "Shelves" }),
    el("p", { class: "quiet", text: about }),
    shelves.length ? el("ul", { class: "shelf-cards" }, shelves.map(card)) : null,
    readOnly ? null : nameForm("new-shelf", "Create", create),
    why,
  ];
}

function card(one) {
  const facts = el("span", { class: "facts", text: counted(one.documents, "document") });
  return el(
    "li",
    {},
    el("a", { href: `#/shelves/${part(one.name)}`, class: "shelf-card" }, told("strong", one.name), facts),
  );
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

/** Ask on which shelf a document is to be put, and put it there; for one that is not read, with an estimate first. */
export function putOnShelf(one, names, isLocal) {
  const why = el("p", { class: "problem", role: "alert" });
  const offer = el("div", { class: "estimate", hidden: true });
  const place = async (shelf) => {
    if (!names.includes(shelf)) await post("shelves", { name: shelf });
    return put(`shelves/${part(shelf)}/documents/${part(one.id)}`);
  };
  const go = (shelf) => {
    shown.close();
    location.hash = `#/shelves/${part(shelf)}`;
  };
  const choose = async (shelf) => {
    if (one.read !== "yes")
      return offerReading(offer, [one], {
        isLocal,
        label: "Read it and put it there",
        begin: () => place(shelf),
        started: () => go(shelf),
        close: () => (offer.hidden = true),
      });
    try {
      await place(shelf);
      return go(shelf);
    } catch (error) {
      return complain(why, error);
    }
  };
  const known = el(
    "div",
    { class: "ideas" },
    names.map((shelf) => button(told("bdi", shelf), () => choose(shelf))),
  );
  const form = nameForm("shelf-name", "Put it there", choose);
  const shown = dialog("Put on a shelf", told("p", one.title, { class: "asked" }), known, form, offer, why);
}
