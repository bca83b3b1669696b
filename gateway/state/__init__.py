"""What must survive a crash: SQLite on disk, behind repositories that speak the engine's words."""
