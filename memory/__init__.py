"""What was learnt: small readable files, their limits, and the rules for changing them. No network, no event loop."""
