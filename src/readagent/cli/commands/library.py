"""`readagent library`: what the library holds, whether it is intact, backups, copies, repair and compaction."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from readagent.cli.documents import library_of, no_library
from readagent.cli.groups import NearestGroup
from readagent.cli.options import JSON, settings_of
from readagent.cli.output import counted, print_json
from readagent.cli.progress import Progress
from readagent.cli.screen import echo
from readagent.cli.table import print_table
from readagent.errors import UsageError
from readagent.library import Library
from readagent.library.errors import REPAIR
from readagent.library.postgres_url import url_or_path
from readagent.loaders.sandbox.confinement import missing

_KINDS = ("documents", "readings", "pages", "index", "replies", "answers", "vectors", "shelves", "trash")


@click.group(
    cls=NearestGroup,
    name="library",
    epilog="\b\nExamples:\n  readagent library info\n  readagent library check\n"
    "  readagent library backup ~/backups/library.db\n  readagent library copy FOLDER postgresql://ada@db/readagent",
)
def command() -> None:
    """Look after the library: sizes, checks, backups, copies, repair."""


@command.command(epilog="\b\nExamples:\n  readagent library info\n  readagent library info --json")
@JSON
def info(as_json: bool) -> None:
    """Show what the library holds, how much space it takes, and what the system lacks to confine parsers."""
    with _library() as library:
        found = library.info()
    if as_json:
        print_json(asdict(found))
        return
    echo(f"{found.path}: {_size(found.size)}, format {found.version}")
    number = {kind: f"{found.counts[kind]:,}" if kind in found.counts else "" for kind in _KINDS}
    size = {kind: _size(found.bytes[kind]) if kind in found.bytes else "" for kind in _KINDS}
    print_table(("kind", "number", "size"), [(kind, number[kind], size[kind]) for kind in _KINDS], wide="kind")
    if found.unused:
        echo(f"unused: {_size(found.unused)}; free it with: readagent library compact")
    if lacking := missing():
        echo(f"on this system, a file that takes over its parser could {lacking}")


@command.command(epilog="\b\nExamples:\n  readagent library check\n  readagent library check --json")
@JSON
def check(as_json: bool) -> int:
    """Check that the library is intact: the file, and everything in it. The exit code is 1 if it is not."""
    with _library() as library:
        problems = library.check()
    if as_json:
        print_json({"path": library.location, "intact": not problems, "problems": problems})
    elif not problems:
        echo(f"{library.location} is intact")
    else:
        for problem in problems:
            echo(problem)
        echo(f"found {counted(len(problems), 'problem')}", err=True)
        echo(f"hint: {REPAIR}", err=True)
    return 1 if problems else 0


@command.command(
    epilog="""\b
Examples:
  readagent library backup library-backup.db
  readagent library backup /mnt/backups/library.db --force

To use a backup, copy it to READAGENT_HOME as library.db.
"""
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@JSON
def backup(file: Path, force: bool, as_json: bool) -> None:
    """Copy the library to FILE. Other commands may go on reading and writing; the copy is consistent."""
    with _library() as library:
        target = file / "library.db" if file.is_dir() else file
        size = library.backup(target, force=force)
    if as_json:
        print_json({"file": str(target), "size": size})
    else:
        echo(f"wrote {target}: {_size(size)}")


@command.command(
    epilog="""\b
Examples:
  readagent library copy ~/.readagent postgresql://ada@example.org/papers
  readagent library copy postgresql://ada@example.org/papers backup.db
  readagent library copy my.db 'postgresql://example.org/all?tenant=legal'
"""
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@JSON
def copy(source: str, target: str, as_json: bool) -> None:
    """Copy a library to another place.

    FROM and TO are a folder, a file that ends in .db, or a PostgreSQL URL. TO must be empty. If a copy was interrupted,
    run the same command again: it continues. At the end the rows of both are counted and compared by hashes. FROM stays
    as it is; do not use TO before the copy is complete.
    """
    with _at(source) as origin, _at(target) as copied:
        if not origin.exists():
            raise UsageError(f"there is no library at {origin.location}", hint="give its folder, file or URL")
        with Progress(doing=f"copying {origin.location}") as progress:
            done = origin.copy_to(copied, on_progress=progress)
    if as_json:
        print_json({"from": origin.location, "to": copied.location, **asdict(done)})
        return
    echo(f"copied {origin.location} to {copied.location}: {counted(done.copied, 'row')}")
    echo(f"both have {counted(sum(done.rows.values()), 'row')} with the hash {done.digest[:16]}")


def _at(place: str) -> Library:
    library = Library(url_or_path(place))
    library.on_wait = lambda message: echo(message, err=True)
    return library


@command.command(epilog="\b\nExamples:\n  readagent library repair\n  readagent library repair --json")
@JSON
def repair(as_json: bool) -> int:
    """Save what a damaged library still holds into a new one, and mend rows that do not fit to each other.

    The damaged file is kept next to it; a library on PostgreSQL is mended where it is. Run it when nothing else uses
    the library. What was lost is read again when you need it; replies that were saved are not paid for again.
    """
    with _library() as library:
        if not library.check():
            if as_json:
                print_json({"repaired": False})
            else:
                echo(f"{library.location} is intact; nothing was changed")
            return 0
        done = library.repair()
        left = [] if done.damaged_file else library.check()
    if as_json:
        print_json({"repaired": not left, **asdict(done), "problems": left})
        return 1 if left else 0
    for name, number in done.mended.items():
        echo(f"mended {name}: {number:,}")
    for problem in left:
        echo(f"{problem}; restore a backup of the database", err=True)
    if not done.damaged_file:
        return 1 if left else 0
    echo(f"saved {', '.join(f'{number:,} {kind}' for kind, number in done.saved.items())}")
    if done.left_out:
        echo(f"left out what was damaged, at least {counted(done.left_out, 'row')}", err=True)
        echo("read what is missing again: the replies that were saved are not paid for again", err=True)
    echo(f"the damaged file is now {done.damaged_file}", err=True)
    return 0


@command.command(epilog="\b\nExamples:\n  readagent library compact\n  readagent library compact --json")
@JSON
def compact(as_json: bool) -> None:
    """Free the space of what was deleted, also from the trash. Run it when nothing else uses the library."""
    with _library() as library:
        freed = library.compact()
        size = library.size()
    if as_json:
        print_json({"freed": freed, "size": size})
    else:
        echo(f"freed {_size(max(freed, 0))}; the library has {_size(size)} now")


def _library() -> Library:
    """Return the library; raise an error if there is none, instead of creating one."""
    library = library_of(settings_of({}))
    if not library.exists():
        raise no_library(library)
    return library


def _size(size: int) -> str:
    """Return a number of bytes for people."""
    amount, unit = float(size), "bytes"
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{amount:,.0f} {unit}" if unit == "bytes" or amount >= 100 else f"{amount:,.1f} {unit}"
