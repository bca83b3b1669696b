"""The terminal as a platform: a loopback socket that serves chat windows, and the window itself."""
