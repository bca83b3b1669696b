"""Stored parts into chats, each once: order, pace, tries, the live preview."""
