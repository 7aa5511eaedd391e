// The whole text on paper, not only what is near the window.

import { el } from "./dom.js";

/** Print the text of a pane, up to the reader's place. */
export async function printText(pane, title) {
  const last = pane.blocks[pane.blocks.length - 1];
  if (!last) return;
  await pane.store.load(0, last.end);
  const blocks = pane.blocks.map((block) => pane.makeBlock(block, 0));
  const all = el("div", { class: "print-all" }, el("h1", { dir: "auto", text: title }), blocks);
  document.body.append(all);
  document.body.classList.add("print-text");
  globalThis.print();
  document.body.classList.remove("print-text");
  all.remove();
  pane.clear(); // its blocks are elements of their own again
  pane.draw();
}
