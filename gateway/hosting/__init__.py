"""What a real host wants of the process: signs of life, a door for probes, a unit of its service manager."""
