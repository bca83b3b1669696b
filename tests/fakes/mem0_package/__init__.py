"""Stands in for an installed distribution: its folder goes on the import path of the process that wants `mem0`."""
