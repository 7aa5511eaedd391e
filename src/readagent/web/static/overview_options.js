// What an overview is made with: how long, about which chapter, for whom. It is in the address, and chosen in a form.

import { el, told } from "./dom.js";
import { dialog } from "./dialog.js";
import { counted } from "./format.js";

const USUAL = { words: 300, count: 10, audience: "", chapter: "" };
const LIMITS = { words: [10, 20_000], count: [1, 500] };
const LABELS = { words: "Words, about", count: "Questions, about", audience: "For whom", chapter: "Chapter" };

/** The names of the options that overviews of a kind have. */
const namesOf = (kind) => ({ summary: ["words", "audience", "chapter"], questions: ["count", "chapter"] })[kind] ?? ["chapter"];

/** Return those of some options that the kind has and that are not the usual ones, in one order. */
export function optionsOf(kind, given) {
  const found = namesOf(kind).map((name) => [name, typeof USUAL[name] === "number" ? Number(given[name] ?? 0) : (given[name] ?? "")]);
  return Object.fromEntries(found.filter(([name, value]) => value && value !== USUAL[name]));
}

/** Return options for people: "150 words \u00b7 for children". */
export function optionsText(options) {
  const { words, count, audience, chapter } = options;
  const parts = [words && `${words} words`, count && counted(count, "question"), audience && `for ${audience}`, chapter];
  return parts.filter(Boolean).join(" \u00b7 ") || "as usual";
}

/** Ask with which options an overview is to be made; `take(options)` gets them. */
export function askOptions(kind, name, { options, chapters }, take) {
  const fields = namesOf(kind).filter((one) => one !== "chapter" || chapters.length).map((one) => [one, field(one, options, chapters)]);
  const submit = (event) => {
    event.preventDefault();
    shown.close();
    take(optionsOf(kind, Object.fromEntries(fields.map(([one, input]) => [one, input.value.trim()]))));
  };
  const rows = fields.map(([one, input]) => [el("label", { for: input.id, text: LABELS[one] }), input]);
  const make = el("button", { class: "main", text: "Make it" });
  const note = el("p", { class: "note", text: "Replies that were paid for are used again; what is new is asked." });
  const shown = dialog(name, el("form", { class: "paste", on: { submit } }, rows.flat(), note, el("div", { class: "buttons" }, make)));
}

function field(name, options, chapters) {
  const id = `overview-${name}`;
  if (name === "chapter") {
    const titles = [...new Set(chapters.map((one) => one.title))];
    const choices = titles.map((title) => told("option", title, { value: title }));
    const all = el("option", { value: "", text: "The whole text" });
    const select = el("select", { id }, all, choices);
    select.value = options.chapter ?? "";
    return select;
  }
  if (name === "audience") return el("input", { id, type: "text", maxlength: 200, placeholder: "such as: a board member", value: options[name] ?? "" });
  const [min, max] = LIMITS[name];
  return el("input", { id, type: "number", min, max, required: true, value: options[name] ?? USUAL[name] });
}
