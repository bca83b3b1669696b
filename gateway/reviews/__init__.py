"""Looking back at conversations for what is worth keeping, when the house is quiet."""
