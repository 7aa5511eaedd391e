// Why an answer is what it is: every prompt and reply as sent, the pages opened, tokens, money and fallbacks.

import { button, dialog, el, fill, told } from "./dom.js";
import { placeOf } from "./answer_parts.js";
import { get, part } from "./api.js";
import { count, counted, duration, money, short } from "./format.js";

/** Open the trace of an answer in a dialog; `go(number)` shows a page. */
export async function showTrace(answer, go) {
  const body = el("div", { class: "trace" }, el("p", { class: "quiet", text: "Loading\u2026" }));
  const shown = dialog("Why did it answer that?", told("p", answer.question, { class: "asked" }), body);
  try {
    const trace = await get(`answers/${part(answer.id)}/trace`);
    fill(
      body,
      traceParts(trace, answer, (number) => {
        shown.close();
        go(number);
      }),
    );
  } catch (error) {
    fill(body, told("p", [error.message, error.hint].filter(Boolean).join(": "), { class: "problem" }));
  }
}

/** Open what is known of how a shelf answered; `go(page)` shows a page of one of its documents. */
export function showShelfTrace(answer, go) {
  const shown = dialog("Why did it answer that?", told("p", answer.question, { class: "asked" }));
  const opened = answer.pages.map((one) =>
    button(
      told("bdi", `${one.title}, ${placeOf(one)}`),
      () => {
        shown.close();
        go(one);
      },
      { class: "small" },
    ),
  );
  const asked = answer.documents.map((one) => one.title).join(", ");
  const fallbacks = fallbackItems(answer.fallbacks);
  shown.append(
    el(
      "div",
      { class: "trace" },
      el(
        "dl",
        { class: "facts" },
        fact("Calls", count(answer.calls)),
        fact("Tokens", `${short(answer.tokens_in)} in, ${short(answer.tokens_out)} out`),
        fact("Paid", money(answer.cost)),
        fact("Checked by", answer.checked_by || "nothing"),
      ),
      told("p", `Asked ${answer.documents.length} of ${counted(answer.among, "document")}${asked ? `: ${asked}` : ""}`),
      opened.length
        ? el("p", { class: "opened" }, "Pages opened: ", opened)
        : el("p", { class: "quiet", text: "No page was opened: the answer is from the gists." }),
      fallbacks,
      el("p", { class: "quiet", text: "The prompts and replies of a question to a shelf are not shown here." }),
    ),
  );
}

function fallbackItems(all) {
  const items = (all ?? []).map((one) => told("li", `${one.step}: ${one.reason}; used instead: ${one.taken}`));
  return items.length ? el("section", {}, el("h3", { text: "Fallbacks" }), el("ul", { class: "fallbacks" }, items)) : "";
}

function fact(name, value) {
  return el("div", {}, el("dt", { text: name }), el("dd", { text: value }));
}

export function traceParts(trace, answer, go) {
  const calls = trace.calls ?? [];
  const cached = calls.filter((call) => call.cached).length;
  const sum = (name) => calls.reduce((total, call) => total + (call[name] ?? 0), 0);
  const pages = trace.pages ?? answer.pages ?? [];
  const facts = el(
    "dl",
    { class: "facts" },
    fact("Calls", cached ? `${count(calls.length)} (${count(cached)} from the cache)` : count(calls.length)),
    fact("Tokens", `${short(sum("tokens_in"))} in, ${short(sum("tokens_out"))} out`),
    fact("Paid", money(trace.cost)),
    fact("Words read", count(trace.words_read)),
    fact("Checked by", answer.checked_by || "nothing"),
  );
  const opened = pages.length
    ? el(
        "p",
        { class: "opened" },
        "Pages opened: ",
        pages.map((number) => button(`page ${number + 1}`, () => go(number), { class: "small" })),
      )
    : el("p", { class: "quiet", text: "No page was opened: the answer is from the gists." });
  return [
    facts,
    opened,
    fallbackItems(trace.fallbacks),
    el("h3", { text: counted(calls.length, "call") }),
    el(
      "ol",
      { class: "calls" },
      calls.map((call, at) => callItem(call, at, calls.length)),
    ),
  ].filter(Boolean);
}

function callItem(call, at, of) {
  const spent = [
    `${short(call.tokens_in ?? 0)} in, ${short(call.tokens_out ?? 0)} out`,
    call.cached ? "from the cache" : money(call.cost),
    call.cached ? "" : duration(call.seconds),
  ]
    .filter(Boolean)
    .join(" \u00b7 ");
  const text = (name, value) =>
    el(
      "section",
      { class: "sent" },
      el("h4", { text: name }),
      value ? told("pre", value, { tabindex: "0", role: "region", "aria-label": name }) : el("p", { class: "quiet", text: "Not kept." }),
    );
  const details = el(
    "details",
    { open: of === 1 },
    el(
      "summary",
      {},
      el("span", { class: "step", text: `${at + 1}. ${call.step}` }),
      el("span", { class: "spent", text: spent }),
    ),
    text("Prompt", call.prompt),
    text("Reply", call.reply),
  );
  return el("li", { class: call.cached ? "cached" : "" }, details);
}
