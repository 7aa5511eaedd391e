"""`readagent bench web`: measure web navigation on recorded pages and in a real browser."""

from __future__ import annotations

import click

from readagent.cli.groups import NearestGroup
from readagent_bench.cli.web_mind2web import mind2web
from readagent_bench.cli.web_miniwob import miniwob


@click.group(cls=NearestGroup)
def web() -> None:
    """Measure web navigation on recorded pages or in a browser."""


for one in (mind2web, miniwob):
    web.add_command(one)
