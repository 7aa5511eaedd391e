// The form for questions: open ones, several answers to choose from, or a claim to judge.

import { el } from "./dom.js";

const KINDS = [
  ["open", "Open question"],
  ["choice", "Choose an answer"],
  ["claim", "True or false"],
];

export class AskForm {
  /** `ask(asked)` gets what the API wants to know; `controls` stand beside the button. */
  constructor({ label, placeholder, send, controls = [], ask }) {
    this.question = el("textarea", { rows: 2, id: "question", placeholder, "aria-label": label, dir: "auto" });
    this.kind = el(
      "select",
      { class: "ask-kind", "aria-label": "Kind of question" },
      KINDS.map(([value, text]) => el("option", { value, text })),
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
    this.kind.addEventListener("change", () => {
      this.choices.hidden = this.kind.value !== "choice";
      this.question.placeholder = this.kind.value === "claim" ? "A statement about it: is it true?" : placeholder;
    });
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
  }

  focus() {
    this.question.focus();
  }
}
