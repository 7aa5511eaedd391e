"""Pace: how long a loopback server takes to reply."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """The seconds that a LoopbackServer takes to reply, to simulate a real server.

    At most ``slots`` requests are processed at the same time; the others wait, first come, first served.
    """

    fixed: float  # for every reply
    prompt_token: float  # for each token of the prompt
    reply_token: float  # for each token of the reply
    slots: int

    def seconds(self, prompt_tokens: int, reply_tokens: int) -> float:
        """Return the time of one reply, without waiting for a slot."""
        return self.fixed + prompt_tokens * self.prompt_token + reply_tokens * self.reply_token
