"""One process that answers many questions: line by line, and as an MCP server."""
