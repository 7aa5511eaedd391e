"""The benchmark: data sets, methods, measures, and runs that can be repeated."""
