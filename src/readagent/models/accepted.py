"""Accepted: what a server has answered so far, which shows what a refusal cannot mean."""

from __future__ import annotations

import re
from dataclasses import replace

from readagent.models.refusal import Refusal
from readagent.models.refusal_numbers import plain

_ABOUT_ACCESS = re.compile(r"\bkey\b|api_key|auth|credential|permission|token|expired|revoked|suspended|log ?in|sign in")
_DOUBTS = 2  # refusals of prompts no longer than those of earlier runs; then the server is taken to have changed


class Accepted:
    """The longest prompt that was answered over this connection, in tokens; 0 if none was.

    ``earlier``, in the methods below, is the longest of earlier runs.
    """

    def __init__(self) -> None:
        self.longest = 0
        self._doubted = 0

    def note(self, tokens: int) -> None:
        """Note that a prompt was answered."""
        self.longest = max(self.longest, tokens)
        self._doubted = 0

    def reconsidered(self, refusal: Refusal, tokens: int, earlier: int | None, model: str) -> Refusal:
        """Return the refusal of a prompt, as one of this request where the server's answers to others show that it is.

        It is not about the key, which was accepted, unless it says so, nor about the model; and a window that is not
        named cannot be smaller than a prompt that was answered.
        """
        answered, known = self.longest > 0, bool(self.longest or earlier)
        said = plain(" ".join([refusal.message, *refusal.codes]))
        match refusal.kind:
            case "unauthorized":
                about_request = (known if refusal.status == 403 else answered) and not _ABOUT_ACCESS.search(said)
            case "no_model":
                about_request = known and "model" not in said and model.lower() not in said
            case "overflow":
                unnamed = refusal.window is None and refusal.prompt_tokens is None
                about_request = unnamed and self._fitted(tokens, earlier)
            case _:
                about_request = False
        return replace(refusal, kind="other") if about_request else refusal

    def _fitted(self, tokens: int, earlier: int | None) -> bool:
        """Whether a prompt this long was answered. The server may have another window than in earlier runs."""
        if tokens <= self.longest:
            return True
        if tokens > (earlier or 0) or self._doubted >= _DOUBTS:
            return False
        self._doubted += 1
        return True
