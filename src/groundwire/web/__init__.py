"""The web app: a server with an HTTP API, and the page that uses it.

create_app   the app, for any ASGI server
serve        the same on uvicorn, as `groundwire serve` runs it
"""

from groundwire.errors import ConfigError
from groundwire.system.extras import install_command

try:
    from groundwire.web.app import create_app
    from groundwire.web.options import Options
    from groundwire.web.server import Serving, serve
except ImportError as error:
    raise ConfigError(
        f"the web app needs the extra 'web': run `{install_command('web')}`"
    ) from error

__all__ = ["Options", "Serving", "create_app", "serve"]
