"""The web app: a server with an HTTP API, and the page that uses it.

create_app   the app, for any ASGI server
serve        the same on uvicorn, as `groundwire serve` runs it
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from groundwire.errors import ConfigError
from groundwire.system.extras import install_command

if TYPE_CHECKING:
    from groundwire.web.app import create_app
    from groundwire.web.options import Options
    from groundwire.web.server import Serving, serve

if find_spec("fastapi") is None:
    raise ConfigError(f"the web app needs the extra 'web': run `{install_command('web')}`")

# Imported when first used: the process that typesets is of this package and needs no server.
_HOMES = {"Options": "options", "Serving": "server", "create_app": "app", "serve": "server"}

__all__ = ["Options", "Serving", "create_app", "serve"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
