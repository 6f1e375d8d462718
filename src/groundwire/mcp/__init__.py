"""The MCP server and the sessions of its clients."""
