"""What is said before a text is sent: which server gets it, and whether its price is unknown."""

from __future__ import annotations

import sys

from readagent.cli.screen import echo, redraws
from readagent.connection import is_local, price_of, server_of
from readagent.errors import LiveRequestError
from readagent.models.guard import check_allowed
from readagent.settings import Settings
from readagent.sync import ReadAgent

_SMALL = 4096  # tokens


class Announcement:
    """Says once, on standard error, which server gets a text; nothing if there is none, or if it may not be called."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._due = True

    def __call__(self) -> None:
        """Print it, unless it was printed before."""
        if not self._due:
            return
        self._due = False
        settings = self._settings
        server = server_of(settings)
        if server and _may_be_called(server):
            if redraws(sys.stderr):
                sys.stderr.write("\r\x1b[K")  # in place of the progress line
            echo(f"sending the text to {server}", err=True)
        if not is_local(settings) and price_of(settings) is None:
            model = settings.model or settings.base_url
            echo(f"price unknown: add the price of {model} under [prices] in the settings to see costs", err=True)
        if _is_ollama(settings) and "num_ctx" in settings.model_options:
            echo(
                "note: Ollama ignores num_ctx in a request; start it with: "
                f"OLLAMA_CONTEXT_LENGTH={settings.model_options['num_ctx']} ollama serve",
                err=True,
            )

    def leave_out(self, model: str) -> None:
        """Do not print it if the server is that of this model, which has read the text."""
        self._due = self._due and model.partition(" ")[0] != server_of(self._settings)


def announcement_of(agent: ReadAgent) -> Announcement:
    """Return the announcement of an agent, which is made before its first call."""
    if not isinstance(agent.connection.on_send, Announcement):
        agent.connection.on_send = Announcement(agent.settings)
    return agent.connection.on_send


def report_small_window(settings: Settings, tokens: int | None) -> None:
    """Say how to give a model of Ollama a larger window: its own is often 4,096 tokens, whatever the model can do."""
    if _is_ollama(settings) and settings.window is None and tokens is not None and tokens <= _SMALL:
        echo(
            f"note: Ollama runs this model with a window of {tokens:,} tokens; for a larger one, start it with: "
            f"OLLAMA_CONTEXT_LENGTH={4 * _SMALL} ollama serve",
            err=True,
        )


def _is_ollama(settings: Settings) -> bool:
    return settings.model.lower().startswith("ollama/") or ":11434" in server_of(settings)


def _may_be_called(server: str) -> bool:
    try:
        check_allowed(server)
    except LiveRequestError:  # the reading will say so
        return False
    return True
