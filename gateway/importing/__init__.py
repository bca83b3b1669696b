"""Taking over what people learnt and said with other programs."""
