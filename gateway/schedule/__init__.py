"""Jobs: when they run (cron, phrases in English, clock changes), and that each run is done once, and survived."""
