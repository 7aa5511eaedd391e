"""Domains: named text files that say what gists of a kind of text must keep."""

from readagent.domains.domain import domain, domain_of, domains

__all__ = ["domain", "domain_of", "domains"]
