"""What goes over the wire: HTTP values, event streams, faults, and a folder for each family."""
