// An SVG picture of the server as elements of this page: only shapes and text are taken over.

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "text", "tspan", "title"]);
const ATTRIBUTES = new Set(["viewBox", "class", "cx", "cy", "r", "rx", "ry", "x", "y", "x1", "y1", "x2", "y2", "dx", "dy", "d", "points", "width", "height", "transform", "text-anchor", "dominant-baseline", "stroke-width", "stroke-opacity", "fill-opacity", "opacity", "role", "aria-label"]);

/** Return a picture that can be put into the page, or null if the text is no SVG. */
export function picture(text) {
  const plain = text.replace(/<style[\s\S]*?<\/style>/giu, ""); // the page has styles of its own
  const parsed = new DOMParser().parseFromString(plain, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.namespaceURI !== SVG || root.localName !== "svg") return null;
  const made = copy(root);
  made.removeAttribute("width");
  made.removeAttribute("height");
  made.classList.add("picture");
  return made;
}

function copy(from) {
  const made = document.createElementNS(SVG, from.localName);
  for (const { name, value } of from.attributes) if (ATTRIBUTES.has(name) && !/url\(|javascript:/iu.test(value)) made.setAttribute(name, value);
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE && ["text", "tspan", "title"].includes(from.localName)) made.append(document.createTextNode(child.data));
    else if (child.nodeType === Node.ELEMENT_NODE && child.namespaceURI === SVG && SHAPES.has(child.localName)) made.append(copy(child));
  }
  return made;
}

/** Make what shows one of these names something to choose: `choose(name)` is called for it. */
export function makeClickable(drawn, names, choose) {
  const known = new Map(names.map((name) => [name, name]));
  const find = (text) => known.get(text) ?? (text.endsWith("\u2026") ? names.find((name) => name.startsWith(text.slice(0, -1))) : undefined);
  for (const label of drawn.querySelectorAll("text")) {
    const name = find(label.textContent.trim());
    if (!name) continue;
    const whole = label.parentElement.localName === "g" ? label.parentElement : label;
    if (whole.hasAttribute("tabindex")) continue;
    for (const node of new Set([whole, label.previousElementSibling?.localName === "circle" ? label.previousElementSibling : whole])) node.classList.add("choose");
    whole.setAttribute("tabindex", "0");
    whole.setAttribute("role", "button");
    whole.setAttribute("aria-label", name);
    const chosen = () => choose(name);
    whole.addEventListener("click", chosen);
    if (label.previousElementSibling?.localName === "circle") label.previousElementSibling.addEventListener("click", chosen);
    whole.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        chosen();
      }
    });
  }
  if (drawn.querySelector('[role="button"]')) drawn.setAttribute("role", "group");
  return drawn;
}
