"""Where sessions begin and end, and what stored ones say."""
