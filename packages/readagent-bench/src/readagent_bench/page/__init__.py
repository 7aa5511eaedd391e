"""Benchmark runs in the page of `readagent serve`: its operations, records and script."""
