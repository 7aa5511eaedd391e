"""What a server has shown: its window, what it has answered and refused so far, and whether it cuts prompts."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from random import randrange

from readagent.core.model import READING, Ask
from readagent.core.tokens import TokenCounter
from readagent.core.window import SMALLEST
from readagent.errors import ConnectionFailedError, CutPromptError, RateLimitedError, ServerFaultError
from readagent.models.http import HttpClient
from readagent.models.refusal import Refusal
from readagent.models.refusal_kinds import plain
from readagent.models.request import MAX_REPLY_TOKENS, Capabilities, least_reply
from readagent.models.server_info import Limits, fetch_limits

_ABOUT_ACCESS = re.compile(r"\bkey\b|api_key|auth|credential|permission|token|expired|revoked|suspended|log ?in")
_DOUBTS = 2  # refusals in doubt that are put down to their texts; the next one shows that the window is small
_PART = 0.65  # share of a prompt's tokens that the prompt for a half of its page has at most
_LITTLE = 1.25  # a prompt that is longer than any before by less than this is in doubt
_ENOUGH = 3  # answers after which a server that failed to tell the window is not asked again
_TEMPLATE = 128  # tokens that servers add to a prompt: roles, dates, a default system prompt


class ServerHistory:
    """What a server has shown over this connection: its window in tokens, prompt and reply together, and more.

    The window that the user has ``given`` counts before any other. Without one, it is the smaller of what the server
    reports and what was learnt from its refusals, or else the value of the price table. ``longest`` are the tokens of
    the longest prompt that was answered, and ``accepts_key`` says whether the key was accepted.
    """

    def __init__(self, client: HttpClient, given: int | None) -> None:
        self.given = given
        self.longest = 0
        self.accepts_key = False
        self.assumed: int | None = None  # what requests have to fit while nothing else is known
        self._client = client
        self._fetching = asyncio.Lock()
        self._fetched = False
        self._attempts = self._answers = 0
        self._reported = Limits()
        self._refused: int | None = None  # named by the server when it refused a request of this connection
        self._largest = 0  # the tokens of the largest request that was answered, with the reply that it allowed
        self._doubtful: list[int] = []  # tokens of prompts that were refused in doubt

    async def fetch(self, model: str) -> None:
        """Ask the server, once for each connection, and again if it failed; raise the error of a busy server."""
        attempts = self._attempts
        if self._fetched or self.given is not None:
            return
        async with self._fetching:
            if self._fetched or self._attempts != attempts:  # another call has asked meanwhile
                return
            self._attempts += 1
            try:
                self._reported = await fetch_limits(self._client, model)
                self._fetched = True
            except RateLimitedError:
                raise
            except ServerFaultError as error:
                if error.busy:
                    raise
            except ConnectionFailedError:
                pass

    @property
    def listed(self) -> int | None:
        """The window that the user has given, or that the server has listed, whatever its refusals say."""
        return self._reported.window if self.given is None else self.given

    @property
    def refuses(self) -> bool | None:
        """Whether the server refuses a prompt that is too long, and does not cut it; None if that is not known."""
        return self._reported.refuses

    def tokens(self, learnt: Capabilities, priced: int | None) -> int | None:
        """Return the window, or None if it is unknown. ``priced`` is the value of the price table."""
        if self.given is not None:
            return self.given
        known = [tokens for tokens in (self._reported.window, learnt.window) if tokens is not None]
        return min(known) if known else priced

    def refuse(self, tokens: int) -> None:
        """Respect the window that the server named in a refusal, even if the user has given a larger one."""
        self._refused = min(tokens, self._refused or tokens)

    def longest_reply(self, size: int, known: Capabilities, priced: int | None, least: int = 0) -> int:
        """Return the tokens of the longest reply to a prompt of about ``size`` tokens; it needs the ``least``."""
        most = min(known.reply_limit or MAX_REPLY_TOKENS, self._reported.reply or MAX_REPLY_TOKENS)
        windows = [tokens for tokens in (self._refused, self.tokens(known, priced)) if tokens]
        windows = windows or [tokens for tokens in (self.assumed,) if tokens]
        limits = [*windows, known.request_limit] if known.request_limit else windows
        if not limits:
            return most
        margin = _TEMPLATE + size // 20  # an estimate may be a little low
        least = max(least, least_reply(min(windows, default=None)))
        return min(most, max(least, min(limits) - size - margin))

    def answered(self, tokens: int, reply: int) -> None:
        """Note that a prompt was answered, and how long the reply was allowed to be.

        A server that answers and cannot tell the window is not asked for it for ever.
        """
        self.accepts_key = True
        self.longest = max(self.longest, tokens)
        self._largest = max(self._largest, tokens + reply)
        self._doubtful = [refused for refused in self._doubtful if refused > tokens]
        self._answers += 1
        self._fetched = self._fetched or self._answers >= _ENOUGH

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
                about_request = self.accepts_key and not _ABOUT_ACCESS.search(said)
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
        """Whether requests were answered that show that this one is not too large."""
        return tokens <= self.longest and tokens + reply <= self._largest

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


_SHORT = 1000  # tokens; shorter prompts are hardly ever cut, and the template counts too much in them
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
        if self._leaves_out or counted < SMALLEST or size < _SHORT or counted > _NEAR * self._lowest * size:
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
