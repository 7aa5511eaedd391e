// One subscription of this tab to what happens on the server: to jobs, and to the library.

import { stream } from "./stream.js";

const KINDS = ["begin", "state", "done", "progress", "library"];
const listeners = new Set();
let end = null;

/**
 * Call the functions of `on` from now on: `state(job)` and `done(job)` when a job has changed, `progress({ job, ... })`
 * while it goes on, `library()` when there is something else in the library, and `begin()` when all of this may have
 * happened unheard. Returns a function that ends it.
 */
export function subscribe(on) {
  listeners.add(on);
  end ??= stream("events", Object.fromEntries(KINDS.map((kind) => [kind, (data) => tell(kind, data)])));
  return () => {
    listeners.delete(on);
    if (listeners.size) return;
    end?.();
    end = null;
  };
}

const tell = (kind, data) => [...listeners].forEach((on) => on[kind]?.(data));
