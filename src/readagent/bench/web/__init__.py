"""Web navigation measured: data sets, methods, and tasks in a real browser."""
