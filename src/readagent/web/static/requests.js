// The last requests of other programs to /v1, and what became of each.

import { el, fill, problem, told } from "./dom.js";
import { get } from "./api.js";
import { count, counted, duration, money, when } from "./format.js";

const COLUMNS = ["time", "model", "prompt tokens", "sent", "pages", "opened", "own calls", "saved", "took", "result"];

export function requestsView(root) {
  const box = el("div", { class: "runs" });
  fill(root, box);
  show(box);
  return { close() {}, update: () => show(box) };
}

async function show(box) {
  try {
    const requests = await get("proxy");
    fill(
      box,
      el(
        "header",
        { class: "view-head" },
        el("h1", { text: "Requests to /v1" }),
        told("p", `${new URL("v1", location.href)} is a base URL for programs that speak OpenAI\u2019s API; the key is the token of this server.`, {
          class: "quiet",
        }),
      ),
      requests.length ? table(requests) : el("p", { class: "lead", text: "None since the server was started." }),
    );
  } catch (error) {
    fill(box, problem(error));
  }
}

function table(requests) {
  const heads = COLUMNS.map((name) => el("th", { scope: "col", text: name }));
  return el(
    "div",
    { class: "table-box", tabindex: "0", role: "region", "aria-label": counted(requests.length, "request") },
    el("table", { class: "requests" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, requests.map(row))),
  );
}

function row(one) {
  const made = one.compressed;
  const cells = [
    when(one.time),
    one.model || one.path,
    one.original_tokens ? count(one.original_tokens) : "",
    one.sent_tokens ? count(one.sent_tokens) : "",
    made ? count(one.pages) : "",
    made ? count(one.pages_opened) : "",
    made || one.calls ? count(one.calls) : "",
    saved(one.saved_usd),
    duration(one.seconds),
    became(one),
  ];
  return el(
    "tr",
    {},
    cells.map((cell) => told("td", cell)),
  );
}

/** What became of a request: whether it was answered, and why it was not made to fit, or not all of it has gists. */
function became(one) {
  if (one.gone && !one.status) return "the client went away";
  const what = one.compressed ? "made to fit" : "passed on";
  return `${one.status} \u00b7 ${one.reason ? `${what}: ${one.reason}` : what}`;
}

/** What was saved, or with a minus sign what reading cost more; nothing where the price is unknown or nil. */
function saved(value) {
  if (!value) return "";
  return `${value < 0 ? "\u2212" : ""}${money(Math.abs(value))}`;
}
