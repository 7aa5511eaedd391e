// Who appears with whom, as a drawing: people on a ring, lines as wide as they have pages together, relations by name.

import { el } from "./dom.js";
import { choosable, draw, drawn, fitted } from "./drawing.js";
import { counted } from "./format.js";

const MOST = 12; // people
const LINE = 15; // pixels of a line of text
const BOLD = "600 12px";

/** Return the people and the lines between them: `{people, edges}`; an edge has `one`, `other`, `pages` and `relations`. */
export function graphOf(items, together) {
  const people = items.slice(0, MOST);
  const number = new Map();
  people.forEach((one, at) => [one.name, ...(one.other_names ?? [])].forEach((name) => number.has(name) || number.set(name, at)));
  const edges = new Map();
  const edge = (a, b) => {
    const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
    if (!edges.has(key)) edges.set(key, { one: Math.min(a, b), other: Math.max(a, b), pages: 0, relations: [] });
    return edges.get(key);
  };
  for (const { people: pair, pages } of together ?? []) {
    const [a, b] = pair.map((name) => number.get(name));
    if (a !== undefined && b !== undefined && a !== b) edge(a, b).pages = pages;
  }
  people.forEach((one, a) => {
    for (const { is, of } of one.relations ?? []) {
      const b = number.get(of);
      if (b !== undefined && b !== a) edge(a, b).relations.push({ from: a, is });
    }
  });
  const all = [...edges.values()].sort((one, other) => other.relations.length - one.relations.length || other.pages - one.pages);
  const related = all.filter((one) => one.relations.length).length;
  return { people, edges: all.slice(0, Math.max(related, 2 * people.length)) };
}

/** Return an order of people in which those with most pages together are next to each other. */
function ring(count, edges) {
  const weight = (a, b) => edges.filter((one) => (one.one === a && one.other === b) || (one.one === b && one.other === a)).reduce((sum, one) => sum + one.pages + 3 * one.relations.length, 0);
  const order = [0];
  while (order.length < count) {
    const left = [...Array(count).keys()].filter((one) => !order.includes(one));
    const [first, last] = [order[0], order[order.length - 1]];
    const best = left.reduce((a, b) => (Math.max(weight(b, last), weight(b, first)) > Math.max(weight(a, last), weight(a, first)) ? b : a));
    if (weight(best, first) > weight(best, last)) order.unshift(best);
    else order.push(best);
  }
  return order;
}

/** Return the drawing; `chosen(name)` is called for somebody. Null if nobody appears with anybody. */
export function peopleDrawing(items, together, chosen) {
  const graph = graphOf(items, together);
  if (graph.people.length < 2 || !graph.edges.length) return null;
  const order = ring(graph.people.length, graph.edges);
  const caption = el("p", { class: "drawing-caption", text: legend(items.length, graph) });
  const box = drawn(el("div", { class: "drawing" }), (width) => picture(graph, order, width, chosen));
  return el("figure", { class: "people-figure" }, box, caption);
}

function legend(count, { people }) {
  const some = count > people.length ? `The ${people.length} who are mentioned most. ` : "";
  return `${some}The wider a line, the more pages two have together.`;
}

function picture({ people, edges }, order, width, chosen) {
  const longest = Math.max(...people.map(({ name }) => fitted(name, Math.min(170, width * 0.3), BOLD)[1]));
  const radius = { x: Math.max(50, width / 2 - longest - 22), y: Math.max(110, Math.min(190, 17 * people.length)) };
  const middle = { x: width / 2, y: radius.y + 34 };
  const height = 2 * middle.y;
  const spots = [];
  order.forEach((person, at) => {
    const angle = (2 * Math.PI * (at + 0.5)) / order.length - Math.PI / 2;
    spots[person] = { x: middle.x + radius.x * Math.cos(angle), y: middle.y + radius.y * Math.sin(angle), angle };
  });
  const taken = [];
  const names = people.map((one, at) => nameAt(one.name, spots[at], width, taken));
  const most = Math.max(1, ...edges.map((one) => one.pages));
  const lines = edges.map((one) => edgeOf(one, spots, most, taken, people));
  const nodes = people.map((one, at) => {
    const spot = spots[at];
    const size = 5 + 5 * Math.sqrt((one.pages?.length ?? 0) / Math.max(1, ...people.map((other) => other.pages?.length ?? 0)));
    const dot = draw("circle", { class: "dot", cx: spot.x, cy: spot.y, r: size });
    return draw("g", { class: "person", "aria-label": described(at, people, edges) }, draw("circle", { class: "reach", cx: spot.x, cy: spot.y, r: 16 }), dot, names[at]);
  });
  const drawing = draw(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Who appears with whom; the arrow keys lead from one to the next" },
    lines.map(({ line }) => line),
    lines.map(({ label }) => label),
    nodes,
  );
  const shown = (at) => {
    drawing.classList.toggle("choosing", at !== null);
    const near = new Set([at]);
    edges.forEach((one, number) => {
      const on = one.one === at || one.other === at;
      if (on) near.add(one.one).add(one.other);
      for (const part of [lines[number].line, lines[number].label]) part?.classList.toggle("on", on);
    });
    nodes.forEach((node, number) => node.classList.toggle("on", near.has(number)));
  };
  choosable(order.map((person) => nodes[person]), { shown: (at) => shown(at === null ? null : order[at]), chosen: (at) => chosen(people[order[at]].name) });
  return drawing;
}

/** Return the name beside its dot, on the outside of the ring, within the drawing. */
function nameAt(name, spot, width, taken) {
  const side = Math.cos(spot.angle);
  const anchor = Math.abs(side) < 0.35 ? "middle" : side > 0 ? "start" : "end";
  const x = spot.x + (anchor === "middle" ? 0 : Math.sign(side) * 14);
  const y = spot.y + (anchor === "middle" ? (Math.sin(spot.angle) > 0 ? 26 : -16) : 4);
  const room = anchor === "middle" ? 2 * Math.min(x, width - x) : anchor === "start" ? width - x : x;
  const [text, wide] = fitted(name, Math.min(room - 4, 170), BOLD);
  const left = anchor === "middle" ? x - wide / 2 : anchor === "start" ? x : x - wide;
  taken.push([left, y - 12, left + wide, y + 4], [spot.x - 11, spot.y - 11, spot.x + 11, spot.y + 11]);
  return draw("text", { class: "name", x, y, "text-anchor": anchor, text });
}

/** Return the line between two people, and the name of their relation where there is room for it on the line. */
function edgeOf({ one, other, pages, relations }, spots, most, taken, people) {
  const [a, b] = [spots[one], spots[other]];
  const stroke = pages ? 1 + 4 * Math.sqrt(pages / most) : 1;
  const line = draw("line", { class: relations.length ? "edge related" : "edge", x1: a.x, y1: a.y, x2: b.x, y2: b.y, "stroke-width": stroke.toFixed(1) });
  const said = [...new Set(relations.map(({ is }) => is))].join(" / ");
  const title = [...relations.map(({ from, is }) => `${people[from].name}: ${is} of ${people[from === one ? other : one].name}`), pages ? counted(pages, "page") + " together" : ""];
  line.append(draw("title", { text: title.filter(Boolean).join("\n") }));
  if (!said) return { line, label: null };
  const [text, wide] = fitted(said, 140);
  const half = wide / 2;
  const boxAt = (share) => {
    const [x, y] = [a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share];
    return [x - half, y - LINE / 2, x + half, y + LINE / 2];
  };
  const apart = (box) => !taken.some((next) => box[0] < next[2] && next[0] < box[2] && box[1] < next[3] && next[1] < box[3]);
  const share = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74].find((at) => apart(boxAt(at))) ?? 0.5;
  const box = boxAt(share);
  taken.push(box);
  return { line, label: draw("text", { class: "relation", x: (box[0] + box[2]) / 2, y: box[3] - 4, "text-anchor": "middle", text }) };
}

/** Return in words what the drawing says of somebody. */
function described(at, people, edges) {
  const said = edges
    .filter((one) => one.one === at || one.other === at)
    .map((one) => {
      const name = people[one.one === at ? one.other : one.one].name;
      const relations = one.relations.map(({ from, is }) => (from === at ? `${is} of ${name}` : `${name} is ${is}`));
      return [...relations, one.pages ? `with ${name} on ${counted(one.pages, "page")}` : ""].filter(Boolean).join(", ");
    });
  return `${people[at].name}: ${said.join("; ") || "with none of the others"}`;
}
