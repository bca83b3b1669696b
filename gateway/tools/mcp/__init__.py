"""Tools of MCP servers: reached, offered as the house's own, and called. Who has to say yes is the engine's matter."""
