// A dialog above the page.

import { button, el } from "./dom.js";

/** Show a dialog that Escape closes; returns it. */
export function dialog(title, ...content) {
  const before = document.activeElement;
  const heading = el("h2", { id: `dialog-${Date.now()}`, text: title });
  const close = button("\u00d7", () => shown.close(), { class: "plain close", "aria-label": "Close" });
  const shown = el("dialog", { class: "dialog", "aria-labelledby": heading.id }, el("header", {}, heading, close));
  shown.append(...content.flat().filter(Boolean));
  shown.addEventListener("close", () => {
    shown.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
  });
  shown.addEventListener("click", (event) => {
    if (event.target === shown) shown.close();
  });
  document.body.append(shown);
  shown.showModal();
  return shown;
}
