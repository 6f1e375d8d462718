"""This machine: our own files, the processes we start, and what is open until it is closed."""
