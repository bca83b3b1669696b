"""A chat network for tests that kill the gateway: a server in the test's process, a platform plugin in the gateway's.

They speak lines of JSON over a loopback socket. Events are delivered until they are acknowledged; whatever was sent
is on record with its nonce, so that after any end of the gateway the record says what a person would see.
"""
