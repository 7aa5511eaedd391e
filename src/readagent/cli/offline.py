"""What is said about the offline reader: that it does not reason, and that it knows English only."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from readagent.cli.log import is_logging
from readagent.cli.screen import echo
from readagent.core.languages import hits, language
from readagent.errors import LibraryError
from readagent.library import Library
from readagent.models.providers import OPENAI_URL, has_own_server
from readagent.settings import Settings

_SAMPLE = 4000  # characters from the middle of a text, where there is no preface or licence in another language


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
    echo(
        "note: answered by the small offline reader, which finds and quotes but does not reason; "
        "for a model that does: readagent model pull qwen, or --model ollama/qwen3:8b",
        err=True,
    )
    if not as_json and not settings.model and has_own_server(os.environ):
        echo(
            f"note: {OPENAI_URL} is set but not used, because no model is named; "
            "to use that server: --model openai/MODEL",
            err=True,
        )


def report_text_language(text: str, about: str = "") -> None:
    """Say on standard error if a text is not in English. ``about`` names one of several."""
    middle = max(0, len(text) - _SAMPLE) // 2
    sample = text[middle : middle + _SAMPLE]
    if language(sample) not in ("", "en"):
        _report(about or "this text")


def report_question_language(questions: Iterable[str]) -> None:
    """Say on standard error if one of these questions is not in English."""
    for question in questions:
        words = hits(question.strip().partition("\n")[0]).totals
        english, most = words.get("en"), max(words.values())
        if english is None or most > max(1, english):  # another script, or more words of another language
            _report("this question")
            return


def _report(what: str) -> None:
    echo(
        f"note: the offline reader knows English only, and {what} is not in English: what it finds may be wrong; "
        "for other languages use a model such as --model ollama/qwen3:8b",
        err=True,
    )
