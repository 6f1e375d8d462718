"""Searching and reading with several services, one after the other until one can.

`Means` is made once for a program: the client, the cache and what is known about how services
fare. `SearchChain` and `ReadChain` are cheap and made for each call or caller.
"""

from groundwire.searching.means import Extract, Means
from groundwire.searching.read_chain import ReadChain
from groundwire.searching.search_chain import SearchChain

__all__ = ["Extract", "Means", "ReadChain", "SearchChain"]
