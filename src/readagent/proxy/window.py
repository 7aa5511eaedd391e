"""The window of a model, which requests are made to fit: as the server lists or names it, or halved on each refusal."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, replace

from readagent.core.tokens import TokenEstimate
from readagent.core.window import SMALLEST, Window, usual_below
from readagent.errors import BadReplyError, ContextOverflowError
from readagent.library import Library
from readagent.models.endpoint import Endpoint
from readagent.models.refusal import error_from, read_refusal
from readagent.models.refusal_kinds import says_too_long
from readagent.models.wire import decode_as, encode
from readagent.proxy.chat import ChatRequest, Count, request_tokens, texts_of
from readagent.proxy.exchange import Refused
from readagent.proxy.report import Report
from readagent.proxy.sizes import careful_room, least_reply_room, reply_room

_ATTEMPTS = 9  # at making a request fit
_LONG = 100_000  # characters
_OWN = 4096  # tokens of our own calls where the window is a guess; hardly any server has a smaller window
_FAR = 0.5  # of a window: a request that is shorter is not too long, however low the estimate is
_DOUBT = 1.03  # times the tokens that the ratio suggests
_CUTTING = ("truncation", "truncate_prompt_tokens", "transforms")  # fields that let a server cut a prompt


@dataclass(slots=True)
class Guess:
    """A window that the server does not name. Libraries store this as JSON; it holds for all callers.

    A request of ``refused`` tokens was too long, prompt and reply together. One that fits the ``window`` was answered.
    """

    refused: int = 0
    window: int = 0


@dataclass(frozen=True, slots=True)
class Fit:
    """What a request of ``estimated`` tokens has to fit. Its prompt is known to have ``more`` than are counted.

    A request that may fit although its estimate is over the window is ``tried``: it is sent as it is first. ``guess``
    is given if the server does not name its window; others are made to fit it, too, once this request is answered.
    """

    window: Window
    estimated: int
    more: int = 0
    attempt: int = 0
    tried: bool = False
    guess: Guess | None = None

    @property
    def own(self) -> int | None:
        """The tokens of our own calls, if the window is a guess, which our estimates may have taken for larger."""
        return None if self.guess is None else min(_OWN, self.guess.window)


class ModelWindow:
    """The window of a model, as one caller knows it.

    A window that the server names in an error counts for all callers, or for this one only if it lists a larger one.
    """

    def __init__(self, endpoint: Endpoint, library: Library) -> None:
        self._endpoint, self._library = endpoint, library
        self._name = f"{endpoint.identity} guessed window"
        self._learnt: int | None = None
        self._ratio: float | None = None  # tokens that the server counted in a refused request for each estimated one

    async def now(self) -> Window:
        """Return the window as far as the server, or an error, has named it."""
        known = [size for size in (self._learnt, await self._endpoint.window()) if size is not None]
        return self._of(min(known, default=0))

    def steady(self) -> TokenEstimate:
        """Return estimates that what was learnt meanwhile does not change: the same request has the same tokens."""
        return TokenEstimate(self._endpoint.counter.family)

    async def first_fit(self, chat: ChatRequest, report: Report) -> tuple[Fit, bool]:
        """Return what a request has to fit, and whether it is sent as it is.

        It fits if it also does with more tokens than estimated, and with its longest reply. Where the server refuses
        what is too long, it may also fit with fewer: then it is tried. Where the window is a guess, a request is too
        long if one of its size was refused before.
        """
        window, reply = await self.now(), chat.longest_reply
        size = await _counted(chat, window.count)
        report.original_tokens = report.sent_tokens = await _counted(chat, self.steady().count)
        fit = Fit(window, report.original_tokens)
        if window.tokens is None:
            guess = self._guess()
            fits = not guess.window or size + (reply or 0) < guess.refused
            return (fit if fits else replace(fit, window=self._of(guess.window), guess=guess)), fits
        if size <= min(window.tokens - reply_room(window.tokens, reply), careful_room(window.tokens, reply)):
            return fit, True
        tried = self._refuses(chat) and self._may_fit(fit.estimated, window.tokens, reply)
        return replace(fit, tried=tried), tried

    def next_fit(self, fit: Fit, refused: Refused, chat: ChatRequest, sent: int | None, key: str | None) -> Fit | None:
        """Return what a request has to fit after this refusal; None if it is of no use to try again.

        ``sent`` are the tokens of a request that was made to fit, None if it was sent as it is. A window that the
        server names is used. If it counts more tokens than we do, there is less room in the window. Otherwise the
        window is halved.
        """
        error = _overflow(refused, chat, key)
        if error is None or fit.attempt >= _ATTEMPTS:
            return None
        size = request_tokens(chat, fit.window.count) if sent is None else sent
        asked, window = size + (chat.longest_reply or 0), fit.window.tokens
        named, counted = self._numbers(error, chat, asked)
        if sent is None and not chat.uncounted and (counted or fit.tried):
            self._ratio = (counted or window or 0) / fit.estimated
        after = replace(fit, attempt=fit.attempt + 1, tried=False)
        if named is not None and (window is None or fit.guess is not None or named < window):
            self._keep(named, for_all=True)
            tokens, after = named, replace(after, guess=None)
        elif fit.tried:
            return after
        elif asked < _FAR * max(self._endpoint.listed_window or 0, self._endpoint.longest_accepted):
            return None  # the server adds to the prompt, or refuses it for another reason
        elif window is None or fit.guess is not None:
            tokens = _halved(min(one for one in (counted, asked, window) if one))
            first = asked if fit.guess is None else fit.guess.refused
            shown = not chat.uncounted and _in_its_own_words(refused, chat)
            after = replace(after, guess=Guess(first if shown else 0, tokens))
        elif counted is not None and counted > size:
            more = math.ceil((counted - size) * min(1.0, window / counted))
            return replace(after, more=more) if more > fit.more else None
        else:
            tokens = _halved(min(size, window))
            self._keep(tokens)
        return replace(after, window=self._of(tokens)) if tokens >= SMALLEST else None

    def after_own(self, fit: Fit, error: ContextOverflowError) -> Fit:
        """Return what a request has to fit after one of our own calls was refused as too long; else raise the error."""
        if fit.guess is not None and fit.own is not None and error.window is None:
            if (smaller := _halved(fit.own)) < _OWN:
                raise error
            return replace(fit, window=self._of(smaller), guess=replace(fit.guess, window=smaller))
        if error.window is None and (error.asked or 0) < _FAR * (self._endpoint.listed_window or 0):
            raise error  # it is about this text
        learnt = fit.window.after_overflow(error)
        self._keep(learnt.tokens or 0, for_all=error.window is not None)
        return replace(fit, window=learnt, guess=None)

    def note_answered(self, fit: Fit) -> None:
        """Keep the window that was guessed for a request that is answered now."""
        if fit.guess is not None and fit.guess.refused and fit.guess != self._guess():
            self._library.keep_facts(self._name, encode(fit.guess))

    async def note_count(self, chat: ChatRequest, counted: int, cached: int) -> str:
        """Return what to say if the server has cut a request, by the tokens that it counted and had cached.

        The caller's next requests are made to fit what arrived: other callers may send texts of another kind.
        """
        prompt = _prompt_of(chat)
        error = (await self._endpoint.cut(prompt, counted, cached))[0] if prompt else None
        if error is None or error.window is None:
            return ""
        self._keep(error.window)
        return f"{error}; the next requests are made to fit {error.window:,} tokens"

    def own_window(self, fit: Fit) -> Window:
        """Return the window of our own calls for a request."""
        if (own := fit.own) is None:
            return fit.window
        self._endpoint.assume_window(own)
        return replace(fit.window, tokens=own)

    def _of(self, tokens: int) -> Window:
        """Return a window of this size; one that is too small is none.

        Estimates are never lowered: a language may have many more tokens than another in the same script.
        """
        estimate = self._endpoint.counter.snapshot().at_least(1.0)
        return Window(tokens if tokens >= SMALLEST else None, estimate)

    def _guess(self) -> Guess:
        data = self._library.facts(self._name)
        try:
            return decode_as(data, Guess) if data else Guess()
        except BadReplyError:
            return Guess()

    def _refuses(self, chat: ChatRequest) -> bool:
        """Whether the server is known to refuse a prompt that is too long, and not to cut it."""
        cut = any(chat.body.get(name) not in (None, False, [], "disabled") for name in _CUTTING)
        return self._endpoint.refuses_long is True and not cut

    def _may_fit(self, estimated: int, window: int, reply: int | None) -> bool:
        """Whether a request may fit although its estimate is too long, by the last count of the server, if any."""
        return self._ratio is None or math.ceil(_DOUBT * self._ratio * estimated) <= window - least_reply_room(
            window, reply
        )

    def _numbers(self, error: ContextOverflowError, chat: ChatRequest, asked: int) -> tuple[int | None, int | None]:
        """Return the window and the tokens of the prompt that an error names.

        A window is not believed that is far larger than the request, which was too long for it, or smaller than what
        the server has answered.
        """
        named, accepted = error.window, self._endpoint.longest_accepted
        if named is not None and not chat.uncounted and not accepted <= named <= asked / _FAR:
            return None, None
        return named, error.prompt_tokens

    def _keep(self, window: int, *, for_all: bool = False) -> None:
        """Keep a window that was learnt, unless a smaller one was; ``for_all`` callers if none larger is listed."""
        if window >= SMALLEST and (self._learnt is None or window < self._learnt):
            self._learnt = window
            if for_all and window >= (self._endpoint.listed_window or 0):
                self._endpoint.learn_window(window)


def _halved(tokens: int) -> int:
    """Return the largest usual window of at most half of this one: usual sizes, since the pages change with them."""
    return usual_below(max(2, tokens // 2 + 1))


async def _counted(chat: ChatRequest, count: Count) -> int:
    """Return the tokens of a request. Those of a long one are counted on a thread, so that others do not wait."""
    if sum(map(len, texts_of(chat))) < _LONG:
        return request_tokens(chat, count)
    return await asyncio.to_thread(request_tokens, chat, count)


def _prompt_of(chat: ChatRequest) -> str:
    """Return the texts that the server has counted; "" if it has counted more than texts."""
    only = not chat.besides() and not chat.uncounted
    plain = only and all(isinstance(one.get("content"), str) and len(one) == 2 for one in chat.messages)
    return "\n\n".join(one["content"] for one in chat.messages) if plain else ""


def why_refused(refused: Refused, chat: ChatRequest, report: Report, key: str | None) -> str:
    """Return why a request that the server refused as too long was not made shorter, for the log."""
    said = read_refusal(refused.reply.status, dict(refused.reply.headers), refused.body, key).message
    uncounted = f"it has {chat.uncounted}, whose tokens cannot be counted" if chat.uncounted else ""
    why = "; ".join(filter(None, (uncounted, report.reason))) or "it is not longer than others that fit"
    return f"the server refuses it as too long: {said}; {why}" if said else f"the server refuses it as too long; {why}"


def _in_its_own_words(refused: Refused, chat: ChatRequest) -> bool:
    """Whether a server says that a request is too long, and does not repeat that from the request."""
    refusal = read_refusal(refused.reply.status, dict(refused.reply.headers), refused.body)
    return says_too_long(refusal.status, refusal.codes, refusal.message, chat.strings())


def _overflow(refused: Refused, chat: ChatRequest, key: str | None) -> ContextOverflowError | None:
    """Return what a refusal says about the window; None if it does not say that the request is too long."""
    headers = dict(refused.reply.headers)
    error = error_from(read_refusal(refused.reply.status, headers, refused.body, key, chat.strings()))
    return error if isinstance(error, ContextOverflowError) else None
