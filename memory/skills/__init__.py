"""Skills: procedures in folders, found, read, changed as one unit, counted, and put away but never lost."""
