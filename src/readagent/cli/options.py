"""Options that several commands share, and the settings and plan that they describe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, get_args

import click

from readagent.cli.completing import complete_shelf
from readagent.cli.groups import Shared
from readagent.cli.log import log_everything
from readagent.cli.screen import echo
from readagent.core.plan import PRESETS, LookUp, Mode, Plan, preset
from readagent.domains import domain
from readagent.errors import UsageError
from readagent.loaders.formats import FORMATS
from readagent.settings import COMMAND_LINE, Settings, load_settings
from readagent.trust import PROJECT_FILE

F = TypeVar("F", bound=Callable[..., Any])
_COUNT = click.IntRange(1)
_ABOVE_0 = click.FloatRange(0, min_open=True)
_READING_NAMES = ("preset", "page_words", "min_page_words", "memory_words", "uniform", "previous", "mode", "domain",
                  "gist_language")  # fmt: skip
_LOOK_UP_NAMES = ("look_up", "max_pages", "quotes", "check", "retry")
_NAMED_VALUE = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*=\s*(\S.*)", re.DOTALL)  # an option of a model


def _one_line(context: click.Context, option: click.Parameter, given: str | None) -> str | None:
    """Return the task on one line, so that white space does not make another task."""
    return None if given is None else " ".join(given.split())


def _named_values(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, Any] | None:
    """Return options by name. A value is JSON (0.9, true) or, if it is not, a text."""
    values: dict[str, Any] = {}
    for one in given:
        if (named := _NAMED_VALUE.fullmatch(one)) is None:
            raise click.BadParameter(f"{one!r} is not NAME=VALUE, such as top_p=0.9.")
        name, value = named.groups()
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value
    return values or None


def _of(group: str, *, brief: bool = False) -> Callable[..., Callable[[F], F]]:
    """Return what adds an option of this group to a command."""
    return partial(click.option, cls=Shared, group=group, brief=brief)


_model, _limit, _reading, _look_up = map(_of, ("Model", "Budget and limits", "Reading", "Look-up"))
_folder = _of("Sources", brief=True)
_source = _of("Sources")
_passed_on = partial(
    _model, multiple=True, metavar="NAME=VALUE", callback=_named_values,
    help="Send this with every request, such as reasoning_effort=low; repeatable.",
)  # fmt: skip
_MODEL = (
    _model(
        "-m", "--model", metavar="NAME", help="Model, such as ollama/qwen3:8b, a server's URL, a .gguf file, or local."
    ),
    _model("--base-url", metavar="URL", help="OpenAI-compatible server, such as http://localhost:8080/v1."),
    _model(
        "--window", type=_COUNT, metavar="TOKENS", help="Context window of the model, if the server does not report it."
    ),
    _model("--prompts", metavar="SET", help="Prompt set: default, small, paper, or a folder of your own."),
    _limit("--parallel", type=_COUNT, metavar="N", help="Maximum concurrent calls (8)."),
    _limit("--timeout", type=_ABOVE_0, metavar="SECONDS", help="Maximum time for a whole reply (600)."),
    _limit("--silence", type=_ABOVE_0, metavar="SECONDS", help="Maximum pause within a reply that has begun (60)."),
    _limit(
        "--patience", type=click.FloatRange(0), metavar="SECONDS",
        help="Time to wait for a server that is busy or down (1200).",
    ),
    _limit("--requests-per-minute", type=_COUNT, metavar="N", help="Send at most this many requests per minute."),
    _limit("--tokens-per-minute", type=_COUNT, metavar="N", help="Use at most this many tokens per minute."),
    _model(
        "-v", "--verbose", is_flag=True, expose_value=False, callback=log_everything,
        help="Log requests and waits on standard error.",
    ),
    _model("--temperature", type=click.FloatRange(0), metavar="T", help="Sampling temperature (0)."),
)  # fmt: skip
_BUDGET = (
    _limit("--max-tokens", type=_COUNT, metavar="N", help="Stop before using more tokens than this."),
    _limit("--max-cost", type=_ABOVE_0, metavar="DOLLARS", help="Stop before spending more than this."),
)
_READING = (
    _reading(
        "--preset", type=click.Choice(list(PRESETS)), metavar="NAME",
        help=f"Page sizes and look-up for a kind of text: {', '.join(PRESETS)}.",
    ),
    _reading("--page-words", type=_COUNT, metavar="N", help="Maximum words per page."),
    _reading("--memory-words", type=_COUNT, metavar="N", help="Maximum words of all gists together; sets page sizes."),
    _reading("--min-page-words", type=_COUNT, metavar="N", help="Minimum words per page."),
    _reading("--uniform", is_flag=True, default=None, help="Cut pages of equal length instead of asking the model."),
    _reading("--previous/--no-previous", default=None, help="Show the previous page while choosing a pause."),
    _reading(
        "--mode", type=click.Choice(get_args(Mode)),
        help="Read in one pass (fast), in two steps (paper), or in one pass if the model can (auto).",
    ),
    _reading("--domain", metavar="NAME|FILE", help="Instructions for a kind of text; see `readagent domain list`."),
    _reading(
        "--gist-language", metavar="LANGUAGE",
        help="Write the gists in this language, such as German, instead of that of the text.",
    ),
    _reading("--task", metavar="TEXT", callback=_one_line, help="Write or use gists for this task."),
)  # fmt: skip
_LOOK_UP = (
    _look_up("--look-up", type=click.Choice(get_args(LookUp)), help="How to choose the pages to open."),
    _look_up("--max-pages", type=click.IntRange(0), metavar="N", help="Maximum pages to open."),
    _look_up("--quotes/--no-quotes", default=None, help="Ask for quotes and check them (on)."),
    _look_up(
        "--check/--no-check", default=None,
        help="Ask once more whether quotes support each statement of the answer (on).",
    ),
)  # fmt: skip
WHOLE = _reading(
    "--whole", is_flag=True, help="Keep menus and hidden text of a web page, and hidden sheets of an Excel file."
)
FORMAT = _source(
    "--format", "as_format", type=click.Choice(list(FORMATS)), metavar="NAME",
    help=f"Force the input format: {', '.join(FORMATS)}.",
)  # fmt: skip
_SOURCE = (
    _folder("--include", multiple=True, metavar="GLOB", help="Read only files of a folder that match; repeatable."),
    _folder("--exclude", multiple=True, metavar="GLOB", help="Skip files of a folder that match; repeatable."),
    _folder("--as-one", is_flag=True, help="Read a folder as one document with its files as chapters."),
    WHOLE,
    _folder("--ocr", metavar="LANGUAGE", help="Read scanned PDFs with Tesseract: eng, deu+eng."),
    FORMAT,
    _source("--allow-private", is_flag=True, help="Allow URLs on this machine and the local network."),
)
_QUESTION = (
    click.option(
        "-c", "--choice", "choices", multiple=True, metavar="TEXT",
        help="Choice of a multiple-choice question; repeatable.",
    ),
    click.option("--claim", is_flag=True, help="Judge whether the question, a statement, is true."),
)  # fmt: skip
TASK = click.option(
    "--task", metavar="TEXT", default="", callback=_one_line, help="Use the gists written for this task."
)
UP_TO = click.option(
    "--up-to", metavar="POSITION",
    help="Use the text only up to the end of this page, chapter (its heading) or sentence, or 40% of the text.",
)  # fmt: skip
YES = click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
RETRY = click.option("--retry", is_flag=True, help="Ask again where the model returned nothing usable before.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def shelf_option(about: str, **more: Any) -> Callable[[F], F]:
    """Return what adds `--shelf NAME` to a command, with this help text."""
    return click.option("--shelf", metavar="NAME", shell_complete=complete_shelf, help=about, **more)


def words_option(about: str, usual: int | None) -> Callable[[F], F]:
    """Return what adds `--words N` to a command."""
    return click.option("--words", type=click.IntRange(10), default=usual, metavar="N", help=about)


def combined(options: tuple[Callable[[F], F], ...]) -> Callable[[F], F]:
    """Return a decorator that adds these options to a command, in this order."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


model_options = combined((*_MODEL, _passed_on("-o", "--option", "model_options")))
model_options_with_output = combined((*_MODEL, _passed_on("--option", "model_options")))  # -o names a file there
budget_options = combined(_BUDGET)
reading_options = combined(_READING)
source_options = combined(_SOURCE)
agent_options = combined((reading_options, model_options, budget_options))
look_up_options = combined(_LOOK_UP)
question_options = combined((*_QUESTION, look_up_options))
answer_options = combined((question_options, RETRY, UP_TO, WHOLE, agent_options, JSON))


def settings_of(flags: dict[str, Any]) -> Settings:
    """Return the settings in force, with these flags."""
    names = ("model", "base_url", "window", "prompts", "parallel", "timeout", "silence", "patience",
             "requests_per_minute", "tokens_per_minute", "temperature", "max_tokens", "max_cost", "preset",
             "domain", "model_options")  # fmt: skip
    chosen = {"library": click.get_current_context().find_root().params.get("library")}
    settings = load_settings({**{name: flags.get(name) for name in names}, **chosen}, origin=COMMAND_LINE)
    if settings.held_back:
        _note_untrusted(settings.held_back)
    return settings


def _note_untrusted(names: tuple[str, ...]) -> None:
    """Say, once in a command, what a project file is not allowed to set."""
    said = click.get_current_context().find_root().meta
    if said.setdefault(__name__, names) is names:
        echo(
            f"note: {', '.join(names)} in {PROJECT_FILE} {'is' if len(names) == 1 else 'are'} ignored: this folder is "
            "not trusted; look at the file, then run: readagent trust",
            err=True,
        )


def plan_of(flags: dict[str, Any], settings: Settings) -> Plan:
    """Return the plan that the flags and the preset describe."""
    plan = preset(settings.preset)
    smallest = flags.get("min_page_words")
    if flags.get("page_words"):
        plan = plan.scaled(flags["page_words"])
    if smallest:
        if smallest > plan.page_words:
            raise UsageError(
                f"--min-page-words {smallest} is more than the maximum of {plan.page_words} words per page",
                hint="give a larger --page-words, or a smaller --min-page-words",
            )
        plan = replace(plan, min_page_words=smallest)
    budget = flags.get("memory_words") or 0
    return replace(
        plan,
        memory_words=budget,
        scale=(plan.scale or bool(budget)) and not (smallest or flags.get("page_words") or flags.get("uniform")),
        pauses="uniform" if flags.get("uniform") else plan.pauses,
        show_previous=plan.show_previous if flags.get("previous") is None else flags["previous"],
        mode=flags.get("mode") or plan.mode,
        gist_language=flags.get("gist_language") or plan.gist_language,
        task=flags.get("task") or plan.task,
        instructions=domain(settings.domain, settings.home) or plan.instructions,
    )


def says_how_to_read(flags: dict[str, Any]) -> bool:
    """Whether any flag says how to read the document. A task does not: it says what for."""
    return any(flags.get(name) is not None for name in _READING_NAMES)


def look_up_of(flags: dict[str, Any]) -> dict[str, Any]:
    """Take from the flags of ``answer_options`` how pages are looked up."""
    return {name: flags.pop(name) for name in _LOOK_UP_NAMES}
