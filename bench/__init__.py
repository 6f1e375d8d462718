"""Measurements against the peers, as ratios of CPU time in one run."""
