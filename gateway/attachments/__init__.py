"""What people send beside their words: fetched, kept, looked at, and told to the model."""
