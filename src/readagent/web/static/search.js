// Search over the text of all documents, or of one.

import { button, el, fill, problem, told, visible } from "./dom.js";
import { get, part } from "./api.js";
import { counted, pageName } from "./format.js";
import { placesIn } from "./position.js";

const AT_ONCE = 20; // passages

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
  search(list, words, only, app);
  return { close() {}, update: (next) => searchView(root, app, next) };
}

async function search(list, words, only, app) {
  if (!words.trim()) return fill(list, el("p", { class: "quiet", text: "Type what you are looking for." }));
  const where = `q=${part(words)}${only ? `&document=${part(only)}` : ""}`;
  const said = el("p", { class: "quiet", role: "status", text: "Searching\u2026" });
  const more = el("div", { class: "more" });
  const sections = new Map();
  let seen = 0;
  let hidden = 0;
  let all = null;
  const before = history.state?.shown ?? 0; // on the way back
  const say = () => {
    const passages = all ? counted(all.passages, "passage") : `${counted(seen, "passage")} shown`;
    const documents = all ? ` in ${counted(all.documents, "document")}` : "";
    const rest = all?.missing ? `; ${counted(all.missing, "unread document")} not searched yet` : "";
    const kept = hidden ? `; ${hidden} after your reading position hidden` : "";
    said.textContent = seen ? `${passages}${documents}${kept}${rest}` : `Nothing found${rest}.`;
    said.className = seen || rest ? "quiet" : "lead";
  };
  const load = async () => {
    fill(more);
    try {
      const found = await get(`search?${where}&limit=${AT_ONCE}&offset=${seen}`);
      const places = await placesIn([...new Set(found.map((one) => one.document))]);
      const fair = found.filter((one) => !(one.end > places[one.document])); // of a page that is known in part, nothing
      seen += found.length;
      hidden += found.length - fair.length;
      for (const one of fair) sectionOf(one).append(hit(one, words));
      say();
      if (found.length === AT_ONCE) fill(more, button("More", () => load().then(() => app.keep({ shown: seen }))));
    } catch (error) {
      fill(more, problem(error));
    }
  };
  const sectionOf = (one) => {
    if (!sections.has(one.document)) {
      sections.set(one.document, el("ul"));
      more.before(el("section", { class: "result" }, told("h2", one.title, { title: one.title }), sections.get(one.document)));
    }
    return sections.get(one.document);
  };
  fill(list, said, more);
  do await load();
  while (seen < before && more.querySelector("button"));
  while (list.isConnected) {
    all = await get(`search/totals?${where}`).catch(() => all); // without it, what is shown is counted
    if (said.isConnected) say();
    if (!all?.missing) return;
    await new Promise((later) => setTimeout(later, 1000));
    if (!seen && said.isConnected) await load();
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

/** Split a text at words that somebody searched for: pieces at odd places are hits. */
function splitAtWords(text, words) {
  const parts = words.split(/\s+/).filter((word) => word.length > 1);
  if (!parts.length) return [text];
  const escaped = parts.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return text.split(new RegExp(`(${escaped.join("|")})`, "giu"));
}
