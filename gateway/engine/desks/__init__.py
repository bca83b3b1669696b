"""What commands and pages may ask of the house, one desk a topic."""
