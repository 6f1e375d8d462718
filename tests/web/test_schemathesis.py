"""Whatever the OpenAPI document allows, and what it does not: never a 500, never undocumented."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import checks
from schemathesis.specs.openapi import checks as openapi_checks

from groundwire import Settings
from groundwire.sandbox import SandboxServer
from groundwire.service.program import Groundwire
from groundwire.web import create_app
from tests.fuzz_budget import IS_RAISED, budget
from tests.web.server import Web

document = create_app(Groundwire(settings=Settings(), keep=False)).openapi()
schema = schemathesis.openapi.from_dict(document)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with (
        SandboxServer() as sandbox,
        Web(sandbox, tmp_path_factory.mktemp("schemathesis")) as web,
    ):
        yield web


@schema.parametrize()
@settings(
    max_examples=budget(5),
    deadline=None,
    derandomize=not IS_RAISED,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_request_finds_a_fault_of_the_server(case: schemathesis.Case[Any], server: Web) -> None:
    case.call_and_validate(
        base_url=server.url,
        checks=[
            checks.not_a_server_error,
            openapi_checks.status_code_conformance,
            openapi_checks.content_type_conformance,
            openapi_checks.response_schema_conformance,
        ],
    )
