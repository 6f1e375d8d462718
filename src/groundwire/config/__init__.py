"""Settings, keys, and what OpenCode has configured."""
