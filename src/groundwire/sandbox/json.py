"""JSON as services speak it. An alias of its own: the sandbox imports nothing of ours."""

from typing import Any, TypeAlias

Json: TypeAlias = Any
