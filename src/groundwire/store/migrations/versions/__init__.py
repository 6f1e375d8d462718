"""The revisions, each a step from the one before; none is ever changed once released."""
