"""Servers that cut a prompt without a word: how their counts give them away, and the prompt that makes sure."""

from __future__ import annotations

from random import randrange

from readagent.core.tokens import TokenCounter
from readagent.core.window import SMALLEST
from readagent.errors import CutPromptError

_LEAST = 1000  # tokens; shorter prompts are hardly ever cut, and the template counts too much in them
_NEAR = 0.87  # of a corrected estimate; ordinary prompts have more
_NUMBERS = 32  # at the beginning of the prompt that makes sure
_BLOCKS = 0.6  # of the fewest tokens; what is left where blocks were cut out
_GROWN = 12  # tokens by which a count grows at least with them, if nothing is cut


class CutPrompts:
    """What the counts of one server have shown about whether it cuts prompts.

    A count is in doubt if it is lower than any for such a text, or if it is the highest so far and lower than usual. To
    make sure, the prompt is sent again after some numbers: no cache has it, and a server that cuts counts no more.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._longest = 0  # tokens counted in the longest prompt that was not cut
        self._cut_to = 0  # tokens of the longest prompt that a server has made of one that it cut
        self._lowest = 1.0  # the lowest share of an estimate that was counted in a prompt that was not cut
        self._leaves_out = False  # whether the server leaves out what it had cached

    def doubts(self, prompt: str, counted: int) -> bool:
        """Whether the server may have cut this prompt, in which it counted so many tokens."""
        size = self._counter.count(prompt)
        if self._leaves_out or counted < SMALLEST or size < _LEAST or counted > _NEAR * self._lowest * size:
            return False
        return self._far(prompt, counted) or (counted > self._longest and self._counter.knows(prompt))

    def _far(self, prompt: str, counted: int) -> bool:
        return counted < self._counter.fewest(prompt)

    def is_known(self, prompt: str, counted: int) -> bool:
        """Whether a count in doubt is known to be that of a prompt that was cut."""
        return counted <= self._cut_to and self._far(prompt, counted)

    @staticmethod
    def marked(prompt: str) -> str:
        """Return the prompt that makes sure: it begins as no other does."""
        return " ".join(str(randrange(10)) for _ in range(_NUMBERS)) + f"\n\n{prompt}"

    def is_cut(self, prompt: str, counted: int, again: int) -> bool:
        """Whether the prompt was cut, by the tokens that were counted in it and in the ``marked`` one."""
        cut = again - counted < _GROWN
        if self._far(prompt, counted):  # one that cuts out the middle in blocks counts more after the numbers, too
            far = self._far(prompt, again)
            cut = far and (cut or again < _BLOCKS * self._counter.fewest(prompt))
            self._leaves_out = not far
        if cut:
            self._cut_to = max(self._cut_to, counted, again)
        else:
            self.was_whole(counted)
            self._lowest = counted / self._counter.count(prompt)
        return cut

    def was_whole(self, counted: int) -> None:
        """Note that a prompt with so many tokens was not cut."""
        self._longest = max(self._longest, counted)

    def error(self, prompt: str, counted: int) -> CutPromptError:
        """Return the error for a prompt that was cut."""
        window, size = max(self._cut_to, counted), self._counter.count(prompt)
        return CutPromptError(
            f"the server cut a prompt of about {size:,} tokens to {counted:,}, without saying so",
            hint="let the server use a larger window (with Ollama: OLLAMA_CONTEXT_LENGTH), or set `window`",
            window=window,
            asked=size,
        )
