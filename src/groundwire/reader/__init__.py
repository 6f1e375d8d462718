"""Reads documents: bytes, a content type and a URL in, clean Markdown out."""

from groundwire.reader.documents import read_document
from groundwire.reader.extracted import NEEDS_BROWSER, Extracted
from groundwire.reader.html import extract
from groundwire.reader.reader import Limits, Reader

__all__ = ["NEEDS_BROWSER", "Extracted", "Limits", "Reader", "extract", "read_document"]
