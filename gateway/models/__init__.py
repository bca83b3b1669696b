"""Model hosts: one protocol, one file a kind."""
