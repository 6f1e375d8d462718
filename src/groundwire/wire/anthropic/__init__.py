"""The Messages API, as requests and replies."""
