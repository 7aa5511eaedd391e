// Search over the text of all documents, or of one.

import { el, fill, problem, told, visible } from "./dom.js";
import { get, part } from "./api.js";
import { counted, pageName, splitAtWords } from "./format.js";
import { placesIn } from "./position.js";

export function searchView(root, app, route) {
  const words = route.query.get("q") ?? "";
  const only = route.query.get("in") ?? "";
  const list = el("div", { class: "results", "aria-live": "polite" });
  fill(
    root,
    el(
      "div",
      { class: "library" },
      el(
        "header",
        { class: "view-head" },
        el("h1", { text: "Search" }),
        told("span", words ? `\u201c${words}\u201d` : "", { class: "count" }),
      ),
      only
        ? el(
            "p",
            { class: "search-scope" },
            el("a", { href: `#/documents/${part(only)}`, text: "Back to the text" }),
            el("a", { href: `#/search?q=${part(words)}`, text: "Search all documents" }),
          )
        : null,
      list,
    ),
  );
  document.getElementById("search-words").value = words;
  search(list, words, only);
  return { close() {}, update: (next) => searchView(root, app, next) };
}

async function search(list, words, only) {
  if (!words.trim()) return fill(list, el("p", { class: "quiet", text: "Type what you are looking for." }));
  try {
    const found = await get(`search?q=${part(words)}${only ? `&document=${part(only)}` : ""}`);
    const places = await placesIn([...new Set(found.map((one) => one.document))]);
    const fair = found.filter((one) => !(one.end > places[one.document])); // of a page that is known in part, nothing
    const byDocument = new Map();
    for (const one of fair) byDocument.set(one.document, [...(byDocument.get(one.document) ?? []), one]);
    const hidden = found.length - fair.length;
    return fill(
      list,
      found.length
        ? el("p", {
            class: "quiet",
            text: `${counted(fair.length, "passage")} in ${counted(byDocument.size, "document")}${hidden ? `; ${hidden} after your reading position hidden` : ""}`,
          })
        : el("p", { class: "lead", text: "Nothing found." }),
      [...byDocument.values()].map((hits) =>
        el(
          "section",
          { class: "result" },
          told("h2", hits[0].title),
          el(
            "ul",
            {},
            hits.map((one) => hit(one, words)),
          ),
        ),
      ),
    );
  } catch (error) {
    return fill(list, problem(error));
  }
}

function hit(one, words) {
  const snippet = el(
    "p",
    { class: "snippet", dir: "auto" },
    splitAtWords(visible(one.snippet), words).map((piece, at) => (at % 2 ? el("mark", { text: piece }) : piece)),
  );
  const place = pageName({ number: one.page ?? 0, place: one.place });
  return el(
    "li",
    {},
    el(
      "a",
      { href: `#/documents/${part(one.document)}?at=${one.start}-${one.end}` },
      told("span", one.page === null && !one.place ? "in the text" : place, { class: "place" }),
      snippet,
    ),
  );
}
