"""When jobs run: five-field cron, phrases in English, clock changes. Keeping and running jobs is left to others."""
