"""One turn's conversation with a model."""
