"""What stands beside the providers: wire formats that several share, and longer parts of one.

A provider's own file says what is its own; the registry takes every file there for a provider.
"""
