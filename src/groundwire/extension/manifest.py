"""Reads an extension's `manifest.yaml`: what it is, where its class is and how it is configured."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundwire.errors import ConfigError

MANIFEST = Path(__file__).with_name("manifest.yaml")
"""The manifest that comes with the package."""


class Manifest(BaseModel):
    """A manifest. What other hosts write into theirs and we do not know is left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    id: str = Field(min_length=1)
    name: str
    version: str
    entrypoint: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
    description: str = ""
    enabled: bool = True
    config: dict[str, Any] = {}


def load_manifest(path: Path = MANIFEST) -> Manifest:
    """Return a manifest.

    Raises:
        ConfigError: The file cannot be read, is no YAML or is no manifest; it says where and why.
    """
    try:
        return Manifest.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        reason = f"cannot be read: {(error.strerror or str(error)).lower()}"
    except UnicodeDecodeError:
        reason = "is not UTF-8 text"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (at line {mark.line + 1})" if mark else ""
        reason = f"is not valid YAML{place}: {getattr(error, 'problem', None) or 'broken'}"
    except ValidationError as error:
        [first, *_] = error.errors(include_url=False, include_input=False, include_context=False)
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        reason = f"is no manifest: {place}: {first['msg']}"
    raise ConfigError(f"{path} {reason}")


def entry_class(manifest: Manifest, package: str = __package__ or "") -> type[object]:
    """Return the class that a manifest's entrypoint names, looked for in the extension's package.

    Raises:
        ConfigError: There is no such class.
    """
    module, _, name = manifest.entrypoint.partition(":")
    try:
        found = getattr(import_module(f"{package}.{module}"), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"the entrypoint {manifest.entrypoint!r} is not there: {error}"
        ) from error
    if not isinstance(found, type):
        raise ConfigError(f"the entrypoint {manifest.entrypoint!r} is no class")
    return found
