// Numbers, money, times and places as people read them.

const number = new Intl.NumberFormat("en");

/** 12345 → "12,345" */
export const count = (value) => number.format(value ?? 0);

/** 1, "page" → "1 page"; 3, "page" → "3 pages" */
export const counted = (value, what) => `${count(value)} ${what}${value === 1 ? "" : "s"}`;

/** How much of a shelf was asked, when that was: "6 of 15 documents; 9 not read". */
export const scopeOf = ({ among, unread }) =>
  unread ? `${count(among - unread)} of ${counted(among, "document")}; ${count(unread)} not read` : counted(among, "document");

/** A large number in short: 25,104 → "25k". */
export function short(value) {
  if (value < 1000) return String(value);
  if (value < 10_000) return `${(value / 1000).toFixed(1).replace(/\.0$/, "")}k`;
  if (value < 1_000_000) return `${Math.round(value / 1000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** Dollars, with as many digits as a small sum needs. */
export function money(value) {
  if (value === null || value === undefined) return "price unknown";
  if (value === 0) return "free";
  if (value < 0.0001) return "under $0.0001";
  return `$${value.toFixed(value < 0.1 ? 4 : 2)}`;
}

/** Seconds as "40 s", "3 min" or "1 h 20 min". */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The file or the address that a document is from, without folders; "" where it has its title from there. */
export function fileOf({ title, source }) {
  const name = /^https?:/u.test(source) ? source : (source ?? "").split(/[\\/]/u).at(-1);
  return name === title ? "" : name;
}

/** A day, or the time of today. */
export function when(text) {
  const date = new Date(text);
  if (!text || Number.isNaN(date.getTime())) return "";
  const today = new Date().toDateString() === date.toDateString();
  return today
    ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}

/** The name of a page for people: its place in the source, or its number. */
export const pageName = (page) => page.place || page.title || `page ${page.number + 1}`;

/** Where a passage is, and who says it. */
export const placeOf = (one) =>
  (one.speaker ? `${one.speaker}, ` : "") +
  (one.place || (Number.isInteger(one.page) ? `page ${one.page + 1}` : "in the text"));

/** Whether a model with this name has only been recorded, as in the sample. */
export const isRecorded = (model) => (model ?? "").startsWith("recorded");

/** The kinds of overviews: their names, and what they are. */
export const KINDS = [
  ["summary", "Summary", "The whole text in a few paragraphs, each statement with its place."],
  ["outline", "Outline", "Chapters or parts, and what is in each."],
  ["people", "People", "Who is in it, who appears with whom, and where."],
  ["timeline", "Timeline", "What happens, and when."],
  ["entities", "Names", "Organisations, places and things."],
  ["glossary", "Glossary", "The terms that the text explains."],
  ["questions", "Questions", "Study questions with answers."],
];
