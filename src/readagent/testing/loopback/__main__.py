"""Run a LoopbackServer as a program: print its base URL, and serve until killed."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import suppress

from readagent.testing.faults import Faults
from readagent.testing.loopback.server import LoopbackServer
from readagent.testing.skim import DEFAULT_HABITS, Habits, skim


def main(arguments: list[str] | None = None) -> None:
    """Serve until killed; the first line on stdout is the base URL."""
    parser = argparse.ArgumentParser(prog="python -m readagent.testing.loopback", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--window", type=int)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--fault-rate", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--constrain", choices=["schema", "none", "ignore"], default="schema")
    parser.add_argument("--gist-share", type=float, default=DEFAULT_HABITS.gist_share)
    parser.add_argument("--pages-to-open", type=float, default=DEFAULT_HABITS.pages_to_open)
    parser.add_argument("--pause", type=float, default=DEFAULT_HABITS.pause)
    options = parser.parse_args(arguments)
    habits = Habits(options.gist_share, options.pages_to_open, options.pause)

    async def serve() -> None:
        server = LoopbackServer(
            lambda prompt, constraint: skim(prompt, constraint, habits),
            faults=Faults(options.fault_rate, options.seed),
            window=options.window,
            latency=options.latency,
            constrain=options.constrain,
            port=options.port,
            keep_requests=False,
        )
        async with server:
            print(server.base_url, flush=True)
            await asyncio.Event().wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(serve())


if __name__ == "__main__":
    main()
