"""The offline reader cannot translate: gists in another language than that of the text are refused."""

from __future__ import annotations

from readagent.core.languages import language, language_name
from readagent.errors import UsageError


def require_no_translation(text: str, wanted: str) -> None:
    """Raise UsageError if a text is recognised to be in another language than its gists are wanted in."""
    code = language(text)
    if wanted and code and language_name(code) != wanted:
        languages = f"the text is in {language_name(code)}, and gists are wanted in {wanted}"
        raise UsageError(
            f"the offline reader cannot translate: {languages}",
            hint='leave out `gist_language`, or use a model, such as `model="ollama/qwen3:8b"`',
        )
