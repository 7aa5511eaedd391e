"""`readagent trust`: let the settings file of a folder name a model, a server and files."""

from __future__ import annotations

from pathlib import Path

import click

from readagent.cli.options import JSON
from readagent.cli.output import print_json
from readagent.cli.screen import echo
from readagent.errors import UsageError
from readagent.settings import load_settings
from readagent.trust import PROJECT_FILE, distrust, named_files, trust, trusted


@click.command(
    epilog="""\b
Examples:
  readagent trust
  readagent trust ~/projects/contracts
  readagent trust --remove
  readagent trust --list

Without trust, readagent.toml sets harmless things only, such as the preset and the number of
concurrent calls. If the file changes, or a file with prompts that it names, it has to be
trusted again.
"""
)
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--remove", is_flag=True, help="Do not trust the folder any more.")
@click.option("--list", "as_list", is_flag=True, help="List the trusted files.")
@JSON
def command(folder: Path, remove: bool, as_list: bool, as_json: bool) -> int:
    """Trust the settings file (readagent.toml) of a FOLDER, by default the working folder.

    A trusted file may name the model and the server that get your texts, and files with prompts. It is printed, with
    the names of those files, so that you see what you trust.
    """
    home = load_settings().home
    file = folder.expanduser() / PROJECT_FILE
    if as_list:
        return _list(home, as_json)
    if remove:
        if not distrust(file, home):
            raise UsageError(f"{file} was not trusted")
        echo(f"{file} is no longer trusted", err=True)
        return 0
    trust(file, home)
    echo(file.read_text("utf-8", "replace").rstrip())
    for named in named_files(file):
        echo(f"with {named}", err=True)
    echo(f"{file} is trusted as it is now", err=True)
    return 0


def _list(home: Path, as_json: bool) -> int:
    records = [{"file": str(file), "unchanged": unchanged} for file, unchanged in trusted(home)]
    if as_json:
        print_json(records)
        return 0
    for record in records:
        echo(f"{record['file']}{'' if record['unchanged'] else '  (changed since: not trusted)'}")
    return 0
