// Drawings of SVG elements, made one by one as the elements of the page are.

import { visible } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

/** Make an element of a drawing; `text` becomes its text, the other `props` attributes. */
export function draw(tag, { text, ...props } = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) if (value !== null && value !== undefined) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = visible(text);
  made.append(...children.flat().filter(Boolean));
  return made;
}

/** Cut a text that is longer than so many letters. */
export const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}\u2026` : text);

let ruler = null;

/** Return how many pixels a label takes in the fonts of the drawings. */
export function widthOf(text, font = "12px") {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

/** Return as much of a label as fits into so many pixels, and how many it takes: `[text, pixels]`. */
export function fitted(text, room, font) {
  let label = visible(text);
  for (let most = label.length; widthOf(label, font) > room && most > 3; most -= 1) label = cut(visible(text), most);
  return [label, widthOf(label, font)];
}

/**
 * Let parts of a drawing be chosen with the pointer, and with the keys: one of them is reached with Tab, the others with
 * the arrow keys. `shown(number)` is called for the one that is pointed at or has the focus, or null; `chosen(number)`
 * for a click, Enter or the space bar.
 */
export function choosable(parts, { shown, chosen }) {
  parts.forEach((part, at) => {
    part.setAttribute("role", "button");
    part.setAttribute("tabindex", at ? "-1" : "0");
    const show = () => shown(at);
    const hide = () => shown(null);
    part.addEventListener("pointerenter", show);
    part.addEventListener("pointerleave", hide);
    part.addEventListener("focus", show);
    part.addEventListener("blur", hide);
    part.addEventListener("click", () => chosen(at));
    part.addEventListener("keydown", (event) => {
      const last = parts.length - 1;
      const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
      if (event.key === "Enter" || event.key === " ") chosen(at);
      else if (to === undefined) return;
      else {
        const next = parts[Math.max(0, Math.min(last, to))];
        part.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      }
      event.preventDefault();
      event.stopPropagation();
    });
  });
}

/** Draw anew whenever the element has another width; `draws(width)` returns the drawing. It ends with the element. */
export function drawn(root, draws) {
  let width = 0;
  const look = new ResizeObserver(() => {
    const now = Math.floor(root.clientWidth);
    if (!root.isConnected) return look.disconnect();
    if (!now || now === width) return undefined;
    width = now;
    return root.replaceChildren(...[draws(width)].flat());
  });
  look.observe(root);
  return root;
}

/** Bring an entry of the list below a drawing into view, and mark it for a moment. */
export function pointTo(entry) {
  if (!entry) return;
  entry.scrollIntoView({ block: "nearest" });
  entry.classList.remove("pointed");
  requestAnimationFrame(() => entry.classList.add("pointed"));
}
