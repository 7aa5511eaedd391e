// The form for questions: open ones, several answers to choose from, or a claim to judge.

import { el } from "./dom.js";
import { draft } from "./drafts.js";

const KINDS = [
  ["open", "Open question"],
  ["choice", "Choose an answer"],
  ["claim", "True or false"],
];

export class AskForm {
  /** `ask(asked)` gets what the API wants to know about the `subject`; `controls` stand beside the button. */
  constructor({ label, placeholder, send, subject, isLocal, controls = [], ask }) {
    this.question = el("textarea", { rows: 2, id: "question", placeholder, "aria-label": label, dir: "auto" });
    this.kind = el(
      "select",
      { class: "ask-kind", "aria-label": "Kind of question" },
      KINDS.map(([value, text]) => (isLocal && value === "claim" ? el("option", { value, text: `${text}: needs a model`, disabled: true }) : el("option", { value, text }))),
    );
    this.choices = el("textarea", {
      rows: 3,
      id: "choices",
      placeholder: "One answer on each line",
      "aria-label": "Answers to choose from",
      dir: "auto",
      hidden: true,
    });
    this.send = el("button", { class: "main", text: send });
    const row = el("div", { class: "ask-row" }, this.kind, controls, this.send);
    this.root = el("form", { class: "ask" }, this.question, this.choices, row);
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.question.value.trim() && !this.send.disabled) ask(this.asked());
    });
    this.show = () => {
      this.choices.hidden = this.kind.value !== "choice";
      const none = !this.choices.hidden && !this.choices.value.trim();
      this.choices.setCustomValidity(none ? "Give the answers to choose from, one on each line." : "");
      this.question.placeholder = this.kind.value === "claim" ? "A statement about it: is it true?" : placeholder;
    };
    this.kind.addEventListener("change", this.show);
    this.choices.addEventListener("input", this.show);
    this.drafts = ["question", "choices", "kind"].map((name) => draft(this[name], `${name}.${subject}`));
    this.show();
    this.question.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.root.requestSubmit();
      }
    });
  }

  asked() {
    const question = this.question.value.trim();
    if (this.kind.value === "claim") return { question, claim: true };
    if (this.kind.value !== "choice") return { question };
    return { question, choices: this.choices.value.split("\n").map((line) => line.trim()).filter(Boolean) };
  }

  /** Make room for the next question. */
  clear() {
    this.question.value = "";
    this.choices.value = "";
    this.show();
    for (const forget of this.drafts) forget();
  }

  focus() {
    this.question.focus();
  }
}

/** When a question was answered, or ended without an answer. */
export const timeOf = (one) => new Date(one.made ?? one.changed).getTime();
