// The shell of the page: which view is shown, the theme, the keys, and whether the server can be reached.

import { button, el, fill, kept, problem } from "./dom.js";
import { connection, get, part } from "./api.js";

const VIEWS = {
  "": async () => (await import("./library.js")).libraryView,
  documents: async () => (await import("./room.js")).roomView,
  shelves: async () => (await import("./shelf.js")).shelfView,
  filling: async () => (await import("./filling.js")).fillingView,
  search: async () => (await import("./search.js")).searchView,
  runs: () => import("./runs.js").then((script) => script.runsView, VIEWS[""]), // of readagent-bench
  answers: async () => (await import("./history.js")).historyView,
  setup: async () => (await import("./setup.js")).setupView,
  trash: async () => (await import("./trash.js")).trashView,
  server: async () => (await import("./server.js")).serverView,
};
const THEMES = { auto: ["\u25d1", "as the system"], light: ["\u2600", "light"], dark: ["\u263e", "dark"] };

const main = document.getElementById("main");
const app = { status: {}, replaceRoute, pushRoute, keep };
let view = null;
let settling = null; // what waits until the view is long enough to be scrolled
let shown = "";
let turn = 0;

function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/u, "").split("?");
  return { path: path.split("/").map(decoded), query: new URLSearchParams(query) };
}

/** A part of an address as it was meant; one that is cut off in the middle of a letter stays as it is. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The document that is searched: that of the room, or of the search before; "" for all. */
function searchedText({ path, query }) {
  return path[0] === "documents" ? path[1] : path[0] === "search" ? (query.get("in") ?? "") : "";
}

/** Change the address without leaving the view. */
function replaceRoute(hash) {
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

/** The same, so that the way back leads to what was there. */
function pushRoute(hash) {
  if (location.hash !== hash) history.pushState(null, "", hash);
}

/** Keep something with this entry of the history, for the way back: `y`, the place, and what else a view keeps there. */
function keep(what) {
  history.replaceState({ ...history.state, ...what }, "");
}

/** Scroll to where somebody was before, as soon as the view is long enough, unless they do something first. */
function settle(y) {
  settling?.disconnect();
  settling = null;
  if (!y) return;
  settling = new ResizeObserver(() => {
    scrollTo(0, y);
    if (Math.abs(scrollY - y) < 2) settle(0);
  });
  settling.observe(main);
}

async function route() {
  const now = parse(location.hash);
  const y = history.state?.y;
  document.querySelector("dialog")?.close(); // a link in it leads elsewhere
  const key = ["search", "runs", "answers"].includes(now.path[0]) ? now.path[0] : now.path.slice(0, 2).join("/");
  for (const link of document.querySelectorAll(".links a")) {
    if (link.dataset.view === (["filling", "runs"].includes(now.path[0]) ? "server" : now.path[0] || "library")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const scope = searchedText(now) ? "Search this text" : "Search all documents";
  document.getElementById("search-words").placeholder = scope;
  document.querySelector("#search label").textContent = scope;
  turn += 1; // also if the view is the one that is shown: another one may be loading
  const mine = turn;
  if (view && key === shown) return view.update?.(now, settle(y));
  const open = await (VIEWS[now.path[0]] ?? VIEWS[""])().catch(() => unloadedView);
  if (mine !== turn) return undefined;
  view?.close();
  shown = key;
  document.body.dataset.view = now.path[0] || "library";
  document.title = "ReadAgent";
  if (now.path[0] !== "search") document.getElementById("search-words").value = "";
  scrollTo(0, 0);
  view = open(main, app, now);
  settle(y);
  return main.focus({ preventScroll: true });
}

/** Show that the script of a view could not be loaded. */
function unloadedView(root) {
  get("status").catch(() => {}); // which looks whether the server can be reached
  fill(root, problem({ message: "This view could not be loaded.", type: "unloaded" }));
  return { close() {} };
}

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  kept.set("theme", theme === "auto" ? "" : theme);
  const [sign, name] = THEMES[theme];
  fill(
    document.getElementById("theme"),
    el("span", { "aria-hidden": "true", text: sign }),
    el("span", { class: "away", text: `Theme: ${name}` }),
  );
  document.getElementById("theme").title = `Theme: ${name}`;
  dispatchEvent(new Event("readagent-theme"));
}

async function showHelp() {
  const { help } = await import("./help.js");
  if (!document.querySelector("dialog")) help(app.status);
}

function banner(...content) {
  const place = document.getElementById("banner");
  place.hidden = !content.length;
  fill(place, content);
}

function listen() {
  document.getElementById("skip").addEventListener("click", () => main.focus());
  document.getElementById("help").addEventListener("click", showHelp);
  document.getElementById("theme").addEventListener("click", () => {
    const all = Object.keys(THEMES);
    setTheme(all[(all.indexOf(kept.get("theme", "auto")) + 1) % all.length]);
  });
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const only = searchedText(parse(location.hash));
    const words = part(document.getElementById("search-words").value);
    location.hash = `#/search?q=${words}${only ? `&in=${part(only)}` : ""}`;
  });
  addEventListener("hashchange", route);
  history.scrollRestoration = "manual"; // the browser would scroll before the view is drawn
  for (const sign of ["scrollend", "click"]) addEventListener(sign, () => settling || keep({ y: scrollY }), true);
  for (const sign of ["wheel", "pointerdown", "keydown"]) addEventListener(sign, () => settle(0), { passive: true });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog")) return;
    const typing = event.target.closest?.("input:not([type=checkbox]):not([type=range]), textarea, select");
    if (event.key === "Escape" && typing) return event.target.blur();
    if (typing) return undefined;
    if (event.key === "?") showHelp();
    else if (view?.key?.(event)) event.preventDefault();
    else if (event.key === "/") {
      event.preventDefault();
      document.getElementById("search-words").focus();
    }
    return undefined;
  });
  connection.addEventListener("lost", () => banner("The connection to the server is lost. Trying again\u2026"));
  connection.addEventListener("locked", () =>
    banner("The server was started again and has another token. Open the address that it printed."),
  );
  connection.addEventListener("back", () => {
    banner();
    if (main.querySelector(".unloaded")) return location.reload(); // a script that is missing is asked for only once
    return view?.load?.(parse(location.hash));
  });
}

async function start() {
  setTheme(kept.get("theme", "auto"));
  listen();
  try {
    app.status = await get("status");
  } catch (error) {
    const again = button("Try again", () => location.reload());
    fill(main, el("div", { class: "library" }, el("h1", { text: "ReadAgent cannot start" }), problem(error), again));
    return;
  }
  route();
}

start();
