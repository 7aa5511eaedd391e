"""What the commands share that listen for other programs."""

from __future__ import annotations

from readagent.errors import UsageError

_LEAST = 16  # characters of a token for other machines


def check_token(host: str, token: str, own: bool, variable: str) -> None:
    """Refuse to serve other machines without a token that cannot be guessed."""
    if own:
        return
    if not token:
        raise UsageError(
            f"{host} lets other machines in, so a token of your own is needed", hint=f"set {variable}, or use --token"
        )
    if len(token) < _LEAST:
        raise UsageError(f"the token must have at least {_LEAST} characters", hint="take random ones")
