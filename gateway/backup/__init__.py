"""A profile copied into one file, proven, and put back."""
