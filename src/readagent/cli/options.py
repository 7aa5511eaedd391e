"""Options that several commands share, and what they come to: settings, a plan, a library, an agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import click

from readagent.core.plan import PRESETS, Plan, preset
from readagent.domains import domain
from readagent.errors import UsageError
from readagent.loaders.formats import FORMATS
from readagent.settings import Settings, load_settings

F = TypeVar("F", bound=Callable[..., Any])
_COUNT = click.IntRange(1)
_ABOVE_0 = click.FloatRange(0, min_open=True)


def _one_line(context: click.Context, option: click.Parameter, given: str | None) -> str | None:
    """White space does not make another task."""
    return None if given is None else " ".join(given.split())


_MODEL = (
    click.option(
        "-m", "--model", metavar="NAME", help="As in ollama/qwen3:8b, a server's URL, a .gguf file, or local."
    ),
    click.option("--base-url", metavar="URL", help="An OpenAI-compatible server, such as http://localhost:8080/v1."),
    click.option(
        "--window", type=_COUNT, metavar="TOKENS", help="How much the model takes in, if the server won't say."
    ),
    click.option("--prompts", metavar="SET", help="The prompt set: default, small, or a folder of your own."),
    click.option("--parallel", type=_COUNT, metavar="N", help="Calls at the same time, at most (8)."),
    click.option("--timeout", type=_ABOVE_0, metavar="SECONDS", help="How long to wait for one reply (300)."),
    click.option("--temperature", type=click.FloatRange(0), metavar="T", help="Sampling temperature (0)."),
)
_BUDGET = (
    click.option("--max-tokens", type=_COUNT, metavar="N", help="Stop before more tokens than this were used."),
    click.option("--max-cost", type=_ABOVE_0, metavar="DOLLARS", help="Stop before more money than this was spent."),
)
_READING = (
    click.option("--preset", type=click.Choice(list(PRESETS)), help="Page sizes and look-up for this kind of text."),
    click.option("--page-words", type=_COUNT, metavar="N", help="Words of a page, at most."),
    click.option(
        "--memory-words", type=_COUNT, metavar="N", help="Words the gists may take in all; page sizes follow from it."
    ),
    click.option("--min-page-words", type=_COUNT, metavar="N", help="Words of a page, at least."),
    click.option("--uniform", is_flag=True, default=None, help="Pages of equal length, instead of the model's pauses."),
    click.option("--previous/--no-previous", default=None, help="Show the page before while choosing a pause."),
    click.option("--mode", type=click.Choice(["paper", "fast"]), help="In two steps, as published, or in one pass."),
    click.option("--domain", metavar="NAME|FILE", help="What gists must keep of this kind of text: see `domain list`."),
    click.option("--task", metavar="TEXT", callback=_one_line, help="Make the gists for this task, or ask those."),
)
FORMAT = click.option(
    "--format",
    "as_format",
    type=click.Choice(list(FORMATS)),
    metavar="NAME",
    help=f"What it is, where it is mistaken for something else: {', '.join(FORMATS)}.",
)
_SOURCE = (
    click.option(
        "--include", multiple=True, metavar="GLOB", help="Of a folder, read only files such as *.md; repeatable."
    ),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Of a folder, leave out files such as drafts/."),
    click.option("--as-one", is_flag=True, help="Read a folder as one document, its files as chapters."),
    click.option("--whole", is_flag=True, help="Keep all the text of a web page, menus too."),
    FORMAT,
    click.option("--allow-private", is_flag=True, help="Allow web addresses on this machine and network."),
)
_READING_NAMES = ("preset", "page_words", "min_page_words", "memory_words", "uniform", "previous", "mode", "domain")
TASK = click.option(
    "--task", metavar="TEXT", default="", callback=_one_line, help="The memory made for this task, not the general one."
)
UP_TO = click.option(
    "--up-to", metavar="POSITION", help="Know the text up to a page, a chapter's heading, 40%, or a sentence in it."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def _all(options: tuple[Callable[[F], F], ...]) -> Callable[[F], F]:
    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


model_options = _all(_MODEL)
budget_options = _all(_BUDGET)
reading_options = _all(_READING)
source_options = _all(_SOURCE)


def settings_of(flags: dict[str, Any]) -> Settings:
    """The settings in force, these flags first."""
    names = ("model", "base_url", "window", "prompts", "parallel", "timeout", "temperature", "max_tokens",
             "max_cost", "preset", "domain")  # fmt: skip
    return load_settings({name: flags.get(name) for name in names})


def plan_of(flags: dict[str, Any], settings: Settings) -> Plan:
    """The plan that the flags and the preset in force describe."""
    plan = preset(settings.preset)
    smallest = flags.get("min_page_words")
    if flags.get("page_words"):
        plan = plan.scaled(flags["page_words"])
    if smallest:
        if smallest > plan.page_words:
            raise UsageError(
                f"a page cannot have at least {smallest} and at most {plan.page_words} words",
                hint="give --page-words too, or a smaller --min-page-words",
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
        task=flags.get("task") or plan.task,
        instructions=domain(settings.domain, settings.home) or plan.instructions,
    )


def says_how_to_read(flags: dict[str, Any]) -> bool:
    """Whether any flag says how the document is to be read; a task says for what."""
    return any(flags.get(name) is not None for name in _READING_NAMES)
