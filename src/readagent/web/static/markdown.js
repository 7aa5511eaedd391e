// Markdown as elements. The tokens are those of markdown-it; the elements are made here, and text stays text.

import { el, visible } from "./dom.js";

const AS_TEXT = ["link", "image", "autolink", "reference", "entity", "html_inline", "html_block", "code", "lheading"];

let parser = null;
let loading = null;

/** Load the parser, which is larger than all else on the page; before that, Markdown is shown as it was written. */
export function markdownReady() {
  loading ??= import("./vendor/markdown-it.js").then(
    ({ default: MarkdownIt }) => (parser = new MarkdownIt("default", { html: false }).disable(AS_TEXT)),
    () => (loading = null), // the connection is lost
  );
  return loading;
}

/** Return the elements of a Markdown text: paragraphs, headings, lists, tables, quotes, code, bold and italic. */
export function markdown(text) {
  const safe = visible(text);
  if (!parser) return [el("p", { class: "plain-text", dir: "auto", text: safe })];
  const made = document.createDocumentFragment();
  build(parser.parse(safe, {}), made);
  return [...made.childNodes];
}

/** Return what a piece of Markdown says, without its marks. */
export const withoutMarks = (text) => markdown(text).map((one) => one.textContent).join("\n");

function build(tokens, root) {
  const open = [root];
  let level = 2; // of the last heading: that of the question
  for (const token of tokens) {
    const parent = open[open.length - 1];
    if (token.nesting < 0) open.pop();
    else if (token.nesting === 0) parent.append(...leaf(token));
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
  const start = token.attrGet("start");
  if (start) made.setAttribute("start", start);
  const align = /text-align:(\w+)/u.exec(token.attrGet("style") ?? "");
  if (align) made.style.textAlign = align[1];
  return made;
}

/** Return the nodes of a token that has no other tokens between its start and its end. */
function leaf(token) {
  switch (token.type) {
    case "inline": {
      const inside = document.createDocumentFragment();
      build(token.children, inside);
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
      return [document.createTextNode(token.type === "softbreak" ? "\n" : token.content)];
  }
}

/** Return a box in which something wide is scrolled, also with the keyboard. */
const scrolling = (kind, name, inside) => el("div", { class: kind, tabindex: "0", role: "region", "aria-label": name }, inside);
