"""What is tended beside the conversation: titles, old sessions, skills, tables compiled before they are needed."""
