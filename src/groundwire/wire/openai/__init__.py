"""Chat Completions and Responses, as requests and replies."""
