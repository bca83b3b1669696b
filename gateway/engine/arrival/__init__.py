"""What arrives: who may speak, which session hears it, what kind of message it is, and what a dead process left
unanswered.
"""
