"""Whether a request fits the window, and which window it is made to fit after the server has refused it as too long."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, replace

from readagent.core.window import SMALLEST, Window
from readagent.errors import ContextOverflowError, ReadAgentError
from readagent.models.endpoint import Endpoint
from readagent.models.failures import error_from
from readagent.models.refusal import read_refusal
from readagent.models.refusal_kinds import says_too_long
from readagent.proxy.chat import ChatRequest, Count, request_tokens, texts_of
from readagent.proxy.compress import Compressed
from readagent.proxy.exchange import Refused
from readagent.proxy.first_response import PromptCount
from readagent.proxy.known_window import Bounds, ModelWindow, halved
from readagent.proxy.report import Told
from readagent.proxy.sizes import careful_room, reply_room

_ATTEMPTS = 9  # at making a request fit
_LONG = 100_000  # characters
_CUTTING = ("truncation", "truncate_prompt_tokens", "transforms")  # fields that let a server cut a prompt


@dataclass(frozen=True, slots=True)
class Fit:
    """What a request of ``estimated`` tokens has to fit. Its prompt is known to have ``more`` than are counted.

    ``bounds`` are given if the server does not name its window: then the window is a guess. They are this request's
    own, and ``shown`` says that they hold for other requests, too, once this one was answered. A request that may fit
    although its estimate is over the window is ``tried``: it is sent as it is first.
    """

    window: Window
    estimated: int
    bounds: Bounds | None = None
    shown: bool = True
    more: int = 0
    attempt: int = 0
    tried: bool = False


async def first_fit(chat: ChatRequest, known: ModelWindow, told: Told) -> tuple[Fit, bool]:
    """Return what a request has to fit, and whether it does with its longest reply.

    It does only if it also does with more tokens than estimated. Where the server refuses what is too long, it may also
    fit with fewer: then it is tried. Where the window is unknown, it is too long if a request of its size was refused
    before.
    """
    window, reply = await known.now(), chat.longest_reply
    size = await _counted(chat, window.count)
    told.original_tokens = told.sent_tokens = await _counted(chat, known.steady().count)
    fit = Fit(window, told.original_tokens)
    if window.tokens is None:
        bounds = replace(known.bounds)
        fit = replace(fit, bounds=bounds)
        fits = not bounds.refuses(size + (reply or 0))
        return (fit, True) if fits else (replace(fit, window=replace(window, tokens=bounds.window)), False)
    if size <= min(window.tokens - reply_room(window.tokens, reply), careful_room(window.tokens, reply)):
        return fit, True
    cut = any(chat.body.get(name) not in (None, False, [], "disabled") for name in _CUTTING)
    tried = known.refuses_long and not cut and known.may_fit(fit.estimated, window.tokens, reply)
    return replace(fit, tried=tried), tried


async def _counted(chat: ChatRequest, count: Count) -> int:
    """Return the tokens of a request. Those of a long one are counted on a thread, so that others do not wait."""
    if sum(map(len, texts_of(chat))) < _LONG:
        return request_tokens(chat, count)
    return await asyncio.to_thread(request_tokens, chat, count)


def _size(fit: Fit, chat: ChatRequest, made: Compressed | None) -> int:
    """Return the tokens of a request as it was sent, by estimates that are corrected by the server's counts."""
    return made.tokens if made is not None else request_tokens(chat, fit.window.count)


def next_fit(
    fit: Fit, refused: Refused, chat: ChatRequest, made: Compressed | None, known: ModelWindow, key: str | None
) -> Fit | None:
    """Return what a request has to fit after this refusal; None if it is of no use to try again.

    A window that the server names is used. If it counts more tokens than we do, there is less room in the window.
    Otherwise the window is halved.
    """
    if fit.attempt >= _ATTEMPTS:
        return None
    size, reply, window = _size(fit, chat, made), chat.longest_reply, fit.window.tokens
    if shows := _shows_window(refused, chat):
        known.note_refusing()
    error = _overflow(refused, chat, key)
    named, counted = (error.window, error.prompt_tokens) if error is not None else (None, None)
    if made is None and not chat.uncounted and (counted or fit.tried):
        least = (window or 0) - (reply or 0)
        known.note_counted(fit.estimated, max(counted or 0, least) if fit.tried else counted or 0)
    after = replace(fit, attempt=fit.attempt + 1, tried=False)
    if fit.tried and not (named is not None and window is not None and named < window):
        return after
    if error is None or not known.believes(error, chat, size):
        return None
    named, counted = error.window, error.prompt_tokens
    prompt = _prompt_of(chat, made)
    if prompt and counted is not None and not fit.attempt:
        known.learn_count(prompt, counted)
    counts_more = counted is not None and counted > size
    if named is not None and (window is None or named < window or fit.bounds is not None):
        known.keep(named, named=True)
        tokens, after = named, replace(after, bounds=None)
    elif fit.bounds is not None:
        fit.bounds.note_refused((counted or size) + (reply or 0), window)
        tokens, after = fit.bounds.window, replace(after, shown=fit.shown and shows)
    elif counts_more and window is not None:
        tokens = window
    else:
        tokens = halved(min(counted or size, window or size))
        if prompt:
            known.keep(tokens, named=False)
    if tokens < SMALLEST:
        return None
    if counts_more and counted is not None and not prompt:
        more = math.ceil((counted - size) * min(1.0, tokens / counted))
        if more <= fit.more and tokens == window:
            return None
        after = replace(after, more=max(more, fit.more))
    return replace(after, window=known.of(tokens))


def note_answered(
    fit: Fit, chat: ChatRequest, made: Compressed | None, known: ModelWindow, counted: int | None
) -> None:
    """Note that the server has answered a request, in whose prompt it ``counted`` so many tokens, if it says that."""
    size, window = _size(fit, chat, made), fit.window.tokens
    if not fit.tried or window is None:
        known.note_accepted(size, fit.bounds if fit.shown else None)
        return
    known.note_accepted(min(size, window))
    if counted is not None and counted <= window and not chat.uncounted:
        known.note_counted(fit.estimated, counted)


async def note_cut(chat: ChatRequest, endpoint: Endpoint, known: ModelWindow, count: PromptCount, told: Told) -> bool:
    """Note if the server has cut a request that was passed on, by its count; the next ones are made to fit."""
    prompt = _prompt_of(chat, None)
    if not prompt or count.tokens is None:
        return False
    try:
        error, _ = await endpoint.cut(prompt, count.tokens, count.cached)
    except ReadAgentError:
        return False  # that it was cut could not be made sure of
    if error is None or error.window is None:
        return False
    told.because(f"{error}; requests after this one are made to fit {error.window:,} tokens")
    known.keep(error.window, named=False)  # for this caller: it may be about this text
    return True


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


def _overflow(refused: Refused, chat: ChatRequest, key: str | None) -> ContextOverflowError | None:
    """Return what a refusal says about the window; None if it does not say that the request is too long."""
    headers = dict(refused.reply.headers)
    error = error_from(read_refusal(refused.reply.status, headers, refused.body, key, chat.strings()))
    return error if isinstance(error, ContextOverflowError) else None
