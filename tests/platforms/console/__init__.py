"""The terminal as a platform: socket, windows, and what a person sees."""
