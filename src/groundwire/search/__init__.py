"""Searching and reading with several services, one after the other until one can.

`SearchContext` is made once for a program: the client, the cache, rate limits and circuit
breakers. `SearchChain` and `ReadChain` are cheap and made for each call or caller.
"""

from groundwire.search.read_chain import ReadChain
from groundwire.search.search_chain import SearchChain
from groundwire.search.search_context import Extract, SearchContext

__all__ = ["Extract", "ReadChain", "SearchChain", "SearchContext"]
