// The HTTP API: requests, errors with a hint, and whether the server can be reached.

export const BASE = new URL("api/", document.baseURI);
export const LONGEST_WAIT = 10_000;

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

/** Take note that the server answers, or that it does not. */
export function reached(now) {
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
