"""The benchmark: data sets, methods and measures, and runs that can be repeated."""
