// What reading would take, and its price, before anything is sent.

import { button, complain, el, fill, told } from "./dom.js";
import { get, part, post } from "./api.js";
import { counted, duration, money, short } from "./format.js";

/** Return what an estimate says of reading, as `readagent estimate` tells it. */
export function estimateText(estimate, isLocal) {
  const { calls, prompt_tokens: sent, reply_tokens: written, cost, seconds } = estimate.reading;
  const size = [
    `About ${counted(estimate.pages, "page")}`,
    counted(calls, "call"),
    `${short(sent + written)} tokens`,
    seconds ? duration(seconds) : "",
  ]
    .filter(Boolean)
    .join(", ");
  const price = isLocal
    ? "Free: the reader runs on this machine."
    : cost === null
      ? "The price of this model is not known."
      : cost === 0
        ? "Free."
        : `About ${money(cost)}.`;
  const slower = estimate.two_steps
    ? ` If the model cannot read in one pass: ${short(tokens(estimate.two_steps))} tokens${slowerPrice(estimate.two_steps)}.`
    : "";
  return `${size}.${slower} ${price} Nothing has been sent yet.`;
}

const slowerPrice = ({ cost }) => (cost ? `, about ${money(cost)}` : "");
const tokens = (figures) => figures.prompt_tokens + figures.reply_tokens;

const read = (one) => post(`documents/${part(one.id)}/readings`);

/**
 * Fill `root` with the estimate of these documents, and a button that starts reading, with `begin(document)` for each.
 * `started(jobs)` and `close()` are called.
 */
export async function offerReading(root, documents, { isLocal, started, close, label, begin = read }) {
  root.hidden = false;
  fill(root, el("p", { class: "quiet", role: "status", text: "Estimating\u2026" }));
  const setUp = isLocal && (await (await import("./setup.js")).setupOffer());
  if (setUp) return fill(root, setUp, button("Not now", close));
  const results = await Promise.allSettled(documents.map((one) => get(`documents/${part(one.id)}/estimate`)));
  const known = results.filter((one) => one.status === "fulfilled").map((one) => one.value);
  const failed = results.find((one) => one.status === "rejected");
  const sum = known.length ? total(known) : null;
  const problem = el("p", { class: "problem", role: "alert" });
  const start = button(
    label ?? (documents.length > 1 ? `Read ${counted(documents.length, "document")}` : "Read it"),
    async () => {
      start.disabled = true;
      try {
        const jobs = [];
        for (const one of documents) jobs.push(await begin(one));
        started(jobs);
      } catch (error) {
        start.disabled = false;
        complain(problem, error);
      }
    },
    { class: "main" },
  );
  const warnings = known
    .flatMap((one) => one.warnings ?? [])
    .slice(0, 3)
    .map((text) => told("p", text, { class: "note" }));
  fill(
    root,
    sum ? el("p", { class: "estimate-text", role: "status", text: estimateText(sum, isLocal) }) : null,
    failed
      ? told("p", [failed.reason.message, failed.reason.hint].filter(Boolean).join(": "), { class: "problem" })
      : null,
    warnings,
    problem,
    el("div", { class: "buttons" }, start, button("Not now", close)),
  );
  return start.focus({ preventScroll: true });
}

function total(estimates) {
  const reading = estimates.map((one) => one.reading);
  const add = (name) => reading.reduce((sum, one) => sum + (one[name] ?? 0), 0);
  const known = (name) => (reading.some((one) => one[name] === null || one[name] === undefined) ? null : add(name));
  const slower = estimates.map((one) => one.two_steps ?? one.reading);
  return {
    two_steps: estimates.some((one) => one.two_steps)
      ? {
          prompt_tokens: slower.reduce((sum, one) => sum + one.prompt_tokens, 0),
          reply_tokens: slower.reduce((sum, one) => sum + one.reply_tokens, 0),
          cost: slower.reduce((sum, one) => sum + (one.cost ?? 0), 0),
        }
      : null,
    pages: estimates.reduce((sum, one) => sum + one.pages, 0),
    reading: {
      calls: add("calls"),
      prompt_tokens: add("prompt_tokens"),
      reply_tokens: add("reply_tokens"),
      cost: known("cost"),
      seconds: known("seconds"),
    },
  };
}
