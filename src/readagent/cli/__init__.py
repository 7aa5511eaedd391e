"""The command line. Commands are imported when they are called, so that `--help` answers at once."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module

import click

from readagent.errors import ReadAgentError

_COMMANDS = {
    "read": "Read documents and keep their gists.",
    "append": "Add to a document that was read; only what is new is read.",
    "ask": "Ask a question about a document; it is read first if need be.",
    "chat": "Ask several questions; earlier ones are remembered.",
    "show": "Show the gists of a document, or gist and page side by side.",
    "improve": "Have the gists of pages made anew.",
    "shelf": "Put documents on shelves, and ask all of them at once.",
    "list": "List what has been read.",
    "find": "Find words in all pages that were read.",
    "export": "Write out a document's memory as JSON or Markdown.",
    "remove": "Take a document out of the library.",
    "estimate": "Tell what a reading would take, before anything is sent.",
    "domain": "List and show what gists of a kind of text must keep.",
    "browse": "Carry out an instruction on a web site, in a real browser.",
    "model": "List, fetch, check and remove models.",
    "bench": "Compare ways of reading, and rerun the paper's tables.",
}

_EPILOG = """\b
Examples:
  readagent read novel.txt --model ollama/qwen3:8b
  readagent ask novel.txt "Why does she leave?"
  readagent estimate novel.txt --model openai/gpt-4.1-mini

The model, its server and other settings may stand in readagent.toml, in READAGENT_MODEL and
the like, or on the command line. Documents and answers are kept in READAGENT_HOME.
"""


class Commands(click.Group):
    """The commands by name; each lives in a module of that name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_COMMANDS]  # `list` is the module of that command here

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"readagent.cli.commands.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*_COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A mistyped command is answered with the nearest one."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], _COMMANDS, 1)
            ctx.fail(f"No such command {args[0]!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"readagent {version('readagent')}")
        ctx.exit()


@click.command(cls=Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Tell the version.")
def app() -> None:
    """Read texts far longer than a language model can take in, and ask about them."""


def main() -> None:
    """Run a command; whatever happens, a person gets one clear line and the right exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """The exit code: 0 done, 1 an error, 2 wrong usage, 130 interrupted."""
    try:
        code = app.main(arguments, prog_name="readagent", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _say("stopped; what was done is kept, run the same command again to go on")
        return 130
    except ReadAgentError as error:
        _say(f"error: {error}", error.hint and f"hint: {error.hint}")
        return 1
    except BrokenPipeError:
        _give_up_output()
        return 1
    except OSError as error:
        _give_up_output()
        _say(f"error: {error.filename or 'the output'} cannot be written: {(error.strerror or str(error)).lower()}")
        return 1
    except Exception as error:
        if os.environ.get("READAGENT_DEBUG"):
            raise
        _say(
            f"error: something unforeseen happened: {type(error).__name__}: {error}",
            "hint: run again with READAGENT_DEBUG=1 and report what it prints; nothing that was read is lost",
        )
        return 1
    return code if isinstance(code, int) else 0


def _say(*lines: str) -> None:
    """Each of these on a line of its own on standard error, if there is one that takes it."""
    with suppress(OSError):
        for line in filter(None, lines):
            click.echo(" ".join(line.split()), err=True)


def _give_up_output() -> None:
    """Standard output takes nothing more: what is left for it goes nowhere, silently."""
    with suppress(OSError, ValueError, AttributeError):  # there may be no file behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
