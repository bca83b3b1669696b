"""What has to wait for a yes: memory, skills and calls behind their gates, and the cards that ask."""
