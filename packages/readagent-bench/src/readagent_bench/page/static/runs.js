// Benchmark runs: figures, questions with verdicts, and what every method did on a question, two side by side.

import { button, el, fill, problem, told } from "./dom.js";
import { get, part } from "./api.js";
import { count, counted, money, short } from "./format.js";

const MARKS = {
  right: ["\u25cf", "right"],
  half: ["\u25d0", "partly right"],
  wrong: ["\u25cb", "wrong"],
  unrated: ["\u00b7", "not rated"],
};
const MOST = 300; // questions that are listed at first

export function runsView(root, app, route) {
  const box = el("div", { class: "runs" });
  let turn = 0;
  fill(root, box);
  const show = async (now) => {
    turn += 1;
    const mine = turn;
    fill(box, el("p", { class: "quiet", text: "Loading\u2026" }));
    try {
      const parts = await viewOf(now);
      if (mine === turn) fill(box, parts);
    } catch (error) {
      if (mine === turn) fill(box, problem(error));
    }
  };
  show(route);
  return {
    close() {
      turn += 1;
    },
    update: show,
  };
}

async function viewOf({ path, query }) {
  const [, run, ...question] = path;
  if (!run) return list(await get("runs"));
  if (!question.length) return runParts(await get(`runs/${part(run)}`), query);
  return questionParts(run, await get(`runs/${part(run)}/questions/${part(question.join("/"))}`), query);
}

function list(runs) {
  const row = (run) =>
    el(
      "li",
      {},
      el(
        "a",
        { href: `#/runs/${part(run.name)}` },
        told("strong", run.name),
        told(
          "span",
          [
            run.dataset,
            run.split,
            run.model,
            counted(run.questions, "question"),
            counted(run.methods.length, "method"),
            run.state,
          ]
            .filter(Boolean)
            .join(" \u00b7 "),
          { class: "facts" },
        ),
      ),
    );
  return [
    head("Benchmark runs"),
    runs.length
      ? el("ul", { class: "run-list" }, runs.map(row))
      : el("p", { class: "lead", text: "There is no run in this folder." }),
  ];
}

function head(title, ...trail) {
  return el(
    "header",
    { class: "view-head" },
    trail.length ? el("nav", { class: "trail", "aria-label": "Where you are" }, trail) : null,
    told("h1", title),
  );
}

function figure({ mean, low, high }) {
  const shown = (value) => {
    if (Math.abs(value) <= 1) return value.toFixed(3);
    return Math.abs(value) < 100 ? value.toFixed(1) : count(Math.round(value));
  };
  return el("td", { title: low === null ? "" : `95% interval: ${shown(low)} to ${shown(high)}`, text: shown(mean) });
}

function runParts(run, query) {
  const names = [...new Set(run.methods.flatMap((one) => Object.keys(one.measures)))];
  const table = el(
    "div",
    { class: "table-box", tabindex: "0", role: "region", "aria-label": "Figures of the methods" },
    el(
      "table",
      { class: "figures" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ["Method", ...names.map((name) => name.replaceAll("_", " ")), "Failed"].map((name) =>
            el("th", { scope: "col", text: name }),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        run.methods.map((one) =>
          el(
            "tr",
            {},
            told("th", one.title, { scope: "row" }),
            names.map((name) => (one.measures[name] ? figure(one.measures[name]) : el("td", { text: "\u2013" }))),
            el("td", { text: String(one.failed) }),
          ),
        ),
      ),
    ),
  );
  const words = el("input", {
    type: "search",
    id: "run-words",
    placeholder: "Words in the question",
    value: query.get("q") ?? "",
    "aria-label": "Words in the question",
  });
  const filters = [
    ["wrong", "some method is wrong"],
    ["split", "methods disagree"],
    ["fallback", "with a fallback"],
  ].map(([name, label]) => {
    const box = el("input", { type: "checkbox", id: `only-${name}` });
    box.checked = query.has(name);
    return { name, box, node: el("label", { class: "check", for: box.id }, box, ` ${label}`) };
  });
  const found = el("ol", { class: "run-questions" });
  const number = el("p", { class: "quiet", role: "status" });
  const draw = () => {
    const wanted = words.value.toLowerCase();
    const kept = run.questions.filter(
      (one) =>
        filters.every(({ name, box }) => !box.checked || one[name]) && one.question.toLowerCase().includes(wanted),
    );
    number.textContent = `${count(kept.length)} of ${counted(run.questions.length, "question")}`;
    fill(
      found,
      kept.slice(0, MOST).map((one) => questionLine(run, one)),
    );
    const now = new URLSearchParams(filters.filter(({ box }) => box.checked).map(({ name }) => [name, "1"]));
    if (words.value) now.set("q", words.value);
    history.replaceState(null, "", `#/runs/${part(run.name)}${now.size ? `?${now}` : ""}`);
  };
  words.addEventListener("input", draw);
  for (const { box } of filters) box.addEventListener("change", draw);
  draw();
  const made = run.manifest;
  return [
    head(run.name, el("a", { href: "#/runs", text: "Runs" })),
    told("p", [made.dataset, made.split, made.model].filter(Boolean).join(" \u00b7 "), { class: "facts" }),
    table,
    el(
      "div",
      { class: "filters" },
      words,
      filters.map(({ node }) => node),
    ),
    number,
    legend(run),
    found,
  ];
}

/** What the marks beside the questions mean, and the order of the methods. */
function legend(run) {
  const marks = Object.entries(MARKS).map(([state, [mark, name]]) =>
    el("span", { class: `verdict ${state}` }, el("span", { "aria-hidden": "true", text: `${mark} ` }), name),
  );
  const order = run.methods.length > 1 ? `in this order: ${run.methods.map((one) => one.title).join(", ")}` : "";
  return el("p", { class: "legend facts" }, marks, order ? told("span", order) : null);
}

function questionLine(run, one) {
  const order = run.methods.map((method) => method.method); // as in the table above
  const verdicts = [...one.verdicts].sort((a, b) => order.indexOf(a.method) - order.indexOf(b.method) || a.run - b.run);
  const marks = verdicts.map((verdict) => {
    const [mark, name] = MARKS[verdict.state];
    return el(
      "span",
      { class: `verdict ${verdict.state}`, title: `${verdict.method}: ${verdict.verdict || name}` },
      el("span", { "aria-hidden": "true", text: mark }),
      el("span", { class: "away", text: `${verdict.method}: ${name}. ` }),
    );
  });
  return el(
    "li",
    {},
    el(
      "a",
      { href: `#/runs/${part(run.name)}/${part(one.id)}` },
      told("span", one.question, { class: "run-question" }),
      el("span", { class: "verdicts" }, marks),
    ),
  );
}

function questionParts(run, question, query) {
  const names = question.attempts.map(
    (one, at) =>
      (question.attempts.some((other) => other.method === one.method && other.run !== one.run)
        ? `${one.title}, run ${one.run}`
        : one.title) || String(at),
  );
  const first = Math.max(0, Math.min(names.length - 1, Number(query.get("left") ?? 0)));
  const second = Math.max(0, Math.min(names.length - 1, Number(query.get("right") ?? 1)));
  const columns = el("div", { class: "attempts" });
  const choices = [first, second].map((chosen, at) =>
    el(
      "select",
      { "aria-label": at ? "Method on the right" : "Method on the left" },
      names.map((name, number) => el("option", { value: String(number), selected: number === chosen, text: name })),
    ),
  );
  const draw = () => {
    const [left, right] = choices.map((one) => Number(one.value));
    fill(
      columns,
      attempt(question.attempts[left], choices[0]),
      names.length > 1 ? attempt(question.attempts[right], choices[1]) : null,
    );
    history.replaceState(null, "", `#/runs/${part(run)}/${part(question.id)}?left=${left}&right=${right}`);
  };
  for (const one of choices) one.addEventListener("change", draw);
  draw();
  const options = question.options.length
    ? el(
        "ol",
        { class: "options" },
        question.options.map((one) => told("li", one)),
      )
    : null;
  return [
    head(
      question.question,
      el("a", { href: "#/runs", text: "Runs" }),
      el("a", { href: `#/runs/${part(run)}` }, told("bdi", run)),
    ),
    told("p", question.case, { class: "facts" }),
    options,
    el("p", { class: "key" }, "Key: ", told("strong", question.key || "none")),
    columns,
  ];
}

function attempt(one, choice) {
  const [mark, name] = MARKS[one.state];
  const said = one.error || (one.choice ? `(${one.choice}) ${one.answer}` : one.answer) || "no answer";
  const spent = [
    one.spent.calls ? counted(one.spent.calls, "call") : "",
    one.spent.prompt_tokens ? `${short(one.spent.prompt_tokens)} tokens` : "",
    one.spent.cost ? money(one.spent.cost) : "",
  ]
    .filter(Boolean)
    .join(" \u00b7 ");
  const notes = [...one.fallbacks, ...one.notes];
  const missed = one.missed.length
    ? el("p", {
        class: "problem",
        text: `Not opened, though it matters: ${one.missed.map((number) => `page ${number + 1}`).join(", ")}`,
      })
    : null;
  return el(
    "section",
    { class: "attempt", "aria-label": one.title },
    choice,
    el(
      "p",
      { class: `verdict ${one.state}` },
      el("span", { "aria-hidden": "true", text: `${mark} ` }),
      told("span", one.verdict || name),
    ),
    told("p", said, { class: one.error ? "problem" : "said" }),
    el("p", { class: "facts", text: spent }),
    missed,
    notes.length
      ? el(
          "ul",
          { class: "fallbacks" },
          notes.map((text) => told("li", text)),
        )
      : null,
    one.pages.length
      ? el(
          "details",
          { open: true },
          el("summary", { text: `${counted(one.pages.length, "page")}, ${count(one.opened.length)} opened` }),
          el("ol", { class: "run-pages" }, one.pages.map(page)),
        )
      : null,
    el(
      "details",
      {},
      el("summary", { text: counted(one.calls.length, "call") }),
      one.calls.map((call) =>
        el(
          "div",
          { class: "sent" },
          el("h2", { text: call.step }),
          told("pre", call.prompt, { tabindex: "0" }),
          told("pre", call.reply, { tabindex: "0", class: "reply" }),
        ),
      ),
    ),
  );
}

function page(one) {
  const tags = [one.opened && "opened", one.evidence && "matters"].filter(Boolean);
  const text = el("div", { class: "page-text", hidden: true }, told("p", one.text ?? ""));
  const more = one.text
    ? button(
        "Show the page",
        () => {
          text.hidden = !text.hidden;
          more.textContent = text.hidden ? "Show the page" : "Hide the page";
        },
        { class: "small" },
      )
    : null;
  return el(
    "li",
    { class: `run-page ${one.opened ? "lit" : ""} ${one.evidence ? "evidence" : ""}` },
    el("p", { class: "tile-name" }, `page ${one.number + 1}`, el("span", { class: "tile-note", text: tags.join(", ") })),
    one.gist ? told("p", one.gist, { class: "gist" }) : null,
    more,
    text,
  );
}
