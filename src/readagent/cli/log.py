"""What `-v` and READAGENT_LOG show: the loggers "readagent.*" on standard error."""

from __future__ import annotations

import logging
import os

import click

from readagent.cli.screen import safe
from readagent.errors import UsageError

_LOGGER = logging.getLogger("readagent")
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class _Safe(logging.Formatter):
    """Lines without anything that a terminal would obey."""

    def format(self, record: logging.LogRecord) -> str:
        return safe(super().format(record))


def log_from_environment(context: click.Context) -> None:
    """Log as READAGENT_LOG says, until the command ends."""
    level = os.environ.get("READAGENT_LOG", "").strip().lower()
    if not level:
        return
    if level not in _LEVELS:
        raise UsageError(f"READAGENT_LOG must be one of {', '.join(_LEVELS)}, not {level!r}")
    _log(context, _LEVELS[level])


def log_everything(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    """Log everything until the command ends, if it is wanted."""
    if wanted:
        _log(context, logging.DEBUG)


def is_logging() -> bool:
    """Whether lines are logged; a progress line would be torn by them."""
    return any(isinstance(handler.formatter, _Safe) for handler in _LOGGER.handlers)


def _log(context: click.Context, level: int) -> None:
    if is_logging():
        _LOGGER.setLevel(min(level, _LOGGER.level))
        return
    handler, before = logging.StreamHandler(), _LOGGER.level
    handler.setFormatter(_Safe("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    _LOGGER.addHandler(handler)
    _LOGGER.setLevel(level)

    def end() -> None:
        _LOGGER.removeHandler(handler)
        _LOGGER.setLevel(before)

    context.find_root().call_on_close(end)
