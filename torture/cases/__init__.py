"""The faults by group, one file each."""
