"""The command line. Commands are imported when they are called, so that `--help` is fast."""

from __future__ import annotations

import gc
import io
import os
import shlex
import sys
from contextlib import suppress
from importlib import import_module

import click

from readagent.cli.groups import NearestGroup, hint_of, layered, shows_all
from readagent.cli.progress import Progress
from readagent.cli.screen import echo, echo_line
from readagent.errors import LibraryError, ReadAgentError

_COMMANDS = {
    "read": "Read documents and keep their gists.",
    "append": "Add text to a document; only the new text is read.",
    "ask": "Ask a question about a document.",
    "chat": "Ask several questions in a conversation.",
    "summary": "Summarise a document, each statement with its place.",
    "outline": "List the parts of a document, and what is in each.",
    "extract": "List people, events, terms, or your own headings.",
    "compare": "Say what documents have in common, and where they differ.",
    "notes": "Fill in headings of your own from a document.",
    "show": "Show the gists of a document, or pages next to them.",
    "improve": "Rewrite the gists of some pages.",
    "shelf": "Group documents, few or many, and ask all at once.",
    "list": "List the documents in the library.",
    "find": "Search the text of all documents in the library.",
    "export": "Export pages, gists and answers.",
    "remove": "Remove a document from the library.",
    "trash": "See, restore or delete what was removed.",
    "serve": "Show the library as a page in the browser.",
    "mcp": "Let agents read and ask documents (MCP).",
    "proxy": "Give OpenAI clients a larger window.",
    "library": "Look after the library: sizes, checks, backups, copies, repair.",
    "estimate": "Estimate calls, tokens and cost; no text is sent.",
    "domain": "List and show instructions for kinds of text.",
    "browse": "Carry out an instruction on a web site in a browser.",
    "setup": "Choose a model, and keep its name and key.",
    "trust": "Let the settings file of a folder name a model and a server.",
    "model": "List, download, check and remove models.",
    "completion": "Print a script that lets your shell complete commands.",
    "bench": "Run the benchmarks of the paper.",
    "help": "Show the help of a command, or the options that commands share.",
}
_GROUPS = {  # the commands that `--help` lists, and those that only `help commands` adds; the rest are in no group
    "Read and ask": ("read ask chat shelf", "append improve"),
    "Overviews": ("summary outline extract compare", "notes"),
    "Library": ("list show find export", "remove trash library"),
    "Servers": ("serve mcp proxy", ""),
    "Set-up": ("setup model estimate", "domain trust completion help"),
}

INTERRUPTED = 130
_PACKAGES = {"bench": "", "browse": "browser"}  # commands in a package of their own, and the extra that it needs

_EPILOG = """\b
Examples:
  readagent read novel.txt --model ollama/qwen3:8b
  readagent ask novel.txt "Why does she leave?"
  readagent ask --help       how to use one command
  readagent help options     model, budget, settings
  readagent help commands    all commands
"""


class Commands(NearestGroup):
    """The commands by name, each in a module of that name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_COMMANDS]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names."""
        from readagent.cli.old_names import with_new_names

        return super().resolve_command(ctx, with_new_names(args))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        if name in _PACKAGES:
            return layered(_from_package(name))
        with Progress(doing="starting"):  # imports take seconds on a busy computer
            return layered(import_module(f"readagent.cli.commands.{name}").command)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """An option of a command that comes before it is answered with the right order; --library may be anywhere."""
        args = _library_first(args)
        name = next((one for one in args if one in _COMMANDS), "")
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            command = self.get_command(ctx, name)
            if command is not None and not any(error.option_name in one.opts for one in command.params):
                raise
            order = f"readagent {name or 'COMMAND'} … {error.option_name} …"
            ctx.fail(f"No such option {error.option_name!r} here. The options of a command come after it: {order}")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands only: the options are in `help commands`."""
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usual commands in groups, or all of them."""
        everything = shows_all(ctx)
        groups = {title: " ".join(names[: 1 + everything]).split() for title, names in _GROUPS.items()}
        if everything:
            grouped = {name for names in groups.values() for name in names}
            groups["More"] = [name for name in self.list_commands(ctx) if name not in grouped]
        formatter.write_paragraph()
        formatter.write_dl([
            (f"{'' if at else title:14}{name}", _COMMANDS[name])
            for title, names in groups.items() for at, name in enumerate(names)
        ])  # fmt: skip


def _from_package(name: str) -> click.Command:
    """Return a command that another package adds; without that package, one that says how to install it."""
    from importlib.metadata import entry_points

    for point in entry_points(group="readagent.commands", name=name):
        command: click.Command = point.load()
        return command

    from readagent.advice import missing_package

    error = missing_package(f"`readagent {name}`", f"readagent-{name}", _PACKAGES[name])

    def missing() -> None:
        raise error

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    said = f"{_COMMANDS[name]}\n\n\b\n{error}.\n{error.hint}"
    return click.Command(name, anything, missing, help=said, add_help_option=False)


def _library_first(args: list[str]) -> list[str]:
    """Return the arguments with --library, which every command accepts, before the command."""
    end = args.index("--") if "--" in args else len(args)
    for at, one in enumerate(args[:end]):
        if one == "--library" and at + 1 < end:
            return [*args[at : at + 2], *args[:at], *args[at + 2 :]]
        if one.startswith("--library="):
            return [one, *args[:at], *args[at + 1 :]]
    return args


def _about_library(hint: str, error: ReadAgentError, args: list[str]) -> str:
    """Return a hint whose commands name the library that the command line names, if the error is about a library."""
    first = _library_first(args)
    named = [] if not first or not first[0].startswith("--library") else first[: 1 if "=" in first[0] else 2]
    if not named or "://" in named[-1] or not isinstance(error, LibraryError):  # a URL may have a password
        return hint
    return hint.replace("readagent ", f"readagent {shlex.join(named)} ")


def _version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        echo(f"readagent {version('readagent')}")
        ctx.exit()


@click.command(
    cls=Commands,
    epilog=_EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version and exit."
)
@click.option(
    "--library",
    metavar="PLACE",
    help="The library: a folder, a .db file, or postgresql://user@host/name; after a command, too.",
)
@click.pass_context
def app(ctx: click.Context, library: str | None) -> None:
    """Read texts longer than a model's context window, and ask about them."""
    if os.environ.get("READAGENT_LOG"):
        from readagent.cli.log import log_from_environment

        log_from_environment(ctx)
    if ctx.invoked_subcommand is None:
        with Progress(doing="starting"):
            from readagent.cli.options import settings_of
            from readagent.cli.start import introduce
        introduce(settings_of({}))


layered(app)


def main() -> None:
    """Run a command. Every error ends in one clear line and the right exit code."""
    from readagent.cli.signals import as_interrupts

    gc.set_threshold(50_000)  # imports make many objects and leave none behind: looking through them takes 0.1 s
    with as_interrupts() as signals:
        code = run(sys.argv[1:])
    sys.exit(signals.code if code == INTERRUPTED else code)


def run(arguments: list[str]) -> int:
    """Return the exit code: 0 success, 1 error, 2 wrong usage, 130 interrupted."""
    try:
        code = app.main(arguments, prog_name="readagent", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt) as stopped:
        said = str(stopped) or str(stopped.__cause__ or "")  # click raises Abort from a KeyboardInterrupt
        _say(said or "stopped; nothing is lost: run the same command again to continue")
        return INTERRUPTED
    except ReadAgentError as error:
        said = error.hint.casefold()  # a note may repeat it, for tracebacks
        notes = [f"note: {note}" for note in getattr(error, "__notes__", ()) if note.casefold() != said]
        _say(
            f"error: {error}",
            *notes,
            f"hint: {_about_library(hint, error, arguments)}" if (hint := hint_of(error)) else "",
        )
        return 1
    except BrokenPipeError:
        _give_up_output()
        return 1
    except OSError as error:
        _give_up_output()
        _say(f"error: {error.filename or 'cannot write the output'}: {(error.strerror or str(error)).lower()}")
        return 1
    except Exception as error:
        if os.environ.get("READAGENT_DEBUG"):
            raise
        _say(
            f"error: unexpected error (a bug in readagent): {type(error).__name__}: {error}",
            "hint: nothing is lost; run again with READAGENT_DEBUG=1 and report the traceback",
        )
        return 1
    return code if isinstance(code, int) else 0


def _show(error: click.ClickException) -> None:
    """Print an error of click, with its usage line and a hint where it has them."""
    said = io.StringIO()
    error.show(said)
    echo(said.getvalue().rstrip("\n"), err=True)


def _say(*lines: str) -> None:
    """Print each line on standard error, if it can be written to."""
    with suppress(OSError):
        for line in filter(None, lines):
            echo_line(line, err=True)


def _give_up_output() -> None:
    """Discard what is left to print: standard output is closed."""
    with suppress(OSError, ValueError, AttributeError):  # it may not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
