"""Searching and reading with several services: chains, filters, cache and politeness as one.

means = Means(settings, client, find=partial(endpoint, settings=settings, keys=keys))
reply = await SearchChain(means).find(SearchQuery(text="otters"))
page = await ReadChain(means, extract=extract).read("https://example.org/")
"""

from groundwire.searching.means import Extract, Means
from groundwire.searching.read_chain import ReadChain
from groundwire.searching.search_chain import SearchChain

__all__ = ["Extract", "Means", "ReadChain", "SearchChain"]
