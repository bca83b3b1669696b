"""One piece of work from the inbox to its stored answer: order within a session, tries, the steps of a turn and its
last word.
"""
