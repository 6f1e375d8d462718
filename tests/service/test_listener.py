"""Where a server of ours listens."""

from __future__ import annotations

from contextlib import closing

import pytest

from groundwire.errors import ConfigError
from groundwire.service.listener import listening


def test_an_address_that_is_taken_is_named_with_what_to_do() -> None:
    with closing(listening("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]

        with pytest.raises(
            ConfigError, match=rf"^127\.0\.0\.1:{port}: address .* in use; .* --port$"
        ):
            listening("127.0.0.1", port)
