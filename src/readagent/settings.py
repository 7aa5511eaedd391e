"""Settings from flags, environment, project file, user file and defaults, in this order, as one small object.

The project file is ``readagent.toml`` in the working folder; the user file is ``config.toml`` in the home folder, which
is the user's data folder or ``READAGENT_HOME``. A project file that the user has not trusted sets harmless things only
(``readagent.trust``). Keys are read from the environment only.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readagent.errors import UsageError
from readagent.models.hosts import problem_of, redacted
from readagent.models.prices import MOST, is_price
from readagent.models.providers import OPENAI_MODEL, OPENAI_URL, PROVIDERS
from readagent.models.request import checked_options
from readagent.private import repair_home
from readagent.trust import PROJECT_FILE, held_back, is_trusted, settings_bytes

if TYPE_CHECKING:
    from readagent.library import Library

CALL, COMMAND_LINE = "the call", "the command line"  # where flags come from
_PREFIX = "READAGENT_"
_WEB = ("http://", "https://")
_LACKS_HTTP = re.compile(r"[^/\s:@]+:\S+@[^/\s@]+(?::\d+|/)")  # a name, a password and a host, without http://


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a run needs besides the document and the question.

    ``key_server`` is the server that the user's own file and environment name; READAGENT_API_KEY is meant for it.
    ``held_back`` are the settings of a project file that is not trusted. ``only_model`` means that no model was named,
    and that the server is asked for its only one.
    """

    home: Path
    library: str = field(default="", repr=False)  # a folder, a file, or the URL of a database, with its password
    tenant: str = ""  # of a library on PostgreSQL
    model: str = ""
    base_url: str = ""
    window: int | None = None
    preset: str = "auto"
    domain: str = ""
    prompts: str = "default"
    parallel: int = 8
    timeout: float = 600.0  # seconds for a whole reply
    silence: float = 60.0  # seconds between two pieces of a reply that has begun
    patience: float = 1200.0  # seconds for which a server that is busy or down is tried again
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    temperature: float = 0.0
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    model_options: Mapping[str, Any] = field(default_factory=dict)  # sent with every request, as they are
    key_server: str = ""
    held_back: tuple[str, ...] = ()
    only_model: bool = False

    def open_library(self) -> Library:
        """Return the library that the settings name, by default the one in the home folder."""
        from readagent.library import Library
        from readagent.library.postgres_url import url_or_path

        return Library(url_or_path(self.library or self.home), tenant=self.tenant, patience=self.patience)


_TYPES: dict[str, type] = {
    "library": str, "tenant": str, "model": str, "base_url": str, "window": int, "preset": str, "domain": str,
    "prompts": str, "parallel": int,
    "timeout": float, "silence": float, "patience": float, "requests_per_minute": int, "tokens_per_minute": int,
    "temperature": float, "max_tokens": int, "max_cost": float,
}  # fmt: skip
_LEAST: dict[str, float] = {
    "window": 1, "parallel": 1, "timeout": 0.001, "silence": 0.001, "patience": 0, "requests_per_minute": 1,
    "tokens_per_minute": 1, "temperature": 0, "max_tokens": 1, "max_cost": 0,
}  # fmt: skip
_DEFAULTS: dict[str, Any] = {one.name: one.default for one in fields(Settings)}
_EXAMPLES = {  # of settings that have no useful default
    "library": "postgresql://user@host/name", "tenant": "legal",
    "model": "ollama/qwen3:8b", "base_url": "http://localhost:11434/v1", "window": 32768, "domain": "meeting",
    "requests_per_minute": 60, "tokens_per_minute": 200_000, "temperature": 0.7, "max_tokens": 1_000_000,
    "max_cost": 2.5,
}  # fmt: skip
_MORE_THAN_LEAST = frozenset({"max_cost"})


def load_settings(
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
    origin: str = CALL,
) -> Settings:
    """Return the settings in force. A flag that is None was not given; ``origin`` says in messages where they are."""
    environ = os.environ if environ is None else environ
    home = home_folder(environ)
    repair_home(home)
    project = (folder or Path.cwd()) / PROJECT_FILE
    user, from_project = _file(home / "config.toml"), _file(project)
    untrusted = [] if is_trusted(project, home) else held_back(from_project, project.parent)
    variables = _environment(environ)
    given: dict[str, Any] = {"key_server": _server(variables) or _server(user), "held_back": tuple(untrusted)}
    for layer, where, ignored in (
        (user, str(home / "config.toml"), ()),
        (from_project, str(project), untrusted),
        (variables, "the environment", ()),
        ({name: value for name, value in (flags or {}).items() if value is not None}, origin, ()),
    ):
        prices = _prices(layer.pop("prices", {}), where)
        options = checked_options(layer.pop("model_options", {}), where)
        checked = {name: _value(name, value, where) for name, value in layer.items()}
        if checked.get("base_url") and checked.get("model", "").startswith(_WEB):
            raise UsageError(f"model and base_url both name a server in {where}", hint="give one of them")
        _check_server(_with_server(checked).get("base_url", ""))
        if _LACKS_HTTP.match(checked.get("model", "")):
            _check_server(checked["model"])
        allowed = _with_server({name: value for name, value in checked.items() if name not in ignored})
        given |= allowed
        for name, table in (("prices", prices), ("model_options", options)):
            given[name] = {**given.get(name, {}), **({} if name in ignored else table)}
    if not given.get("model") and not given.get("base_url") and environ.get(OPENAI_URL, "").strip():
        named = environ.get(OPENAI_MODEL, "").strip()
        given["model"] = f"openai/{named}" if named else ""  # whatever slashes the name has
    return Settings(home=home, **given)


def with_model(settings: Settings, model: str, base_url: str) -> Settings:
    """Return the settings as they are once the user file names this model, if nothing else names another."""
    new = _with_server({"model": model, "base_url": base_url})
    server = _server(_environment(os.environ)) or _server(new)
    return replace(settings, **new, only_model=False, key_server=server)


def home_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the user file and the library."""
    if environ.get("READAGENT_HOME"):
        return Path(environ["READAGENT_HOME"]).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("readagent", appauthor=False))


def _file(path: Path) -> dict[str, Any]:
    data = settings_bytes(path)
    if data is None:
        return {}
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"cannot read the settings file {path}: {error}", hint="correct it, or remove it") from None


def _environment(environ: Mapping[str, str]) -> dict[str, Any]:
    named = {field.name: environ.get(_PREFIX + field.name.upper(), "") for field in fields(Settings)}
    return {name: value for name, value in named.items() if value and name in _TYPES}


def _server(layer: Mapping[str, Any]) -> str:
    """Return the URL of the server that a layer names; "" if it names none."""
    named = _with_server({name: str(layer.get(name, "")) for name in ("model", "base_url")})
    provider = PROVIDERS.get(named["model"].partition("/")[0].lower())
    return named["base_url"] or (provider.base_url if provider and "/" in named["model"] else "")


def _with_server(layer: dict[str, Any]) -> dict[str, Any]:
    """Return the layer with the server that its model names, which replaces the server of a weaker layer.

    A URL is a server; ``openai/…`` and the like, ``local`` (also ``local+…``) and a GGUF file need no other one. A bare
    name says nothing.
    """
    model = str(layer.get("model", ""))
    if not model or layer.get("base_url"):
        return layer
    if model.startswith(_WEB):
        return {**layer, "model": "", "base_url": model}
    prefix, slash, _ = model.partition("/")
    own_server = (
        model.partition("+")[0] == "local" or model.endswith(".gguf") or (slash and prefix.lower() in PROVIDERS)
    )
    return {**layer, "base_url": ""} if own_server else layer


def _check_server(url: str) -> None:
    """Raise UsageError if a URL cannot be the address of a server. The message has no password and no key."""
    if url and (problem := problem_of(url.strip())):
        raise UsageError(
            f"{redacted(url)!r} is not the address of a server: {problem}", hint="for example http://localhost:11434/v1"
        )


def _value(name: str, value: Any, origin: str) -> Any:
    """Return a value of the type that its name has, or raise UsageError."""
    if name not in _TYPES:
        near = difflib.get_close_matches(name, _TYPES, 1, cutoff=0.75)
        hint = f"did you mean {near[0]!r}?" if near else f"settings: {', '.join([*_TYPES, 'prices', 'model_options'])}"
        raise UsageError(f"unknown setting {name!r} in {origin}", hint=hint)
    wanted = _TYPES[name]
    try:
        legal = {int: int | str, float: int | float | str, str: str}[wanted]
        if isinstance(value, bool) or not isinstance(value, legal):
            raise ValueError
        value = wanted(value)
        least = _LEAST.get(name)
        if least is not None and (not least <= value < math.inf or (value == least and name in _MORE_THAN_LEAST)):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        kind = {int: "a whole number", float: "a finite number", str: "text"}[wanted]
        than = "more than" if name in _MORE_THAN_LEAST else "at least"
        bound = f" of {than} {_LEAST[name]:g}" if name in _LEAST else ""
        named = f"--{name.replace('_', '-')}" if origin == COMMAND_LINE else f"{name} in {origin}"
        example = _EXAMPLES.get(name)
        hint = f"the usual value is {_DEFAULTS[name]}" if example is None else f"for example {example}"
        raise UsageError(f"{named} must be {kind}{bound}, not {value!r}", hint=hint) from None
    return value


def _prices(table: Any, origin: str) -> dict[str, tuple[float, float]]:
    """Return prices in US dollars per million tokens in and out: ``"my-model" = [0.5, 1.5]``."""
    prices: dict[str, tuple[float, float]] = {}
    for name, pair in table.items() if isinstance(table, Mapping) else [("prices", table)]:
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(map(is_price, pair))):
            raise UsageError(
                f"the price of {name!r} in {origin} must be two numbers from 0 to {MOST:,}",
                hint='US dollars per million tokens in and out, for example: "my-model" = [0.5, 1.5]',
            )
        prices[name] = (float(pair[0]), float(pair[1]))
    return prices
