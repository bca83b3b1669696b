"""What was learnt, over time: dated by the journals, never by the clock of the file system."""
