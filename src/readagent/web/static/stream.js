// Streams of events from the server, which go on after a lost connection.

import { ApiError, BASE, LONGEST_WAIT, part, reached, refused } from "./api.js";

/** Follow the events of a job until it ends. */
export const follow = (id, on) => stream(`jobs/${part(id)}/events`, on, "done");

/**
 * Follow a stream of events until the one that is the `end`. `on` has a function for each kind of event, and
 * `gone(error)` for a stream that is not there. Reconnects where the connection is lost, from the last event that arrived. While the tab is hidden the
 * connection is closed, because a browser has few of them. Returns a function that ends it.
 */
export function stream(path, on, end = "") {
  let last = "";
  let closed = false;
  let wait = 500;
  let stop = new AbortController();

  const handle = (event) => {
    if (event.id) last = event.id;
    if (event.name === end) closed = true;
    on[event.name]?.(event.data);
  };

  async function read() {
    const headers = { Accept: "text/event-stream" };
    if (last) headers["Last-Event-ID"] = last;
    const answer = await fetch(new URL(path, BASE), { headers, signal: stop.signal });
    if (!answer.ok) throw refused(answer.status, await answer.json().catch(() => null));
    reached(true);
    wait = 500;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const parse = parser(handle);
    for (;;) {
      const { value, done } = await reader.read();
      if (done || closed) return;
      parse(value);
    }
  }

  async function run() {
    while (!closed) {
      if (document.hidden) await new Promise((go) => document.addEventListener("visibilitychange", go, { once: true }));
      if (closed) return;
      stop = new AbortController();
      try {
        await read();
      } catch (error) {
        if (closed) return;
        if (error instanceof ApiError) return on.gone?.(error);
        if (!stop.signal.aborted) reached(false);
      }
      if (!closed) await new Promise((go) => setTimeout(go, wait));
      wait = Math.min(LONGEST_WAIT, wait * 1.6);
    }
  }

  const hide = () => document.hidden && stop.abort();
  document.addEventListener("visibilitychange", hide);
  run();
  return () => {
    closed = true;
    document.removeEventListener("visibilitychange", hide);
    stop.abort();
  };
}

/** Return a function that takes pieces of an event stream and calls `handle` for each whole event. */
export function parser(handle) {
  let rest = "";
  let event = { name: "message", id: "", lines: [] };
  return (piece) => {
    rest += piece;
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (event.lines.length) handle({ name: event.name, id: event.id, data: JSON.parse(event.lines.join("\n")) });
        event = { name: "message", id: "", lines: [] };
        continue;
      }
      const at = line.indexOf(":");
      const field = at < 0 ? line : line.slice(0, at);
      const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
      if (field === "event") event.name = value;
      else if (field === "id") event.id = value;
      else if (field === "data") event.lines.push(value);
    }
  };
}
