"""Placeholder of the lead, until it is here."""


def claims_saving(reply: str) -> bool:
    return "saved" in reply.lower()
