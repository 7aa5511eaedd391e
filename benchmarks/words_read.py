"""Words read by the model relative to answering from the full text: the paper has 0.746 (1 page) and 0.862 (1 to 5).

On the story sample (or the example story if the data do not have it) a scripted model writes gists of 15 % of each page
and opens one page, then 2.3 on average. Words are counted from the traces, templates included. For one article

    ratio = (words of all reading prompts + 9 * mean words of a question's prompts) / (9 * mean full-text prompt)

where 9 is the number of questions per article in the paper: reading is done once and spread over them. The full-text
prompt is our own answering template with the whole text instead of the memory, without the words that explain a memory.
Over articles the words are summed before dividing, as in the totals of the paper; the mean of the ratios is shown too.
Whether the scripted model opens two or three pages depends on the question, so its mean is not exactly 2.3: the ratio
"at 2.3 pages" is interpolated between the two runs. The ratio "as sent" counts the prompts that reach a server which
constrains replies to JSON: a line that describes the format is added to them, which traces do not count.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from common import ROOT, STORY, Rows, Value, arguments, manifest, print_figures, write_results

from readagent.core.asking.respond import choice_for
from readagent.core.document import Document
from readagent.core.form import Choice
from readagent.core.gists.shorten import GIST
from readagent.core.memory import GistMemory
from readagent.core.plan import preset
from readagent.core.prompts import Prompts
from readagent.core.question import Answer, Question
from readagent.core.trace import Call
from readagent.core.words import count_words
from readagent.sync import ReadAgent
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import Skimmer
from readagent.testing.skim import Habits, skim

QUESTIONS = 9
PAPER = {1: 0.746, 5: 0.862}


@dataclass(frozen=True, slots=True)
class Article:
    """A text and the questions about it."""

    title: str
    text: str
    questions: tuple[Question, ...]


def articles(data: Path | None) -> tuple[list[Article], str]:
    """Return the story sample or the example story, with its name."""
    file = data / "quality" / "QuALITY.sample.dev.jsonl" if data is not None else None
    if file is None or not file.is_file():
        lines = map(json.loads, (ROOT / "examples" / "story.questions.jsonl").read_text("utf-8").splitlines())
        asked = [Question.choice(line["question"], line["options"]) for line in lines if line["kind"] == "choice"]
        return [Article("the example story", STORY.read_text("utf-8"), tuple(asked))], "the example story (no sample)"
    found = []
    for record in map(json.loads, file.read_text("utf-8").splitlines()):
        asked = [Question.choice(one["question"], one["options"]) for one in record["questions"]]
        found.append(Article(record["title"], record["article"], tuple(asked)))
    return found, "QuALITY, the sample of 8 articles"


@dataclass(frozen=True, slots=True)
class Tally:
    """The words that the model reads for one article and nine questions."""

    text_words: int
    pages: int
    gist_words: int
    opened: float
    steps: dict[str, float]  # words of the prompts of each step
    templates: dict[str, float]  # those that are not the text, gists or the question
    full: float  # words of nine full-text prompts

    @property
    def ratio(self) -> float:
        return sum(self.steps.values()) / self.full


def tally(article: Article, pages_to_open: float, max_pages: int) -> Tally:
    """Read an article, ask all its questions, and scale them to nine."""
    plan = replace(preset("articles"), max_pages=max_pages, quotes=False, check=False)
    with ReadAgent(Skimmer(Habits(pages_to_open=pages_to_open)), plan=plan) as agent:
        memory = agent.read(Document.from_text(article.text, title=article.title))
        answers = [agent.ask(memory, question) for question in article.questions]
    each = QUESTIONS / len(answers)
    asking = words_by_step(call for answer in answers for call in answer.trace.calls)
    full = fmean(full_text_words(memory, question) for question in article.questions)
    return Tally(
        memory.full_words,
        len(memory.pages),
        memory.words(),
        fmean(len(answer.pages) for answer in answers),
        words_by_step(memory.trace.calls) | {step: words * each for step, words in asking.items()},
        templates_of(memory, answers),
        QUESTIONS * full,
    )


def sent(article: Article, pages_to_open: float, max_pages: int) -> float:
    """Return the words that reach a server for one article and nine questions."""
    plan = replace(preset("articles"), max_pages=max_pages, quotes=False, check=False)
    habits = Habits(pages_to_open=pages_to_open)
    server = LoopbackServer(lambda prompt, constraint: skim(prompt, constraint, habits))
    with server.in_thread(), ReadAgent("skimmer", base_url=server.base_url, plan=plan) as agent:
        memory = agent.read(Document.from_text(article.text, title=article.title))
        reading = sum(count_words(request.prompt) for request in server.requests)
        server.requests.clear()
        for question in article.questions:
            agent.ask(memory, question)
        asking = sum(count_words(request.prompt) for request in server.requests)
    return reading + QUESTIONS / len(article.questions) * asking


def words_by_step(calls: Iterable[Call]) -> dict[str, float]:
    """Return the words of the prompts of each step."""
    words: Counter[str] = Counter()
    for call in calls:
        words[call.step] += call.prompt_words
    return dict(words)


def full_text_words(memory: GistMemory, question: Question) -> int:
    """Return the words of the prompt that answers from the full text."""
    prompt = Prompts.load().fill("choose", form=choice_for(question), memory="", question=question.shown())
    without_memory = prompt.partition("</memory>")[2]  # a full text needs no line that introduces a memory
    return count_words(memory.document.text) + count_words(without_memory)


def templates_of(memory: GistMemory, answers: list[Answer]) -> dict[str, float]:
    """Return the words of our own in a prompt of each step: not text, gists, tags, labels or question."""
    tags = 2 * len(memory.pages)
    per_step: dict[str, list[int]] = {}
    for answer in answers:
        shown = count_words(answer.question.shown()) + tags
        for call in answer.trace.calls:
            content = memory.words() if call.step == "look_up" else memory.words(answer.pages)
            per_step.setdefault(call.step, []).append(call.prompt_words - content - shown)
    prompts = Prompts.load()
    templates = {step: fmean(words) for step, words in per_step.items()}
    templates["paginate"] = count_words(prompts.fill("paginate", form=Choice(("0",), label="Break point"), passage=""))
    templates["gist"] = count_words(prompts.fill("gist", form=GIST, passage=""))
    return templates


def summed(tallies: list[Tally], max_pages: int) -> dict[str, Value]:
    """Return one row: the ratio, and the share of each step."""
    full = sum(one.full for one in tallies)
    text = sum(one.text_words for one in tallies)
    shares = {step: sum(one.steps.get(step, 0) for one in tallies) / full for step in _STEPS}
    return {
        "pages allowed": max_pages,
        "pages opened": fmean(one.opened for one in tallies),
        "ratio": sum(sum(one.steps.values()) for one in tallies) / full,
        "the paper's": PAPER[max_pages],
        "mean of articles": fmean(one.ratio for one in tallies),
        **{f"{step} share": share for step, share in shares.items()},
        "reading per text word": sum(one.steps["paginate"] + one.steps["gist"] for one in tallies) / text,
        "words a page": text / sum(one.pages for one in tallies),
        "gist share": sum(one.gist_words for one in tallies) / text,
    }


_STEPS = ("paginate", "gist", "look_up", "respond")


def main() -> None:
    options = arguments(__doc__)
    found, name = articles(options.data)
    print(f"{name}: {sum(len(one.questions) for one in found)} questions")
    rows: list[dict[str, Value]] = []
    details: list[dict[str, Value]] = []
    templates: list[dict[str, Value]] = []
    figures: dict[str, Value] = {"articles": len(found), "questions": sum(len(one.questions) for one in found)}
    for pages_to_open, max_pages in ((1.0, 1), (2.3, 5)):
        tallies = [tally(article, pages_to_open, max_pages) for article in found]
        row = summed(tallies, max_pages)
        over_the_wire = sum(sent(article, pages_to_open, max_pages) for article in found)
        row["ratio as sent"] = over_the_wire / sum(one.full for one in tallies)
        rows.append(row)
        kind = "1_page" if max_pages == 1 else "1_to_5_pages"
        figures |= {f"ratio_{kind}": row["ratio"], f"paper_{kind}": PAPER[max_pages],
                    f"mean_of_articles_{kind}": row["mean of articles"], f"pages_opened_{kind}": row["pages opened"],
                    f"ratio_as_sent_{kind}": row["ratio as sent"]}  # fmt: skip
        figures |= {f"{step}_share_{kind}": row[f"{step} share"] for step in _STEPS}
        own = {step: fmean(one.templates[step] for one in tallies) for step in _STEPS}
        templates.append({"pages allowed": max_pages, **{f"{step} template words": own[step] for step in _STEPS}})
        figures |= {f"{step}_template_words_{kind}": own[step] for step in ("look_up", "respond")}
        details += [{"article": article.title, "pages allowed": max_pages, "words": one.text_words, "pages": one.pages,
                     "gist words": one.gist_words, "pages opened": one.opened, "ratio": one.ratio}
                    for article, one in zip(found, tallies, strict=True)]  # fmt: skip
    figures |= {f"{step}_template_words": templates[0][f"{step} template words"] for step in ("paginate", "gist")}
    slope = (float(rows[1]["ratio"]) - float(rows[0]["ratio"])) / (float(rows[1]["pages opened"]) - 1)
    figures["ratio_at_2.3_pages"] = rows[1]["ratio at 2.3 pages"] = float(rows[0]["ratio"]) + 1.3 * slope
    if not options.quick:
        parts: dict[str, Rows | str] = {
            "Totals": rows,
            "Words of our own in one prompt": templates,
            "Articles": details,
        }
        about = manifest(text=name, model="Skimmer, in the same process", preset="articles (600/280)")
        write_results("words_read", "Words read by the model, against the full text", parts, about)
    print_figures(figures)


if __name__ == "__main__":
    main()
