// What a reading looks like: how far it is, and what can be done with it.

import { button, el, needsWords, remedy, told } from "./dom.js";
import { timeOf } from "./ask_form.js";
import { part, post, remove } from "./api.js";
import { count, counted, duration, money, short } from "./format.js";

const DOING = {
  waiting: "Waiting",
  running: "Reading",
  paused: "Paused",
  failed: "Failed",
  stopped: "Stopped",
  done: "Read",
};

/** Say how many jobs there are, by their states: "36 readings: 1 runs, 35 wait". */
export function jobsText(what, { running = 0, paused = 0, waiting = 0 }) {
  const parts = [[running, running === 1 ? "runs" : "run"], [paused, "paused"], [waiting, waiting === 1 ? "waits" : "wait"]];
  const said = parts.filter(([number]) => number).map(([number, state]) => `${count(number)} ${state}`);
  return `${counted(running + paused + waiting, what)}: ${said.join(", ")}`;
}

const doing = (job) => DOING[job.state] ?? job.state;

/** Return the elements for a job: a bar, what is being done, and buttons. `changed(job)` is called after each of them. */
export function jobParts(job, changed, { readOnly = false } = {}) {
  const { done = 0, total = 0, what = "", seconds_left: left } = job.progress ?? {};
  const share = total ? Math.floor((100 * done) / total) : 0;
  const spent = [
    job.calls ? counted(job.calls, "call") : "",
    job.tokens ? `${short(job.tokens)} tokens` : "",
    job.cost ? money(job.cost) : "",
    left ? `about ${duration(left)} left` : "",
  ]
    .filter(Boolean)
    .join(" \u00b7 ");
  const act = (label, action, props = {}) =>
    button(
      label,
      async (event) => {
        event.currentTarget.disabled = true;
        try {
          changed((await action()) ?? job);
        } catch (error) {
          changed({ ...job, reason: error.message, hint: error.hint });
        }
      },
      { class: "small", ...props },
    );
  const path = `jobs/${part(job.id)}`;
  const buttons = readOnly
    ? []
    : ({
        waiting: [act("Stop", () => remove(path))],
        running: [act("Pause", () => post(`${path}/pause`)), act("Stop", () => remove(path))],
        paused: [act("Go on", () => post(`${path}/resume`), { class: "small" }), act("Stop", () => remove(path))],
      }[job.state] ?? []);
  const bar = el("progress", {
    max: Math.max(1, total),
    value: total ? done : 0,
    "aria-label": `${doing(job)}, ${share}%`,
  });
  return [
    el(
      "div",
      { class: "job-row" },
      el("span", { class: `job-state ${job.state}`, text: doing(job) }),
      bar,
      el("span", { class: "job-share", text: total ? `${share}%` : "" }),
      el("span", { class: "buttons" }, buttons),
    ),
    el(
      "p",
      { class: "job-facts" },
      told("span", what),
      spent ? el("span", { text: `${what ? " \u00b7 " : ""}${spent}` }) : null,
    ),
    job.reason
      ? el(
          "p",
          { class: "problem" },
          told("span", job.reason),
          told("span", ` ${needsWords(job.hint) ? job.hint : ""} `, { class: "hint" }),
          remedy(job.hint),
        )
      : null,
  ].filter(Boolean);
}

/** Return the jobs that ended without an answer, but for questions that were answered later. */
export const unanswered = (jobs, answers) =>
  jobs.filter((job) => ["stopped", "failed"].includes(job.state) && !answers.some((one) => one.question === job.request.question && timeOf(one) > timeOf(job)));
