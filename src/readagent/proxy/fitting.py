"""Whether a request fits the window, and which window it is made to fit after the server has refused it as too long."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace

from readagent.core.tokens import TokenEstimate
from readagent.core.window import Window
from readagent.errors import ContextOverflowError, ReadAgentError, UsageError
from readagent.models.failures import error_from
from readagent.models.refusal import read_refusal
from readagent.models.refusal_kinds import says_too_long
from readagent.proxy.chat import ChatRequest, Count, request_tokens, texts_of
from readagent.proxy.compress import Compressed
from readagent.proxy.exchange import Refused
from readagent.proxy.readers import Reader
from readagent.proxy.report import Told
from readagent.proxy.sizes import careful_room, reply_room
from readagent.proxy.window_probe import Bounds, Profile, lets_server_cut

_ATTEMPTS = 3  # at making a request fit, each with what was learnt from a refusal
_LONG = 100_000  # characters
_GUESSES = 9  # the same where the server names no window, so that each has half of the last one


@dataclass(frozen=True, slots=True)
class Fit:
    """What a request has to fit. The prompt is known to have ``more`` tokens than are counted.

    ``bounds`` are given if the server does not tell its window: then the window is a guess. They are this request's
    own, and ``shown`` says that they hold for other requests, too, once this one was answered. A request that may fit
    although its estimate is over the window has a ``trial``: it is sent as it is first.
    """

    window: Window
    bounds: Bounds | None = None
    shown: bool = True
    more: int = 0
    attempt: int = 0
    trial: Profile | None = None


async def first_fit(chat: ChatRequest, reader: Reader, told: Told) -> tuple[Fit, bool]:
    """Return what a request has to fit, and whether it does with its longest reply.

    It does only if it also does with more tokens than estimated. Where the server refuses what is too long, it may also
    fit with fewer: then it is tried. Where the window is unknown, it is too long if a request of its size was refused
    before.
    """
    window, reply = await reader.window(), chat.longest_reply
    size = await _counted(chat, window.count)
    told.original_tokens = told.sent_tokens = await _counted(chat, steady(window).count)
    if window.tokens is not None:
        room = window.tokens - reply_room(window.tokens, reply)
        if size <= min(room, careful_room(window.tokens, reply)):
            return Fit(window), True
        if not reader.refuses_long or lets_server_cut(chat):
            return Fit(window), False
        profile = await asyncio.to_thread(reader.window_probe.profile, chat, window.counter.family)
        tried = reader.window_probe.may_fit(profile, window.tokens, reply)
        return Fit(window, trial=profile if tried else None), tried
    bounds = replace(reader.bounds)
    if not bounds.refuses(size + (reply or 0)):
        return Fit(window, bounds), True
    return Fit(replace(window, tokens=bounds.window), bounds), False


async def _counted(chat: ChatRequest, count: Count) -> int:
    """Return the tokens of a request. Those of a long one are counted on a thread, so that others do not wait."""
    if sum(map(len, texts_of(chat))) < _LONG:
        return request_tokens(chat, count)
    return await asyncio.to_thread(request_tokens, chat, count)


def steady(window: Window) -> TokenEstimate:
    """Return estimates that what was learnt meanwhile does not change: the same request has the same tokens."""
    return TokenEstimate(window.counter.family)


def _size(fit: Fit, chat: ChatRequest, made: Compressed | None) -> int:
    """Return the tokens of a request as it was sent, by estimates that are corrected by the server's counts."""
    return made.tokens if made is not None else request_tokens(chat, fit.window.count)


def next_fit(
    fit: Fit, refused: Refused, chat: ChatRequest, made: Compressed | None, reader: Reader, key: str | None
) -> Fit | None:
    """Return what a request has to fit after this refusal; None if it is of no use to try again."""
    if fit.attempt >= (_ATTEMPTS if fit.bounds is None else _GUESSES):
        return None
    size = _size(fit, chat, made)
    if _shows_window(refused, chat):
        reader.note_refusing()
    if fit.trial is not None and (known := _after_trial(fit, refused, chat, size, reader, key)) is not None:
        return known
    prompt, attempt = _prompt_of(chat, made), fit.attempt + 1
    try:
        error = reader.believed(_overflow(refused, chat, size, key), chat)
        if error.window is None and fit.bounds is not None:
            shown = fit.shown and _shows_window(refused, chat)
            window = reader.guess(fit.window, fit.bounds, error, chat.longest_reply, prompt if attempt == 1 else "")
            return Fit(window, fit.bounds, shown, fit.more, attempt)
        if made is not None and error.window is None and error.prompt_tokens is None and reader.listed:
            return None  # it fits by what the server lists, and the server says nothing else
        uncounted = None if prompt else reader.uncounted(fit.window, error)
        if uncounted is None:
            window = reader.learn(fit.window, error, prompt if attempt == 1 else "", plain=bool(prompt))
            return Fit(window, more=fit.more, attempt=attempt)
        return Fit(uncounted[0], more=uncounted[1], attempt=attempt) if uncounted[1] > fit.more else None
    except ReadAgentError:
        return None


def _after_trial(
    fit: Fit, refused: Refused, chat: ChatRequest, size: int, reader: Reader, key: str | None
) -> Fit | None:
    """Return what a request has to fit that was tried and is too long: the window that is known already.

    None if the server names a smaller window. How long the request is, by the server's count, is noted for others.
    """
    window, error = fit.window.tokens, None
    with suppress(UsageError):
        error = _overflow(refused, chat, size, key)
    assert window is not None
    assert fit.trial is not None
    if error is not None and error.window is not None and error.window < window:
        return None
    counted, reply = error.prompt_tokens if error is not None else None, chat.longest_reply
    if chat.uncounted:
        pass  # a rate would be that of pictures, too
    elif counted is not None and counted + (reply or 0) >= window:
        reader.window_probe.note_counted(fit.trial, counted)
    else:
        reader.window_probe.note_refused(fit.trial, window, reply)
    return Fit(fit.window, attempt=fit.attempt)


def note_answered(fit: Fit, chat: ChatRequest, made: Compressed | None, reader: Reader, counted: int | None) -> None:
    """Note that the server has answered a request, in whose prompt it ``counted`` so many tokens, if it says that."""
    size = _size(fit, chat, made)
    if fit.trial is None or fit.window.tokens is None:
        reader.note_accepted(size, fit.bounds if fit.shown else None)
        return
    reader.note_accepted(min(size, fit.window.tokens))
    if counted is not None and counted <= fit.window.tokens and not chat.uncounted:
        reader.window_probe.note_counted(fit.trial, counted)


def why_refused(refused: Refused, chat: ChatRequest, told: Told, key: str | None) -> str:
    """Return why a request that the server refused as too long was not made shorter, for the log."""
    said = read_refusal(refused.reply.status, dict(refused.reply.headers), refused.body, key).message
    uncounted = f"it has {chat.uncounted}, whose tokens cannot be counted" if chat.uncounted else ""
    why = "; ".join(filter(None, (uncounted, told.reason))) or "it is not longer than others that fit"
    return f"the server refuses it as too long: {said}; {why}" if said else f"the server refuses it as too long; {why}"


def _shows_window(refused: Refused, chat: ChatRequest) -> bool:
    """Whether a refusal shows something about the window: not if the request cannot be counted, or is repeated."""
    refusal = read_refusal(refused.reply.status, dict(refused.reply.headers), refused.body)
    said = says_too_long(refusal.status, refusal.codes, refusal.message, chat.strings())
    return said and not chat.uncounted


def _prompt_of(chat: ChatRequest, made: Compressed | None) -> str:
    """Return the texts that the server has counted; "" if it has counted more than texts."""
    messages = chat.messages if made is None else made.messages
    only = not chat.besides() and not chat.uncounted
    plain = only and all(isinstance(one.get("content"), str) and len(one) == 2 for one in messages)
    return "\n\n".join(one["content"] for one in messages) if plain else ""


def _overflow(refused: Refused, chat: ChatRequest, size: int, key: str | None) -> ContextOverflowError:
    """Return what a refusal says about the window."""
    headers = dict(refused.reply.headers)
    error = error_from(read_refusal(refused.reply.status, headers, refused.body, key, chat.strings()))
    if not isinstance(error, ContextOverflowError):
        raise UsageError("the server does not say that the request is too long")
    error.asked = size
    return error
