// A timeline as a drawing: the events along an axis of dates, or of the pages of the text where they have no dates.

import { el, told } from "./dom.js";
import { choosable, cut, draw, drawn, fitted } from "./drawing.js";

const DAY = 1 / 365.25; // years
const MONTH = 1 / 12;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const EDGE = 34; // pixels left and right of the axis, for the labels at its ends
const LANE = 18; // pixels between two dots above each other
const MOST_LANES = 8;
const LABEL = 150; // pixels of a label, at most
const DATE = /^([+-]?\d{1,6})(?:-(\d\d))?(?:-(\d\d))?$/u;

/** Return when a date begins and ends, in years: [1805, 1806] for "1805"; null if it is none. */
export function yearsOf(text) {
  const [first, last = first] = (text ?? "").split("/").map((one) => DATE.exec(one.trim()));
  if (!first || !last) return null;
  const from = begins(first);
  const [, , month, day] = last;
  return [from, Math.max(from, begins(last) + (day ? DAY : month ? MONTH : 1))];
}

const begins = ([, year, month = 1, day = 1]) => Number(year) + (month - 1) * MONTH + (day - 1) * DAY;

/** Return where the events are drawn: by date if two of them have different ones, or else by page; null if neither helps. */
export function placed(events) {
  const dated = events.map((one, at) => ({ at, span: yearsOf(one.date) })).filter(({ span }) => span);
  if (new Set(dated.map(({ span }) => span[0])).size > 1) return { by: "date", points: dated };
  const onPages = events.map((one, at) => ({ at, span: one.pages?.length ? [one.pages[0], one.pages[0]] : null }));
  const known = onPages.filter(({ span }) => span);
  return new Set(known.map(({ span }) => span[0])).size > 1 ? { by: "page", points: known } : null;
}

/** Return the drawing; `chosen(number)` is called for an event. Null if there is nothing to draw. */
export function timelineDrawing(events, chosen) {
  const found = placed(events);
  if (!found) return null;
  const caption = el("p", { class: "drawing-caption" });
  const rest = events.length - found.points.length;
  const what = found.by === "date" ? "By date" : "By the page that tells it";
  const usual = rest ? `${what}; ${rest} without a date only in the list` : what;
  const shown = (at) => {
    const one = at === null ? null : events[found.points[at].at];
    caption.replaceChildren(one ? told("span", `${one.when || one.date}${one.when || one.date ? ": " : ""}${one.text}`) : usual);
  };
  shown(null);
  const box = drawn(el("div", { class: "drawing" }), (width) => axis(events, found, width, { shown, chosen }));
  return el("figure", { class: "timeline-figure" }, box, caption);
}

function axis(events, { by, points }, width, does) {
  const low = Math.min(...points.map(({ span }) => span[0]));
  const high = Math.max(...points.map(({ span }) => (by === "date" ? span[1] : span[0])));
  const x = (value) => EDGE + ((value - low) / Math.max(high - low, 1e-9)) * (width - 2 * EDGE);
  const lanes = []; // of each, what is taken
  const dots = [...points]
    .sort((one, other) => one.span[0] - other.span[0])
    .map(({ at, span }) => {
      const from = x(span[0]);
      const to = by === "date" && x(span[1]) - from > 14 ? x(span[1]) : from;
      const [label, wide] = fitted(events[at].text, Math.min(LABEL, width / 3));
      const left = to + 10 + wide > width; // of the dot
      const whole = left ? [from - 10 - wide, to + 7] : [from - 7, to + 10 + wide];
      const lane = laneFor(lanes, whole);
      if (lane !== null) return { at, from, to, lane, label, x: left ? from - 9 : to + 9, anchor: left ? "end" : "start" };
      return { at, from, to, lane: laneFor(lanes, [from - 7, to + 7]) ?? 0 };
    });
  const base = 16 + LANE * lanes.length;
  const height = base + 26;
  const nodes = dots.map(({ at, from, to, lane, label, x: side, anchor }) => {
    const y = base - 12 - LANE * lane;
    const { when, date, text } = events[at];
    const name = cut([when || date, text].filter(Boolean).join(": "), 200);
    return draw(
      "g",
      { class: "event", "aria-label": name },
      draw("line", { class: "stem", x1: from, x2: from, y1: y, y2: base }),
      draw("rect", { class: "dot", x: from - 5, y: y - 5, width: to - from + 10, height: 10, rx: 5 }),
      label ? draw("text", { class: "event-label", x: side, y: y + 4, "text-anchor": anchor, text: label }) : null,
      draw("rect", { class: "reach", x: from - 8, y: y - 8, width: to - from + 16, height: 16 }),
    );
  });
  choosable(nodes, { shown: (at) => does.shown(at === null ? null : points.findIndex((one) => one.at === dots[at].at)), chosen: (at) => does.chosen(dots[at].at) });
  const ticks = by === "date" ? ticksOf(low, high, Math.max(2, Math.floor(width / 110))) : pageTicks(low, high, Math.max(2, Math.floor(width / 70)));
  let taken = -Infinity;
  const marks = ticks.map(([value, text]) => {
    const at = x(value);
    if (at - text.length * 3.4 < taken) return null;
    taken = at + text.length * 3.4 + 8;
    const anchor = at < EDGE ? "start" : at > width - EDGE ? "end" : "middle";
    return [draw("line", { class: "tick", x1: at, x2: at, y1: base, y2: base + 5 }), draw("text", { x: at, y: base + 19, "text-anchor": anchor, text })];
  });
  return draw(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Events in their order; the arrow keys lead from one to the next" },
    draw("line", { class: "axis", x1: 8, x2: width - 8, y1: base, y2: base }),
    marks.flat(),
    nodes,
  );
}

/** Take room in the lowest lane that has it; null if none has. */
function laneFor(lanes, [low, high]) {
  for (let lane = 0; lane < MOST_LANES; lane += 1) {
    lanes[lane] ??= [];
    if (lanes[lane].some(([from, to]) => low < to && from < high)) continue;
    lanes[lane].push([low, high]);
    return lane;
  }
  return null;
}

function pageTicks(low, high, most) {
  const step = Math.max(1, Math.ceil((high - low) / most));
  const found = [];
  for (let page = low; page <= high; page += step) found.push([page, `p. ${page + 1}`]);
  return found;
}

/** Return round years, months or days between two times, at most about so many, with their names. */
export function ticksOf(low, high, most) {
  const wide = (high - low) / most;
  if (wide < MONTH / 1.5) return daysBetween(low, high, Math.max(1, Math.ceil(wide / DAY)));
  if (wide < 1) return monthsBetween(low, high, [1, 2, 3, 6, 12].find((step) => step * MONTH >= wide) ?? 12);
  const power = 10 ** Math.floor(Math.log10(wide));
  const step = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= wide));
  const found = [];
  for (let year = Math.ceil(low / step) * step; year <= high + 1e-9; year += step) found.push([year, yearName(year)]);
  return found;
}

// The year 0 of a date is 1 BC.
const yearName = (year) => (year > 0 ? String(year) : `${1 - year} BC`);

function monthsBetween(low, high, step) {
  const found = [];
  for (let month = Math.ceil((low * 12 - 1e-6) / step) * step; month <= high * 12 + 1e-6; month += step) {
    const year = Math.floor(month / 12);
    found.push([month / 12, step === 12 ? yearName(year) : `${MONTHS[month - 12 * year]} ${yearName(year)}`]);
  }
  return found;
}

function daysBetween(low, high, step) {
  const found = [];
  for (let at = low; at <= high + 1e-9; at += step * DAY) {
    const year = Math.floor(at + 1e-6);
    const month = Math.min(11, Math.floor((at - year + 1e-6) * 12));
    const day = Math.round((at - year - month * MONTH) / DAY) + 1;
    found.push([at, `${day} ${MONTHS[month]} ${yearName(year)}`]);
  }
  return found;
}
