"""Reads pages: bytes, a content type and a URL in, clean Markdown out."""
