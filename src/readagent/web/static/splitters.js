// Two bars between the panes, which the pointer or the arrow keys move.

import { el, kept } from "./dom.js";

const LEAST = 260; // pixels of a pane

/** Put the bars into `panes`; returns a function that takes them away. */
export function splitters(panes) {
  const sizes = (kept.get("panes") || "38,31").split(",").map(Number);
  const bars = [0, 1].map((at) => {
    const bar = el("div", {
      class: "splitter",
      role: "separator",
      tabindex: "0",
      "aria-orientation": "vertical",
      "aria-label": at ? "Width of the map" : "Width of the text",
      "aria-valuemin": "15",
      "aria-valuemax": "70",
    });
    panes.children[at * 2].after(bar);
    return bar;
  });
  const apply = () => {
    panes.style.setProperty("--first", `${sizes[0]}%`);
    panes.style.setProperty("--second", `${sizes[1]}%`);
    bars.forEach((bar, at) => bar.setAttribute("aria-valuenow", String(Math.round(sizes[at]))));
  };
  const set = (at, share) => {
    const least = Math.min(30, (100 * LEAST) / Math.max(1, panes.clientWidth));
    const room = 100 - sizes[1 - at] - least;
    sizes[at] = Math.max(least, Math.min(room, share));
    apply();
    kept.set("panes", sizes.map((size) => size.toFixed(1)).join(","));
  };
  bars.forEach((bar, at) => {
    bar.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      bar.setPointerCapture(event.pointerId);
      const move = (moved) => {
        const box = panes.getBoundingClientRect();
        const share = (100 * (moved.clientX - box.left)) / box.width;
        set(at, at ? share - sizes[0] : share);
      };
      bar.addEventListener("pointermove", move);
      bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", move), { once: true });
    });
    bar.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
      if (!step) return;
      event.preventDefault();
      set(at, sizes[at] + step);
    });
  });
  apply();
  return () => bars.forEach((bar) => bar.remove());
}
