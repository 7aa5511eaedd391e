"""Accepted: what a server has answered so far, which shows what a refusal cannot mean."""

from __future__ import annotations

import re
from dataclasses import replace

from readagent.core.model import READING, Ask
from readagent.models.refusal import Refusal
from readagent.models.refusal_numbers import plain

_ABOUT_ACCESS = re.compile(r"\bkey\b|api_key|auth|credential|permission|token|expired|revoked|suspended|log ?in")
_DOUBTS = 2  # refusals in doubt that are put down to their texts; the next one shows that the window is small
_PART = 0.65  # share of a prompt's tokens that the prompt for a half of its page has at most
_LITTLE = 1.25  # a prompt that is longer than any before by less than this is in doubt


class Accepted:
    """The longest prompt that was answered over this connection, in tokens; 0 if none was.

    ``key`` says whether the server has accepted the key.
    """

    def __init__(self) -> None:
        self.longest = 0
        self.key = False
        self._requests: list[tuple[int, int]] = []  # tokens of prompts that were answered, and of the replies allowed
        self._doubtful: list[int] = []  # tokens of prompts that were refused in doubt

    def note(self, tokens: int, reply: int) -> None:
        """Note that a prompt was answered, and how long the reply was allowed to be."""
        self.key = True
        self.longest = max(self.longest, tokens)
        if not self._covers(tokens, reply):
            smaller = [(prompt, most) for prompt, most in self._requests if prompt > tokens or most > reply]
            self._requests = [*smaller, (tokens, reply)]
        self._doubtful = [refused for refused in self._doubtful if refused > tokens]

    def reconsidered(
        self, refusal: Refusal, ask: Ask, tokens: int, reply: int, *, earlier: int | None, model: str
    ) -> Refusal:
        """Return the refusal of an ask, as one of this request where the server's answers to others show that it is.

        It is not about the key, which was accepted, unless it says so, nor about the model; and a window that is not
        named cannot be smaller than a request that was answered. ``reply`` are the tokens that the reply was allowed,
        and ``earlier`` is the longest prompt of earlier runs.
        """
        known = bool(self.longest or earlier)
        said = plain(" ".join([refusal.message, *refusal.codes]))
        match refusal.kind:
            case "unauthorized":
                about_request = self.key and not _ABOUT_ACCESS.search(said)
            case "no_model":
                about_request = known and not re.search(rf"\bmodels?\b|(?<!\w){re.escape(model.lower())}(?!\w)", said)
            case "overflow":
                unnamed = refusal.window is None and refusal.prompt_tokens is None
                about_request = unnamed and (self._covers(tokens, reply) or self._is_part(ask, tokens))
                if unnamed and not about_request and self._is_doubtful(ask, tokens, earlier or 0):
                    return replace(refusal, kind="page_too_long")
            case _:
                about_request = False
        return replace(refusal, kind="other") if about_request else refusal

    def _covers(self, tokens: int, reply: int) -> bool:
        """Whether a request was answered that was at least as large."""
        return any(tokens <= prompt and reply <= most for prompt, most in self._requests)

    def _is_part(self, ask: Ask, tokens: int) -> bool:
        """Whether a page was refused in doubt that is about twice as long: this is a half of it, refused as well."""
        return ask.step in READING and any(tokens <= _PART * refused for refused in self._doubtful)

    def _is_doubtful(self, ask: Ask, tokens: int, earlier: int) -> bool:
        """Whether a page may be refused for another reason than a small window.

        It is only a little longer than others, or not longer than one of an earlier run, when the window may have been
        another. Reading goes on without a reply; a question does not.
        """
        doubtful = tokens <= max(earlier, self.longest * _LITTLE) and ask.step in READING
        if not doubtful or len(self._doubtful) >= _DOUBTS:
            return False
        self._doubtful.append(tokens)
        return True
