"""`readagent help`: the help of a command, the options that commands share, and the list of all commands."""

from __future__ import annotations

import click

from readagent.cli.groups import full_help
from readagent.cli.options import budget_options, look_up_options, model_options, reading_options, source_options


@click.command(
    add_help_option=False,
    epilog="""\b
Examples:
  readagent read novel.txt -m ollama/qwen3:8b --max-cost 0.50
  readagent ask novel.txt "Who is Irma?" --base-url http://localhost:8080/v1
  READAGENT_MODEL=local readagent ask novel.txt "Who is Irma?"

\b
readagent.toml:
  model = "ollama/qwen3:8b"
  max_cost = 2.0
""",
)
@model_options
@budget_options
@reading_options
@source_options
@look_up_options
def _options(**_: object) -> None:
    """These options come after the command that uses them; --library may be anywhere.

    Options for the model, budget and limits, --preset, --domain and --library are settings, too. The first place that
    has one counts: the command line; the environment, as READAGENT_MODEL or READAGENT_MAX_COST; readagent.toml in the
    working folder, once it is trusted (`readagent trust`); config.toml in READAGENT_HOME, where the library is as well.
    """


@click.command(epilog="\b\nExamples:\n  readagent help ask\n  readagent help options\n  readagent help commands")
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def command(context: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of COMMAND, of the `options` that commands share, or the list of all `commands`."""
    found = context.find_root()
    if names == ("options",):
        click.echo(options_help(found))
    elif names == ("commands",):
        click.echo(full_help(found))
    else:
        for name in names:
            if not isinstance(found.command, click.Group):
                found.fail(f"There are no commands below `{found.command_path}`.")
            _, below, _ = found.command.resolve_command(found, [name])
            assert below is not None
            found = click.Context(below, info_name=name, parent=found)
        click.echo(found.get_help())


def options_help(root: click.Context) -> str:
    """Return the help of the options that commands share, in groups."""
    return full_help(click.Context(_options, info_name="COMMAND", parent=root))
