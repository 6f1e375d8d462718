"""The web app: a server with an HTTP API, and the page that uses it.

create_app   the app, for any ASGI server
serve        the same on uvicorn, as `groundwire serve` runs it
"""

from groundwire.errors import ConfigError

try:
    from groundwire.web.app import create_app
    from groundwire.web.options import Options
    from groundwire.web.server import Serving, serve
except ImportError as error:
    raise ConfigError(
        "the web app needs the extra 'web': run `pip install 'groundwire[web]'`"
    ) from error

__all__ = ["Options", "Serving", "create_app", "serve"]
