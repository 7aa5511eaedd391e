// Why an answer is what it is: every prompt and reply as sent, the pages opened, tokens, money and fallbacks.

import { button, el, fill, told } from "./dom.js";
import { dialog } from "./dialog.js";
import { get } from "./api.js";
import { count, counted, duration, money, short } from "./format.js";

/**
 * Open the trace of an answer, which is at `path`, in a dialog. `name(page)` is what a page is called, and `go(page)`
 * shows it; `about` is what else there is to say.
 */
export async function showTrace(answer, { path, name, go, about = null }) {
  const body = el("div", { class: "trace" }, el("p", { class: "quiet", text: "Loading\u2026" }));
  const shown = dialog("Why did it answer that?", told("p", answer.question, { class: "asked" }), body);
  const open = (page) => {
    shown.close();
    go(page);
  };
  try {
    const trace = await get(path);
    const pages = trace.pages.map((page) => button(told("bdi", name(page)), () => open(page), { class: "small" }));
    fill(body, traceParts(trace, answer, pages, about));
  } catch (error) {
    fill(body, told("p", [error.message, error.hint].filter(Boolean).join(": "), { class: "problem" }));
  }
}

function fallbackItems(all) {
  const items = (all ?? []).map((one) => told("li", `${one.step}: ${one.reason}; used instead: ${one.taken}`));
  return items.length ? el("section", {}, el("h3", { text: "Fallbacks" }), el("ul", { class: "fallbacks" }, items)) : "";
}

function fact(name, value) {
  return el("div", {}, el("dt", { text: name }), el("dd", { text: value }));
}

function traceParts(trace, answer, pages, about) {
  const { calls } = trace;
  const cached = calls.filter((call) => call.cached).length;
  const sum = (name) => calls.reduce((total, call) => total + (call[name] ?? 0), 0);
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
    ? el("p", { class: "opened" }, "Pages opened: ", pages)
    : el("p", { class: "quiet", text: "No page was opened: the answer is from the gists." });
  return [
    facts,
    about ? told("p", about) : null,
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
      value ? told("pre", value, { tabindex: "0", role: "group", "aria-label": name }) : el("p", { class: "quiet", text: "Not kept." }),
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
