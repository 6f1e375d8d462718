"""Reads documents: bytes, a content type and a URL in, clean Markdown out."""

from groundwire.reading.documents import read_document
from groundwire.reading.extracted import NEEDS_BROWSER, Extracted
from groundwire.reading.html import extract
from groundwire.reading.reader import Limits, Reader

__all__ = ["NEEDS_BROWSER", "Extracted", "Limits", "Reader", "extract", "read_document"]
