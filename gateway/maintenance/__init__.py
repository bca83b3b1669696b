"""The night's work of the house: what is done, foretold and reported. When is for `gateway.schedule`."""
