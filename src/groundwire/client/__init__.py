"""The only module that opens connections: timeouts, retries, address checks and redaction."""

from groundwire.client.adapters import ConnectionTestResult, ModelApiAdapter
from groundwire.client.client import Client
from groundwire.client.providers import HttpReadProvider, HttpSearchProvider
from groundwire.client.streams import EventStream

__all__ = [
    "Client",
    "ConnectionTestResult",
    "EventStream",
    "HttpReadProvider",
    "HttpSearchProvider",
    "ModelApiAdapter",
]
