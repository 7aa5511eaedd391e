"""Overviews of a whole text from its memory: summaries, outlines, and lists of people, events and terms.

A model goes through the gists in windows that fit (``condense``, ``collect``), and every statement keeps the pages that
it is from, so that it can be checked (``ground``).
"""
