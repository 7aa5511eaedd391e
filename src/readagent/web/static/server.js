// For whoever runs the server: the jobs, the last requests of other programs to /v1, and the way to runs and filling.

import { button, el, fill, problem, throttled, told } from "./dom.js";
import { dialog } from "./dialog.js";
import { get, isActive, part, remove } from "./api.js";
import { count, counted, duration, money, short, when } from "./format.js";
import { jobParts, jobsText } from "./jobs.js";
import { subscribe } from "./changes.js";

const COLUMNS = ["time", "model", "prompt tokens", "sent", "pages", "opened", "own calls", "saved", "took", "result"];
const SHOWN = 30; // jobs that go on, and jobs that have ended
const ORDER = ["running", "paused", "waiting"];
const KINDS = { read: "Reading", ask: "Question", overview: "Overview", shelf_ask: "Question to a shelf" };

export function serverView(root, app) {
  const boxes = { jobs: el("section", { class: "server-part" }), requests: el("section", { class: "server-part" }) };
  const links = el("nav", { class: "search-scope", "aria-label": "Of this server" });
  fill(root, el("div", { class: "runs" }, el("header", { class: "view-head" }, el("h1", { text: "Server" })), links, Object.values(boxes)));
  const jobs = throttled(() => showJobs(boxes.jobs, app), 1000);
  const load = () => {
    jobs();
    showRequests(boxes.requests);
    showLinks(links, app);
  };
  load();
  const end = subscribe({ begin: jobs, state: jobs, done: jobs, progress: jobs });
  return { close: () => (end(), jobs.cancel()), update: load, load };
}

async function showLinks(root, app) {
  const filling = await get("filling").catch(() => []);
  fill(
    root,
    filling.length ? el("a", { href: "#/filling", text: "Filling of shelves" }) : null,
    app.status.runs ? el("a", { href: "#/runs", text: "Benchmark runs" }) : null,
    el("a", { href: "#/setup", text: "Model" }),
    el("a", { href: "metrics", text: "Metrics" }),
    el("a", { href: "api/docs", text: "HTTP API" }),
  );
}

async function showJobs(root, app) {
  try {
    const jobs = await get("jobs");
    const ended = jobs.filter((job) => !isActive(job)).slice(0, SHOWN);
    const active = ORDER.flatMap((state) => jobs.filter((job) => job.state === state).reverse()); // as they come
    const about = (job) => told("p", `${KINDS[job.kind] ?? job.kind}: ${job.request.question ?? job.subject}`, { class: "clamped" });
    const going = active.slice(0, SHOWN).map((job) => el("li", {}, about(job), jobParts(job, () => {}, { readOnly: app.status.read_only })));
    fill(
      root,
      el("h2", { text: "Jobs" }),
      active.length ? whole(active, app) : el("p", { class: "quiet", text: "Nothing is going on." }),
      el("ul", { class: "going" }, going),
      active.length > SHOWN ? el("p", { class: "quiet", text: `${count(active.length - SHOWN)} more wait.` }) : null,
      ended.length ? tableBox("ended job", ["ended", "kind", "about", "state", "calls", "tokens", "cost"], ended.map(endedRow)) : null,
    );
  } catch (error) {
    fill(root, problem(error));
  }
}

/** Say how many jobs there are in all, with a way to stop them. */
function whole(active, app) {
  const stop = async () => {
    shown.close();
    for (const job of [...active].reverse()) await remove(`jobs/${part(job.id)}`).catch(() => {}); // those that wait first, so that none begins
  };
  let shown;
  const ask = () => {
    const sure = button(`Stop ${counted(active.length, "job")}`, stop, { class: "danger" });
    const buttons = el("div", { class: "buttons" }, sure, button("Let them go on", () => shown.close()));
    shown = dialog("Stop all jobs?", el("p", { text: "What they have paid for is kept: a text that is read later goes on from there." }), buttons);
  };
  const all = active.length > 1 && !app.status.read_only;
  return el("p", { class: "job-row" }, el("span", { text: jobsText("job", tally(active)) }), all ? button("Stop all\u2026", ask, { class: "small" }) : null);
}

/** Count jobs by their states. */
const tally = (jobs) => Object.fromEntries(ORDER.map((state) => [state, jobs.filter((job) => job.state === state).length]));

function endedRow(job) {
  const where = job.document ? `#/documents/${part(job.document)}` : `#/shelves/${part(job.shelf)}`;
  const subject = el("td", {}, el("a", { href: where }, told("bdi", job.subject || "gone")));
  const state = told("td", job.state, { title: [job.reason, job.hint].filter(Boolean).join(": ") });
  const cells = [count(job.calls), short(job.tokens), job.calls ? money(job.cost) : ""];
  return el("tr", {}, told("td", when(job.changed)), told("td", KINDS[job.kind] ?? job.kind), subject, state, cells.map((cell) => told("td", cell)));
}

async function showRequests(root) {
  try {
    const requests = await get("proxy");
    const about = `${new URL("v1", location.href)} is a base URL for programs that speak OpenAI\u2019s API; the key is the token of this server.`;
    fill(
      root,
      el("h2", { text: "Requests to /v1" }),
      told("p", about, { class: "quiet" }),
      requests.length ? tableBox("request", COLUMNS, requests.map(row)) : el("p", { class: "quiet", text: "None since the server was started." }),
    );
  } catch (error) {
    fill(root, problem(error));
  }
}

function tableBox(what, columns, rows) {
  const heads = columns.map((name) => el("th", { scope: "col", text: name }));
  return el(
    "div",
    { class: "table-box", tabindex: "0", role: "region", "aria-label": counted(rows.length, what) },
    el("table", { class: "requests" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows)),
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
