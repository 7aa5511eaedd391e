// An answer in the conversation about a document: what it says, its quotes, and what can be done with it.

import { button, el, fill } from "./dom.js";
import { part } from "./api.js";
import { answerParts, copyButton, optionList } from "./answer_parts.js";
import { counted, isRecorded, pageName, when } from "./format.js";
import { noteParts } from "./notes.js";
import { question } from "./talk.js";

export { unansweredItem } from "./answer_parts.js";
export { Growing, markdownOf, textsOf } from "./markdown.js";

/** Return an answer with its question; `talk` has the room, and is told when the answer is removed. */
export function answerItem(answer, talk) {
  const body = el("div", { class: "answer-body" });
  const opened = answer.pages ?? [];
  const name = (number) => pageName(talk.room.page(number) ?? { number });
  const none = answer.other_pages ? "asked when the text had other pages" : "from the gists alone";
  const light = button(
    opened.length ? `${counted(opened.length, "page")} opened` : none,
    () => {
      talk.room.opened(opened);
      talk.room.quotes(answer.quotes ?? []);
    },
    {
      class: "link",
      title: opened.map(name).join(", "),
      "aria-label": opened.length
        ? `Light up the ${counted(opened.length, "page")} opened: ${opened.map(name).join(", ")}`
        : none,
    },
  );
  const why = button(
    "Why did it answer that?",
    async () =>
      (await import("./trace.js")).showTrace(answer, {
        path: `answers/${part(answer.id)}/trace`,
        name: (number) => `page ${number + 1}`,
        go: (number) => talk.room.goPage(number),
      }),
    { class: "link" },
  );
  const copy = copyButton(answer, () => [talk.room.doc]);
  const upTo = answer.up_to !== null && answer.up_to !== undefined ? el("span", { text: "spoiler-free" }) : null;
  const time = el("a", { href: talk.addressOf(answer), text: when(answer.made), title: "The address of this answer" });
  const own = noteParts(answer, (isGone) => talk.removed(answer, isGone));
  const recorded = isRecorded(answer.model)
    ? el("p", { class: "note", text: "This answer was recorded: no model was asked for it now. Your own questions need one." })
    : null;
  const facts = [own.note, el("p", { class: "answer-facts" }, light, why, copy, talk.readOnly ? null : own.controls, upTo, time)];
  fill(
    body,
    recorded,
    answerParts(answer, {
      quote: (one) => {
        talk.room.opened(opened, false);
        talk.room.quotes(answer.quotes ?? []);
        talk.room.quote(one);
      },
      places: el("div", {}, facts),
    }),
  );
  return el("article", { class: "exchange" }, question(answer.question), optionList(answer), body);
}
