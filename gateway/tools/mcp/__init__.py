"""Tools of MCP servers: reached, offered as the house's own, and called. Who says yes to a call is the engine's."""
