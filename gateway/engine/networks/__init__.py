"""Adapters kept running apart from each other, and the owner told when one does not."""
