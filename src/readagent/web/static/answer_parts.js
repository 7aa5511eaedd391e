// An answer as elements: its text, the state of each statement, and its quotes.

import { announce, button, el, problem, told, visible } from "./dom.js";
import { part, remove } from "./api.js";
import { counted, fileOf, placeOf, scopeOf } from "./format.js";
import { markdown, withoutMarks } from "./markdown.js";

/** What the states of statements and quotes mean. */
export const STATES = {
  supported: ["\u25cf", "supported", "The text bears this out."],
  quoted: ["\u25d0", "quoted", "The text is about this; that it supports it was not shown."],
  nearest: ["\u25cc", "nearest passage", "The model quoted nothing; this was found for the answer."],
  unsupported: ["\u25cb", "not in the text", "Nothing in the text was found that bears this out."],
};

/** Return the elements of an answer: its text with the state of each statement, quotes, and what it took. */
export function answerParts(answer, { quote, places }) {
  const { answer: text } = answer;
  const judged = answer.kind === "claim" && answer.choice;
  const choice = judged ? `${judged[0].toUpperCase()}${judged.slice(1)}. ` : answer.choice && `(${answer.choice}) `;
  const said = el(
    "div",
    { class: "said" },
    choice ? el("strong", { class: "choice", text: choice }) : null,
    text.trim().toLowerCase() === answer.choice?.toLowerCase() ? null : markdown(text), // there is no more to say
  );
  markStatements(said, answer.statements ?? []);
  const near = answer.found_in_text === false;
  const head = headOf(answer);
  const quotes = (answer.quotes ?? []).map((one, number) =>
    quoteItem(near ? { ...one, state: "nearest" } : one, number, quote, beside(answer.statements ?? [], number)),
  );
  return [
    said,
    near && !/^(?:not found|no short answer)/iu.test(text) && el("p", { class: "note", text: "Not found in the text." }),
    quotes.length > 0 &&
      el("div", { class: "quotes" }, head ? el("p", { class: "label", text: head }) : null, el("ol", {}, quotes)),
    answer.false_quotes > 0 &&
      el("p", {
        class: "note",
        text: `${counted(answer.false_quotes, "quote")} of the model left out: not in the text.`,
      }),
    places,
  ].filter(Boolean);
}

/** Return the line above quotes that are only the passages nearest to an answer; "" for other quotes. */
function headOf({ found_in_text: found, quotes = [] }) {
  if (found === false && quotes.length) return "Nearest passages";
  return quotes[0]?.by_us ? "Nearest passages, found for this answer" : "";
}

/** Return the answers that there were to choose from, with the one that was chosen. */
export function optionList({ options = [], choice }) {
  if (!options.length) return null;
  const items = options.map((text, at) => {
    const chosen = choice === String.fromCharCode(65 + at);
    return told("li", text, chosen ? { class: "chosen", "aria-current": "true" } : {});
  });
  return el("ol", { class: "options" }, items);
}

/** Return the statements that rest on a quote; none if there is only one statement, which is the answer itself. */
function beside(statements, number) {
  return statements.length > 1 ? statements.filter((one) => (one.quotes ?? []).includes(number)) : [];
}

/** Return sentences of the text, with what the model quoted marked. */
function quoteText(one) {
  const letters = [...one.text]; // offsets count characters, where strings here count UTF-16
  const plain = (start, end) => visible(letters.slice(start, end).join("").replace(/\s+/g, " "));
  const parts = [];
  let at = 0;
  for (const [start, end] of one.marked ?? []) {
    parts.push(plain(at, start), el("mark", { text: plain(start, end) }));
    at = end;
  }
  parts.push(plain(at).trimEnd());
  return el("span", { class: "quote-text", dir: "auto" }, parts);
}

function quoteItem(one, number, go, statements) {
  const [mark, word, meaning] = STATES[one.state] ?? STATES.quoted;
  const text = quoteText(one);
  const said = statements.map((statement) =>
    told("span", statement.text, { class: `quote-statement ${statement.state}` }),
  );
  const where = el(
    "span",
    { class: "quote-place" },
    el(
      "span",
      { class: `state ${one.state ?? "quoted"}`, title: meaning },
      el("span", { "aria-hidden": "true", text: `${mark} ` }),
      word,
    ),
    ` \u00b7 `,
    told("bdi", one.title ? `${one.title}, ${placeOf(one)}` : placeOf(one)),
  );
  return el(
    "li",
    {},
    button(
      [el("span", { class: "quote-number", "aria-hidden": "true", text: String(number + 1) }), ...said, text, where].filter(
        Boolean,
      ),
      () => go(one),
      { class: "quote" },
    ),
  );
}

/** Underline the statements of an answer according to their state, where they can be found in it. */
function markStatements(said, statements) {
  for (const one of statements) {
    const pieces = piecesOf(said, visible(one.text)) ?? piecesOf(said, withoutMarks(one.text));
    if (!pieces) continue;
    const [, word, meaning] = STATES[one.state] ?? STATES.quoted;
    const wrappers = pieces.map((piece) => {
      const wrapper = el("span", { class: `statement ${one.state}`, title: meaning });
      piece.replaceWith(wrapper);
      wrapper.append(piece);
      return wrapper;
    });
    const numbers = (one.quotes ?? []).map((number) => number + 1).join(", ");
    wrappers.at(-1).append(
      "\u2009", // so that "14" with quote 1 does not read as 141
      el(
        "sup",
        { class: "refs", role: "note", "aria-label": `${word}${numbers ? `, quote ${numbers}` : ""}` },
        numbers || STATES[one.state]?.[0] || "",
      ),
    );
  }
}

/** Return the text nodes that are exactly these words, which may go on in bold or italics; null if they are not there. */
function piecesOf(root, words) {
  const leaves = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  let whole = "";
  while (leaves.nextNode()) {
    const marked = leaves.currentNode.parentElement.closest(".statement, pre");
    nodes.push({ node: leaves.currentNode, from: whole.length });
    whole += marked ? "\0".repeat(leaves.currentNode.length) : leaves.currentNode.data; // found before, or code
  }
  const start = words ? whole.indexOf(words) : -1;
  if (start < 0) return null;
  const end = start + words.length;
  return nodes
    .filter(({ node, from }) => from < end && from + node.length > start)
    .map(({ node, from }) => {
      if (from + node.length > end) node.splitText(end - from);
      return from < start ? node.splitText(start - from) : node;
    });
}

/** Return an answer with its quotes, one's own note, and what they are from as text, for the clipboard. */
function copied(answer, documents) {
  const quotes = (answer.quotes ?? []).map(
    (one) => `> ${one.text.replace(/\s+/g, " ")} (${one.title ?? documents[0].title}, ${placeOf(one)})`,
  );
  const made = new Date(answer.made).toLocaleDateString("en-CA"); // year, month and day
  const from = documents.map((one) => [one.title, fileOf(one)].filter(Boolean).join(", ")).join("; ");
  const shelf = answer.shelf ? `; shelf: ${answer.shelf} (${scopeOf(answer)})` : "";
  const note = answer.note ? [`Note: ${answer.note}`] : [];
  const evidence = [headOf(answer) && `${headOf(answer)}:`, quotes.join("\n")].filter(Boolean).join("\n");
  return [answer.question, answer.answer, evidence, ...note, `${from}${shelf}; asked on ${made} with ReadAgent`].join("\n\n");
}

/** Return a button that copies an answer. */
export function copyButton(answer, documents) {
  const copy = async () => {
    await navigator.clipboard?.writeText(copied(answer, documents()));
    announce("Copied");
  };
  return button("Copy", copy, { class: "link" });
}

/** Return a question that was stopped or failed, with ways to ask it again and to dismiss it; `gone()` is called first. */
export function unansweredItem(job, { readOnly, gone, again, draw }) {
  const away = () => {
    gone();
    if (job.id) remove(`jobs/${part(job.id)}`).catch(() => {});
  };
  const said = job.state === "stopped" ? el("p", { class: "note", text: "Stopped." }) : problem({ message: job.reason || "There is no answer.", hint: job.hint });
  const retry = button("Ask again", () => (away(), again(job.request)), { class: "small" });
  const dismiss = button("Dismiss", () => (away(), draw()), { class: "small quiet-button" });
  const buttons = readOnly ? null : el("div", { class: "buttons" }, retry, dismiss);
  return el("article", { class: "exchange" }, told("h2", job.request.question, { class: "asked" }), el("div", { class: "answer-body" }, said, buttons));
}
