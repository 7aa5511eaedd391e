"""A book of 562,000 words in a window of 8,000 tokens: read, merged and asked, with no flag but the window.

The reader and the server are processes of their own, and the server refuses any prompt that is longer than the window,
by its own count. Each question names a passage of the book; what is measured is whether every prompt of its whole life
fits, and whether raw pages could be opened for it. The scripted model finds pages by the words they share with the
question, so which page it opens says little about a real model.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from common import Value, arguments, book, loopback, manifest, print_figures, run, workplace, write_results

from readagent.core.tokens import estimate_tokens
from readagent.library import Library

QUESTIONS = (
    "What does Natasha feel at her first ball?",
    "What does Prince Andrew see in the sky at Austerlitz?",
    "What does Pierre learn from Platon Karataev?",
    "Who sets fire to Moscow?",
    "What does Kutuzov say at the council at Fili?",
)
NOTE = 1_000  # words of the short text that is read with the same command


def reading(text: str, name: str, window: int, questions: tuple[str, ...]) -> dict[str, Value]:
    """One text read and asked through the command line."""
    with workplace() as home, loopback("--window", str(window)) as url:
        (home / "book.md").write_text(text, "utf-8")
        flags = ["--base-url", url, "--model", "skimmer", "--json"]
        read = _ran(["read", "book.md", *flags], home)
        answers = [_ran(["ask", "book.md", question, *flags], home) for question in questions]
        longest = _longest_prompt(home)
        with Library(home) as library:
            memory = library.memory(read["id"])
    assert memory is not None
    opened = [len(answer["pages"]) for answer in answers]
    return {
        "text": name,
        "window": window,
        "words": read["words"],
        "pages": len(memory.pages),
        "page words, at most": max(page.words for page in memory.pages),
        "memory shown, words": (read["merged"] or read)["gist_words"],
        "words read ratio": read["words_read"] / read["words"],
        "longest prompt, tokens": longest,
        "questions": len(answers),
        "pages opened, least": min(opened),
        "pages without room": sum(len(answer["did_not_fit"]) for answer in answers),
        "calls a question": sum(sum(answer["calls"].values()) for answer in answers) / len(answers),
        "fallbacks": sum(len(one["fallbacks"]) for one in (read, *answers)),
    }


def _ran(command: list[str], home: Path) -> dict[str, Value | list[Value] | dict[str, int]]:
    ran = run([sys.executable, "-m", "readagent", *command], home)
    if ran.code:
        sys.exit(f"{command[0]} failed: {ran.err}")
    record: dict[str, Value | list[Value] | dict[str, int]] = json.loads(ran.out)
    return record


def _longest_prompt(home: Path) -> int:
    """Tokens of the longest prompt that was sent, as we estimate them, which is on the high side."""
    with Library(home) as library:
        keys = [key for (key,) in library._db.rows("SELECT key FROM calls")]
        return max(estimate_tokens(library.prompt(key) or "") for key in keys)


def main() -> None:
    options = arguments(__doc__)
    window = 2_048 if options.quick else 8_000
    text, name = book("war-and-peace", 12_000 if options.quick else None, options.data, otherwise=562_000)
    note, _ = book("war-and-peace", NOTE, options.data, otherwise=NOTE)
    novel = reading(text, name, window, QUESTIONS[:2] if options.quick else QUESTIONS)
    short = reading(note, f"its first {NOTE:,} words", window, QUESTIONS[:1])
    rows = [{"figure": key, name: novel[key], str(short["text"]): short[key]} for key in list(novel)[1:]]
    if not options.quick:
        about = manifest(server="python -m readagent.testing.loopback, a process of its own, refusing longer prompts")
        write_results("small_window", "A novel and a note in a small window", {"One command for both": rows}, about)
    figures = {key: value for key, value in novel.items() if key != "text"}
    print_figures({f"novel_{key}".replace(" ", "_").replace(",", ""): value for key, value in figures.items()})


if __name__ == "__main__":
    main()
