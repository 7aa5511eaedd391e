// Markdown as elements. The server finds its parts; the elements are made here, and text stays text.

import { post } from "./api.js";
import { el, visible } from "./dom.js";

const KEPT = 500; // texts whose parts are known
const known = new Map();

/** Ask for the parts of texts; before they are known, and if they cannot be had, a text is shown as it was written. */
export async function markdownOf(texts) {
  const asked = [...new Set(texts.map((text) => visible(text ?? "")))].filter((text) => text && !known.has(text));
  if (!asked.length) return;
  const found = await post("markdown", { texts: asked }).catch(() => []); // the page says that the connection is lost
  found.forEach((parts, number) => known.set(asked[number], parts));
  for (const text of [...known.keys()].slice(0, Math.max(0, known.size - Math.max(KEPT, asked.length)))) known.delete(text);
}

/** Return the texts in Markdown of answers, for `markdownOf`. */
export const textsOf = (answers) => answers.flatMap((one) => [one.answer, ...(one.statements ?? []).map((said) => said.text)]);

/** Return the elements of a Markdown text: paragraphs, headings, lists, tables, quotes, code, bold and italic. */
export function markdown(text) {
  const safe = visible(text);
  const parts = known.get(safe);
  if (!parts) return [el("p", { class: "plain-text", dir: "auto", text: safe })];
  const made = document.createDocumentFragment();
  build(parts, made);
  return [...made.childNodes];
}

/** A text in Markdown that is still growing: its start as elements, and what came since as it was written. */
export class Growing {
  constructor(changed) {
    this.changed = changed;
    this.done = "";
  }

  elements(text) {
    if (!text.startsWith(this.done)) this.done = "";
    if (!this.waiting && text !== this.done) this.ask(text);
    if (!this.done) return markdown(text);
    const rest = text.slice(this.done.length);
    return [...markdown(this.done), rest ? el("span", { class: "plain-text", dir: "auto", text: visible(rest) }) : null];
  }

  async ask(text) {
    this.waiting = true;
    await markdownOf([text]);
    this.waiting = false;
    if (!known.has(visible(text))) return;
    this.done = text;
    this.changed();
  }
}

/** Return what a piece of Markdown says, without its marks. */
export const withoutMarks = (text) => markdown(text).map((one) => one.textContent).join("\n");

function build(tokens, root) {
  const open = [root];
  let level = 2; // of the last heading: that of the question
  for (const token of tokens) {
    const parent = open[open.length - 1];
    if (token.nesting < 0) open.pop();
    else if (!token.nesting) parent.append(...leaf(token));
    else if (token.hidden) open.push(parent); // a paragraph of a list without gaps
    else {
      if (token.type === "heading_open") level = Math.min(level + 1, 6, Number(token.tag[1]) + 2);
      const made = element(token, level);
      parent.append(token.type === "table_open" ? scrolling("table-box", "Table", made) : made);
      open.push(made);
    }
  }
}

function element(token, level) {
  const tag = token.type === "heading_open" ? `h${level}` : token.tag;
  const made = el(tag, { dir: "auto" });
  if (token.start !== undefined) made.setAttribute("start", token.start);
  if (token.align) made.style.textAlign = token.align;
  return made;
}

/** Return the nodes of a token that has no other tokens between its start and its end. */
function leaf(token) {
  switch (token.type) {
    case "inline": {
      const inside = document.createDocumentFragment();
      build(token.children ?? [], inside);
      return [...inside.childNodes];
    }
    case "code_inline":
      return [el("code", { text: token.content })];
    case "fence":
      return [scrolling("code-box", "Code", el("pre", {}, el("code", { text: token.content })))];
    case "hr":
      return [el("hr")];
    case "hardbreak":
      return [el("br")];
    default:
      return [document.createTextNode(token.type === "softbreak" ? "\n" : (token.content ?? ""))];
  }
}

/** Return a box in which something wide is scrolled, also with the keyboard. */
const scrolling = (kind, name, inside) => el("div", { class: kind, tabindex: "0", role: "group", "aria-label": name }, inside);
