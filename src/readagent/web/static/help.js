// The keys, and what the server is.

import { el, told } from "./dom.js";
import { dialog } from "./dialog.js";

const KEYS = [
  ["/", "ask a question; in the library: search"],
  ["j  k", "next and previous page"],
  ["g", "the map; then the arrow keys, Enter, and e to edit a gist"],
  ["t", "the text"],
  ["h", "highlight what is selected, or the quote that was gone to"],
  ["?", "this list"],
  ["Esc", "close, or leave a field"],
];

/** Show the keys, and what this server is. */
export function help(status) {
  const model = status.model ? `${status.model}${status.is_local ? ", on this machine" : ""}` : "";
  dialog(
    "Keyboard shortcuts",
    el(
      "dl",
      { class: "keys" },
      KEYS.map(([key, what]) =>
        el(
          "div",
          {},
          el(
            "dt",
            {},
            key.split("  ").map((one) => el("kbd", { text: one })),
          ),
          el("dd", { text: what }),
        ),
      ),
    ),
    el(
      "p",
      { class: "facts" },
      told("span", [`ReadAgent ${status.version ?? ""}`, model].filter(Boolean).join(" \u00b7 ")),
      " \u00b7 ",
      el("a", { href: "api/docs", text: "HTTP API" }),
      " \u00b7 ",
      el("a", { href: "#/server", text: "Server" }),
      " \u00b7 ",
      el("a", { href: "#/setup", text: "Model" }),
    ),
  );
}
