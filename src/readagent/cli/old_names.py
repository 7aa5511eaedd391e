"""Commands of the release before, under their new names. This module goes with the next release."""

from __future__ import annotations

from shlex import join

from readagent.cli.screen import echo

_NEW = {"read": "add", "remove": "remove"}  # of the commands of `corpus`; the others have kept their names
_USUAL = "corpus"  # the name of a corpus that was given no other


def with_new_names(args: list[str]) -> list[str]:
    """Return `shelf add NAME …` for `corpus read … --corpus NAME`, and so on, and say so; others as they are."""
    if args[:1] != ["corpus"]:
        return args
    command, *rest = args[1:] or ["--help"]
    if command.startswith("-"):
        return ["shelf", command, *rest]
    name, others = _USUAL, list[str]()
    given = iter(rest)
    for one in given:
        if one == "--corpus":
            name = next(given, "")
        elif one.startswith("--corpus="):
            name = one.partition("=")[2]
        else:
            others.append(one)
    like_before = {"read": ["--workers", "1"], "remove": ["--list"]}  # a list also for one file; the shelf stays
    all_of_them = command == "status" and name == _USUAL
    new = ["shelf", _NEW.get(command, command), *([] if all_of_them else [name]), *like_before.get(command, [])]
    echo(f"note: `corpus {command}` is now: readagent {join(new)}{' …' if others else ''}", err=True)
    return [*new, *others]
