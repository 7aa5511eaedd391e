// A little Markdown as elements: paragraphs, headings, lists, quotes, bold, italic and code. Everything else stays text.

import { el, visible } from "./dom.js";

const INLINE = /(\*\*[^*\n]+\*\*|`[^`\n]+`|(?<![\w*])\*[^*\n]+\*(?![\w*])|(?<!\w)_[^_\n]+_(?!\w))/u;

/** Return the elements of a Markdown text. */
export function markdown(text) {
  const made = [];
  let list = null;
  let lines = [];
  const paragraph = () => {
    if (lines.length) made.push(el("p", { dir: "auto" }, inline(lines.join("\n"))));
    lines = [];
  };
  for (const line of visible(text).split("\n")) {
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    const item = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/.exec(line);
    if (heading || item || !line.trim()) paragraph();
    if (!item && line.trim()) list = null;
    if (heading) made.push(el(`h${Math.min(6, heading[1].length + 2)}`, { dir: "auto" }, inline(heading[2])));
    else if (item) {
      const kind = item[1] ? "OL" : "UL";
      if (list?.tagName !== kind) {
        list = el(kind);
        if (item[1] && item[1] !== "1") list.setAttribute("start", item[1]);
        made.push(list);
      }
      list.append(el("li", { dir: "auto" }, inline(item[2])));
    } else if (line.trim()) lines.push(line.replace(/^>\s?/, ""));
  }
  paragraph();
  return made;
}

/** Return the nodes of a line: text, bold, italic and code. */
export function inline(text) {
  return text
    .split(INLINE)
    .filter(Boolean)
    .map((piece) => {
      if (/^\*\*.+\*\*$/su.test(piece)) return el("strong", { text: piece.slice(2, -2) });
      if (/^`.+`$/su.test(piece)) return el("code", { text: piece.slice(1, -1) });
      if (/^([*_]).+\1$/su.test(piece)) return el("em", { text: piece.slice(1, -1) });
      return document.createTextNode(piece);
    });
}
