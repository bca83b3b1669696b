"""What is reached outside of this machine on the house's behalf: the hub of skills."""
