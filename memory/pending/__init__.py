"""Writes that wait for a person's yes: one readable file each, decided once, by whoever comes first."""
