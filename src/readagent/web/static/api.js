// The HTTP API: requests, errors with a hint, the events of a job, and whether the server can be reached.

const BASE = new URL("api/", document.baseURI);
const LONGEST_WAIT = 10_000;

/** A refusal of the server: one line, perhaps with a hint. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.error || `the server answered ${status}`);
    this.status = status;
    this.hint = body?.hint || "";
    this.type = body?.type || "";
  }
}

/** Tells `lost` and `back` when the server stops answering and when it answers again, and `locked` when it wants a token. */
export const connection = new EventTarget();
let reachable = true;

function reached(now) {
  if (now === reachable) return;
  reachable = now;
  connection.dispatchEvent(new Event(now ? "back" : "lost"));
  if (!now) tryAgain(500);
}

function tryAgain(wait) {
  setTimeout(async () => {
    try {
      const answer = await fetch(new URL("../healthz", BASE), { cache: "no-store" });
      if (answer.ok) return reached(true);
    } catch {
      // still away
    }
    return reachable ? undefined : tryAgain(Math.min(LONGEST_WAIT, wait * 1.6));
  }, wait);
}

/** Return the error of a refusal; that the token is wrong is told to all. */
export function refused(status, body) {
  if (status === 401) connection.dispatchEvent(new Event("locked"));
  return new ApiError(status, body);
}

/** Return the response to a request, whatever its status; an ApiError if the server cannot be reached. */
async function answered(address, options) {
  try {
    const answer = await fetch(address, { credentials: "same-origin", ...options });
    reached(true);
    return answer;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    reached(false);
    const type = options.method === "GET" ? "unloaded" : "";
    throw new ApiError(0, { error: "the server cannot be reached", hint: "is `readagent serve` still running?", type });
  }
}

/**
 * Send a request and return what the server answers; refusals and a lost connection are ApiErrors. `heard(response)` is
 * called with the response of a success.
 */
export async function request(method, path, body, { raw = false, signal, tag, heard = () => {} } = {}) {
  const headers = { Accept: "application/json", ...(tag ? { "If-None-Match": tag } : {}) };
  if (method !== "GET") headers["X-ReadAgent"] = "1";
  if (body !== undefined && !raw) headers["Content-Type"] = "application/json";
  if (raw) headers["Content-Type"] = "application/octet-stream";
  const sent = body === undefined || raw ? body : JSON.stringify(body);
  const answer = await answered(new URL(path, BASE), { method, headers, body: sent, signal });
  if (answer.status === 304) return undefined;
  const text = await answer.text();
  let value = null;
  try {
    value = text ? JSON.parse(text) : null;
  } catch {
    if (answer.ok) throw new ApiError(answer.status, { error: "the server answered something that is not JSON" });
  }
  if (!answer.ok) throw refused(answer.status, value);
  heard(answer);
  return value;
}

export const get = (path, options) => request("GET", path, undefined, options);
export const post = (path, body = {}) => request("POST", path, body);
export const put = (path, body = {}) => request("PUT", path, body);
export const remove = (path) => request("DELETE", path);

let last = { path: "", tag: "", value: null };

/** Get what was perhaps the last thing that was got in this way; if it has not changed, it is not sent again. */
export async function getAgain(path) {
  let tag = path === last.path ? last.tag : "";
  const value = await request("GET", path, undefined, { tag, heard: (answer) => (tag = answer.headers.get("etag")) });
  if (value !== undefined) last = { path, tag, value };
  return last.value;
}

/** Ask whether a download can be had; an ApiError says why not. Nothing of it is loaded. */
export async function checkDownload(href) {
  const answer = await answered(href, { headers: { Accept: "*/*" } });
  if (!answer.ok) throw refused(answer.status, await answer.json().catch(() => null));
  await answer.body?.cancel();
}

/** The address of something to download. */
export const address = (path) => new URL(path, BASE).href;

/** A part of a path that may have any letters. */
export const part = encodeURIComponent;

/** Whether a job can still change. */
export const isActive = (job) => Boolean(job) && ["waiting", "running", "paused"].includes(job.state);

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
