"""Models behind OpenAI-compatible servers, and the wrappers around a model: cache, limits, retries, budget.

``retry`` repeats requests that failed. Replies that are not usable are the business of ``readagent.core.session``.
"""
