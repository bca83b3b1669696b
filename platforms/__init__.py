"""Chat networks: one folder each, a shared vocabulary, and no knowledge of what the messages are for."""
