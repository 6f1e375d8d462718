"""How a database of any earlier revision becomes one of today; `alembic` runs what is here."""
