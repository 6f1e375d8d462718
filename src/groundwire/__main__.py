"""`python -m groundwire` is the same as `groundwire`."""

from groundwire.cli import main

main()
