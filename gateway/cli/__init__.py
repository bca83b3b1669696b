"""The shell: the command `innkeeper`."""
