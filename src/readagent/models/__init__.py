"""Models behind OpenAI-compatible servers, and the wrappers around a model: cache, limits, retries, budget."""
