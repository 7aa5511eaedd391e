"""`readagent completion`: the script that lets a shell complete commands, options, documents and shelves."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from readagent.cli.screen import echo


@click.command(
    epilog="""\b
Examples:
  readagent completion bash >> ~/.bashrc
  readagent completion zsh >> ~/.zshrc
  readagent completion fish > ~/.config/fish/completions/readagent.fish
"""
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a script for SHELL. It completes commands, options, files, titles of documents and names of shelves."""
    made = get_completion_class(shell)
    assert made is not None
    echo(made(click.get_current_context().find_root().command, {}, "readagent", "_READAGENT_COMPLETE").source())
