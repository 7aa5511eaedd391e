"""The server that OPENAI_BASE_URL names, and its only model where no model is set."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from readagent.cli.options import settings_of
from readagent.cli.screen import echo
from readagent.connection import uses_own_server
from readagent.errors import UsageError
from readagent.models.hosts import redacted
from readagent.models.keys import Keys
from readagent.models.local_servers import models_of
from readagent.models.own_server import ONLY_MODEL, has_own_server, not_one_model
from readagent.models.providers import OPENAI_URL, resolve
from readagent.settings import Settings

_SECONDS = 3.0  # to list its models


def own_server(keys: Mapping[str, str]) -> tuple[str, list[str] | None]:
    """Return the server that OPENAI_BASE_URL names, and its models: None if it lists none in time.

    The server is "" if the variable is not set.
    """
    if not has_own_server(keys):
        return "", []
    target = resolve(ONLY_MODEL, None, keys)
    return redacted(target.base_url), asyncio.run(models_of(target.base_url, target.key, _SECONDS))


def settings_with_model(flags: dict[str, Any], *, required: bool = True) -> Settings:
    """Return the settings in force; where they name no model, with the only model of the user's own server.

    If it has several, that is an error where a model is ``required``. The offline reader comes before the server where
    it is installed: no text is sent that was not sent before.
    """
    settings = settings_of(flags)
    if not uses_own_server(settings):
        return settings
    url, models = own_server(Keys(os.environ, settings.home))
    if models is not None and len(models) == 1:
        echo(f"using {models[0]}, the only model of {url} ({OPENAI_URL})", err=True)
        return replace(settings, model=f"openai/{models[0]}")
    if url and required:
        _refuse(url, models)
    return settings


def _refuse(url: str, models: list[str] | None) -> NoReturn:
    if models is None:
        raise UsageError(
            f"no model was named, and {url} ({OPENAI_URL}) did not list its models",
            hint="start the server or check its key; or name a model with `model=openai/MODEL`",
        )
    raise not_one_model(url, models)
