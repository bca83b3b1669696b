"""Outside memories, as the house sees them; they themselves live in gateway/providers and in plugins."""
