"""Benchmarks of web navigation: Mind2Web on recorded pages, and MiniWoB in a real browser."""
