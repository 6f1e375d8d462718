"""A context for an extension that has no host: our settings, our keys, and the manifest."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from groundwire.config.keys import Keys
from groundwire.config.settings import load
from groundwire.extension.manifest import load_manifest

if TYPE_CHECKING:
    from groundwire.config.settings import Settings
    from groundwire.extension.manifest import Manifest


class StandaloneContext:
    """Gives what the settings say, else what the manifest says; secrets come from our keys.

    Only settings that somebody made count: the file or a variable, not our defaults.
    """

    def __init__(
        self,
        *,
        manifest: Manifest | None = None,
        settings: Settings | None = None,
        keys: Keys | None = None,
    ) -> None:
        self.manifest = manifest or load_manifest()
        self._settings = settings or load()
        self._keys = keys or Keys()

    def get_config(self, key: str, default: Any = None) -> Any:  # noqa: ANN401 - what a file holds
        """Return a value of the config, the default if nobody says."""
        if key in self._settings.model_fields_set:
            return self._settings.model_dump(include={key}, exclude_unset=True)[key]
        return self.manifest.config.get(key, default)

    async def get_secret(self, name: str) -> str | None:
        """Return a key from the first place that has it.

        Raises:
            KeyStoreError: A place that should have it cannot be read.
        """
        # In a thread: a locked keyring asks its owner, and that must not stop everyone else.
        found = await asyncio.to_thread(self._keys.find, name)
        return found.key.reveal() if found else None
