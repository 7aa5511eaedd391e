"""Domains: what gists of a kind of text must keep, as named text files that travel with a reading."""

from readagent.domains.domain import domain, domain_of, domains

__all__ = ["domain", "domain_of", "domains"]
