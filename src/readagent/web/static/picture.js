// An SVG picture of the server as elements of this page: only shapes and text are taken over.

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set([
  "svg",
  "g",
  "circle",
  "ellipse",
  "line",
  "path",
  "polygon",
  "polyline",
  "rect",
  "text",
  "tspan",
  "title",
]);
const ATTRIBUTES = new Set([
  "viewBox",
  "class",
  "cx",
  "cy",
  "r",
  "rx",
  "ry",
  "x",
  "y",
  "x1",
  "y1",
  "x2",
  "y2",
  "dx",
  "dy",
  "d",
  "points",
  "width",
  "height",
  "transform",
  "text-anchor",
  "dominant-baseline",
  "stroke-width",
  "stroke-opacity",
  "fill-opacity",
  "opacity",
  "role",
  "aria-label",
]);

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
  for (const { name, value } of from.attributes)
    if (ATTRIBUTES.has(name) && !/url\(|javascript:/iu.test(value)) made.setAttribute(name, value);
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE && ["text", "tspan", "title"].includes(from.localName))
      made.append(document.createTextNode(child.data));
    else if (child.nodeType === Node.ELEMENT_NODE && child.namespaceURI === SVG && SHAPES.has(child.localName))
      made.append(copy(child));
  }
  return made;
}

/** Make what shows one of these names something to choose: `choose(name)` is called for it. */
export function makeClickable(drawn, names, choose) {
  const known = new Set(names);
  for (const label of drawn.querySelectorAll("text")) {
    const name = [...label.childNodes].map((node) => node.textContent).find((text) => known.has(text)); // the title has it whole
    if (!name) continue;
    const circle = label.previousElementSibling?.localName === "circle" ? label.previousElementSibling : null;
    label.setAttribute("tabindex", "0");
    label.setAttribute("role", "button");
    label.setAttribute("aria-label", name);
    for (const node of [label, circle].filter(Boolean)) {
      node.classList.add("choose");
      node.addEventListener("click", () => choose(name));
    }
    label.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose(name);
      }
    });
  }
  if (drawn.querySelector('[role="button"]')) drawn.setAttribute("role", "group");
  return drawn;
}
