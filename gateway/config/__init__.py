"""Settings, the home folder, profiles, and who owns them."""
