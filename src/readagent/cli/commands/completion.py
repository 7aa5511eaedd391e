"""`readagent completion`: the script that lets a shell complete commands, options, documents and shelves."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, get_completion_class

from readagent.cli.screen import echo

_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' type value
    COMPREPLY=()
    while IFS=',' read -r type value; do
        case $type in
            plain)
                COMPREPLY+=("$value")
                [[ $value == *[^[:alnum:]_.,:/=@%%+-]* ]] && compopt -o filenames  # so that bash quotes it
                ;;
            file) compopt -o filenames -o default; COMPREPLY+=($(compgen -f -- "$2")) ;;
            dir) compopt -o filenames -o dirnames; COMPREPLY+=($(compgen -d -- "$2")) ;;
        esac
    done < <(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD %(complete_var)s=bash_complete $1)
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""
_FISH = """\
function %(complete_func)s
    set -l response (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) COMP_CWORD=(commandline -t) \
%(prog_name)s)
    for completion in $response
        set -l item (string split -m 1 "," $completion)
        switch $item[1]
            case plain
                echo $item[2]
            case file
                __fish_complete_path $item[2]
            case dir
                __fish_complete_directories $item[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _Bash(BashComplete):
    """The script for bash, in which titles are offered next to files, and keep their spaces."""

    source_template = _BASH


class _Fish(FishComplete):
    """The script for fish, in which titles keep their commas."""

    source_template = _FISH


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
    made = {"bash": _Bash, "fish": _Fish}.get(shell) or get_completion_class(shell)
    assert made is not None
    echo(made(click.get_current_context().find_root().command, {}, "readagent", "_READAGENT_COMPLETE").source())
