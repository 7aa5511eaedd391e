"""A group of commands that answers a mistyped name with the nearest one."""

from __future__ import annotations

import click


class NearestGroup(click.Group):
    """A group whose error for a name that it does not have says which command may be meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names; fail with the nearest name if there is none."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], names, 1)
            ctx.fail(f"No such command {args[0]!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)
