// The shelves in the library, and putting a document on one.

import { button, complain, dialog, el, told } from "./dom.js";
import { part, post, put } from "./api.js";
import { offerReading } from "./estimate.js";
import { count, counted } from "./format.js";

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

/** Ask on which shelf documents are to be put, and put them there; for those that are not read, with an estimate first. */
export function putOnShelf(documents, names, isLocal) {
  const why = el("p", { class: "problem", role: "alert" });
  const offer = el("div", { class: "estimate", hidden: true });
  const place = (shelf, one) => put(`shelves/${part(shelf)}/documents/${part(one.id)}`);
  const unread = documents.filter((one) => one.read !== "yes");
  const placeRead = async (shelf) => {
    if (!names.includes(shelf)) await post("shelves", { name: shelf });
    names = [...names, shelf];
    for (const one of documents) if (one.read === "yes") await place(shelf, one);
  };
  const go = (shelf) => {
    shown.close();
    location.hash = `#/shelves/${part(shelf)}`;
  };
  const choose = async (shelf) => {
    try {
      if (!unread.length) {
        await placeRead(shelf);
        return go(shelf);
      }
      return await offerReading(offer, unread, {
        isLocal,
        label: unread.length > 1 ? `Read ${counted(unread.length, "document")} and put them there` : "Read it and put it there",
        begin: async (one) => {
          if (one === unread[0]) await placeRead(shelf);
          return place(shelf, one);
        },
        started: () => go(shelf),
        close: () => (offer.hidden = true),
      });
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
  const what = documents.length === 1 ? documents[0].title : counted(documents.length, "document");
  const shown = dialog("Put on a shelf", told("p", what, { class: "asked" }), known, form, offer, why);
}
