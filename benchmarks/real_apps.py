"""Real applications in a real browser, with slow resources and a scripted model: does every flow end rightly?

The applications are started on loopback: this documentation as Sphinx builds it, Python's documentation, Django's
admin, Datasette, TodoMVC in five frameworks, and pages made with Shoelace's components, SortableJS and jKanban, ag-Grid
and Swagger UI. A proxy keeps every resource
back for 0 to 2 seconds, other times in every run. The model is a script that knows elements only by the names shown in
the prompts; it visits through ``browse``, with a window of 8,000 tokens. A run is *right* if no action failed, the last
page shows what it should, the data of the application are as they should be and the quotes of an answer are found. This
says whether pages are waited for, shown and acted on correctly; it says nothing about a real model.

Without ``--cache FOLDER``, for packages of npm and Debian, only what is installed is played: Django, Datasette and, if
it was built (``make docs``), the documentation. TodoMVC is the package ``todomvc-react`` for React, and for the other
frameworks the examples in ``todomvc``, of 2014 with the frameworks of that time. The pages that use libraries
were written for this.
"""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from importlib.metadata import version
from pathlib import Path
from statistics import mean

from common import ROOT, Rows, Value, manifest, parser, print_figures, table, write_results

from readagent.errors import UsageError
from readagent_browse.live.browser import find_browser, launch
from readagent_browse.templates import templates

sys.path.insert(0, str(ROOT))
from benchmarks.applications.flows import FLOWS, Flow
from benchmarks.applications.play import WINDOW, Run, play
from benchmarks.applications.sites import PACKAGES

SLOWEST = 2.0


def chosen(cache: Path | None, docs: Path, quick: bool) -> list[Flow]:
    """Return the flows whose applications are there."""
    flows = [flow for flow in FLOWS if cache is not None or not flow.fetches]
    if not (docs / "index.html").exists():
        flows = [flow for flow in flows if not flow.name.startswith("documentation")]
    return [flow for flow in flows if "SQL" in flow.name] if quick else flows


async def play_all(flows: list[Flow], runs: int, at_once: int, cache: Path, docs: Path, slowest: float) -> list[Run]:
    """Play every flow ``runs`` times, some at once."""
    places = asyncio.Semaphore(at_once)

    async def one(flow: Flow, seed: int) -> Run:
        async with places:
            run = await play(flow, seed, cache, docs, slowest)
            print(f"{run.flow} {seed}: {run.problem or 'right'}", file=sys.stderr)
            return run

    return await asyncio.gather(*(one(flow, seed) for seed in range(runs) for flow in flows))


def rows(runs: list[Run]) -> list[dict[str, Value]]:
    """Return a line for each flow."""
    found: list[dict[str, Value]] = []
    for flow in dict.fromkeys(run.flow for run in runs):
        some = [run for run in runs if run.flow == flow]
        found.append({
            "flow": flow, "runs": len(some), "right": sum(not run.problem for run in some),
            "steps": round(mean(run.steps for run in some), 1), "calls": round(mean(run.calls for run in some), 1),
            "seconds": round(mean(run.seconds for run in some), 1),
            "seconds, most": round(max(run.seconds for run in some), 1),
        })  # fmt: skip
    return found


async def browser_version() -> str:
    """Return the version of the browser."""
    async with launch() as browser:
        return f"Chromium {browser.version}"


async def measure(flows: list[Flow], options: Namespace, docs: Path) -> None:
    """Play, write the results of a full run, and print the figures."""
    runs, slowest = (1, 0.2) if options.quick else (options.runs, SLOWEST)
    played = await play_all(flows, runs, options.at_once, options.cache or Path(), docs, slowest)
    lines = rows(played)
    print(table(lines))
    if options.cache and not options.quick and not options.flow:
        about = (__doc__ or "").split("\n\n", 1)[1].strip().replace("``", "`")
        fetched = [{"package": package, "from": registry} for registry, package, _ in PACKAGES.values()]
        parts: dict[str, Rows | str] = {"What is measured": about, "Flows": lines, "Fetched packages": fetched}
        made = manifest(
            window=WINDOW, slowest_seconds=SLOWEST, at_once=options.at_once, web_prompts=templates().fingerprint,
            browser=await browser_version(), playwright=version("playwright"), django=version("django"),
            datasette=version("datasette"),
        )  # fmt: skip
        write_results("real_apps", "Real applications in a real browser", parts, made)
    print_figures({"flows": len(flows), "runs": len(played), "right": sum(not run.problem for run in played)})


def main() -> None:
    """Measure if there is a browser."""
    made = parser(__doc__)
    made.add_argument("--runs", type=int, default=20, help="how often each flow is played")
    made.add_argument("--at-once", type=int, default=4, help="how many flows are played at once")
    made.add_argument(
        "--flow", default="", help="play only the flows with this in their name, and write no result file"
    )
    options = made.parse_args()
    docs = ROOT / "build" / "docs" / version("readagent")
    try:
        find_browser()
    except UsageError as error:
        print(f"not measured: {error}; {error.hint}")
        print_figures({"flows": 0})
        return
    flows = [flow for flow in chosen(options.cache, docs, options.quick) if options.flow in flow.name]
    asyncio.run(measure(flows, options, docs))


if __name__ == "__main__":
    main()
