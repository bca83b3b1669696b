"""What was learnt, drawn: lines for a terminal, frames that play, a PNG for chats. Reads timelines, owns looks."""
