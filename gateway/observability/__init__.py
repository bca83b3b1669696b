"""Logs without secrets, and figures."""
