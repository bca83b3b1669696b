"""Jobs as turns: where a run is held, what it is asked, and how the owner is told of its end."""
