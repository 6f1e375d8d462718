"""`websearch` tools: a provider searches and answers, and we return its answer with sources.

tools       the tools, and who stands behind each
ask         how each of them is asked
found       what an answer came to, with its sources numbered
results     the one shape in which every tool tells it
"""

from groundwire.tools.websearch.ask import Ready
from groundwire.tools.websearch.tools import BACKENDS, websearch_tools

__all__ = ["BACKENDS", "Ready", "websearch_tools"]
