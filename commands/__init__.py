"""What people can order, on every surface: one spec a command, one file a topic."""
