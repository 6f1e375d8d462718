"""Alembic's entry point: it runs the revisions on the connection that `migrating` hands it."""

from alembic import context

from groundwire.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
)
context.run_migrations()
