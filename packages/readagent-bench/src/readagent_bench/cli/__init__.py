"""`readagent bench`: compare methods on the data sets of the paper or on your own questions."""

from __future__ import annotations

import click

from readagent.cli.groups import NearestGroup
from readagent_bench.cli.estimate import estimate
from readagent_bench.cli.fetch import fetch
from readagent_bench.cli.find import find
from readagent_bench.cli.rate import rate
from readagent_bench.cli.report import report
from readagent_bench.cli.run import names, run

__all__ = ["command"]


@click.group(
    cls=NearestGroup,
    epilog="""\b
Examples:
  readagent bench list
  readagent bench estimate own --data examples --recipe case-study
  readagent bench run own --data examples --methods readagent-p:4,bm25:4
  readagent bench run quality --data ~/quality --recipe paper --runs 3
  readagent bench rate runs/qmsum --model openai/gpt-4.1
  readagent bench report runs/quality
  readagent bench find qmsum --data ~/qmsum
  readagent bench run mind2web --data ~/mind2web --split test_website
""",
)
def command() -> None:
    """Compare methods on data sets, with the figures of the paper next to yours."""


for one in (names, fetch, estimate, run, rate, report, find):
    command.add_command(one)
