"""What is said about the offline reader: that it does not reason, and that it was made for English."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from readagent.cli.log import is_logging
from readagent.cli.screen import echo
from readagent.embedded.gguf import available_memory
from readagent.embedded.local import question_in_english, text_in_english
from readagent.embedded.weights import WEIGHTS, megabytes, pull_command, state
from readagent.errors import LibraryError
from readagent.library import Library
from readagent.models.providers import OPENAI_URL, has_own_server
from readagent.settings import Settings

_ROOM = 2  # times the size of a model that must be free in memory for it


def report_local(settings: Settings, library: Library | None = None, *, as_json: bool = False) -> None:
    """Say on standard error that the embedded reader answered, and that a server of the user's own was not used.

    That is said once for a library, and again with -v.
    """
    _, _, writer = settings.model.partition("+")
    said = f"note: {'local+' if writer else 'local'}"
    if library is not None:
        if library.facts(said) is not None and not is_logging():
            return
        with suppress(LibraryError):  # it cannot be written
            library.keep_facts(said, b"said")
    if writer:
        echo(
            f"note: found by the small offline reader and worded by {writer}, which may be wrong; "
            "the quotes are from the text",
            err=True,
        )
        return
    echo(f"note: the offline reader quotes and does not reason. {_offer(settings)}", err=True)
    if not as_json and not settings.model and has_own_server(os.environ):
        echo(
            f"note: {OPENAI_URL} is set but not used, because no model is named; "
            "to use that server: --model openai/MODEL",
            err=True,
        )


def _offer(settings: Settings) -> str:
    """Return how to get answers in words: with the model that runs here, if there is memory for it, or a server's."""
    qwen, memory = WEIGHTS["qwen"], available_memory()
    if state(settings.home)[qwen.name] == "ready":
        return f"For answers in words: --model local+{qwen.name}"
    if memory is not None and memory < _ROOM * qwen.size:
        return "For a model that does: --model ollama/qwen3:8b"
    return f"For answers in words: {pull_command(qwen)} ({megabytes(qwen.size)})"


def report_text_language(text: str, about: str = "") -> None:
    """Say on standard error if a text is not in English. ``about`` names one of several."""
    if not text_in_english(text):
        _report(about or "this text")


def report_question_language(questions: Iterable[str]) -> None:
    """Say on standard error if one of these questions is not in English."""
    if not all(map(question_in_english, questions)):
        _report("this question")


def _report(what: str) -> None:
    echo(
        f"note: passages only: the offline reader was made for English, and {what} is not in English; "
        "for other languages use a model such as --model ollama/qwen3:8b",
        err=True,
    )
