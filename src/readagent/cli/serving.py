"""What the commands share that listen for other programs."""

from __future__ import annotations

import re
from ipaddress import ip_address

from readagent.errors import UsageError

_ADDRESS = re.compile(r"\d+(\.\d+){3}|.*:.*", re.DOTALL)
_LEAST = 16  # characters of a token for other machines


def check_token(host: str, token: str, own: bool, variable: str) -> None:
    """Refuse to serve other machines without a token that cannot be guessed, or on what is no address."""
    if own:
        return
    if _ADDRESS.fullmatch(host):
        try:
            ip_address(host)
        except ValueError:
            hint = "use an address of this machine: 127.0.0.1 for itself, 0.0.0.0 for others too"
            raise UsageError(f"{host} is not an IP address", hint=hint) from None
    if not token:
        raise UsageError(
            f"{host} lets other machines in, so a token of your own is needed", hint=f"set {variable}, or use --token"
        )
    if len(token) < _LEAST:
        raise UsageError(f"the token must have at least {_LEAST} characters", hint="take random ones")
