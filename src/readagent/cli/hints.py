"""Hints of errors, with settings written as options of the command line."""

from __future__ import annotations

from readagent.errors import ReadAgentError
from readagent.option_names import as_options


def hint_of(error: ReadAgentError) -> str:
    """Return the hint of an error as the command line shows it."""
    return as_options(error.hint)
