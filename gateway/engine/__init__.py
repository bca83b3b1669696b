"""From an inbound event to a delivered reply: order, crash safety, delivery."""
