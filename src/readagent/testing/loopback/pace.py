"""Pace: how long a scripted server takes for a reply, so that what a run must take at least can be computed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: a fixed cost of every reply, and more for each token of the prompt and of the reply.

    At most ``slots`` replies are worked on at once; the others wait, first come, first served.
    """

    fixed: float
    prompt_token: float
    reply_token: float
    slots: int

    def seconds(self, prompt_tokens: int, reply_tokens: int) -> float:
        """The time of one reply, waiting not included."""
        return self.fixed + prompt_tokens * self.prompt_token + reply_tokens * self.reply_token
