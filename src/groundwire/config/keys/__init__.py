"""Where a provider's key comes from, and where it is kept.

    1  environment   the service's own variable, or VARIABLE_FILE that names a file
    2  dotenv        `.env` in the current directory; never put into the environment
    3  keyring       what the operating system keeps secrets in, if it really keeps them
    4  file          `keys.json` in our own directory, for its owner alone

The first that has a key wins. Keys are saved in the keyring, else in the file. No message,
repr or log line of this package holds a key, and an error that it raises carries no other
library's error along, which might.
"""

from groundwire.config.keys.store import FoundKey, Keys, KeySource

SSO_SECRET = "OIDC_CLIENT_SECRET"  # noqa: S105 - the name of its variable
"""The variable of what single sign-on shows the provider; no provider of answers has it."""

__all__ = ["SSO_SECRET", "FoundKey", "KeySource", "Keys"]
