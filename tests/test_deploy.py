"""The examples in deploy/: each is read by what would read it, and names only what there is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from click import Command

from groundwire.cli.serve import serve
from groundwire.config.settings import describe
from groundwire.web.metrics import Metrics

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin")
_METRIC = re.compile(r"\b(?:groundwire|process)_\w+")
_OURS = {"groundwire_store_connections", "groundwire_running_turns"}


def _known_metrics() -> set[str]:
    text = Metrics().text().decode()
    return set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))


def _family(name: str) -> str:
    return re.sub(r"_(bucket|count|sum)$", "", name)


@pytest.mark.parametrize("name", ["alerts.yml", "grafana.json"])
def test_alerts_and_dashboard_name_metrics_that_there_are(name: str) -> None:
    text = (DEPLOY / name).read_text()
    expressions = re.findall(r'"expr": "(.*)"', text) if name.endswith("json") else [text]
    named = {_family(each) for line in expressions for each in _METRIC.findall(line)}

    assert named & _OURS
    assert named - _known_metrics() == set()


def test_the_dashboard_is_json_with_panels_that_do_not_overlap() -> None:
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())

    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in dashboard["panels"]]
    assert len(places) == len(set(places)) == 15


@pytest.mark.parametrize("name", ["compose.yaml", "groundwire.service", "Dockerfile"])
def test_commands_and_variables_of_the_examples_exist(name: str) -> None:
    assert isinstance(serve, Command)
    options = {option for parameter in serve.params for option in parameter.opts}
    variables = {each.variable for each in describe()} | {"GROUNDWIRE_HOME"}
    text = (DEPLOY / name).read_text()

    commands = re.findall(r"serve\b[^\n]*(?:\n    --[^\n]*)*", text)
    used = {option for command in commands for option in re.findall(r"(--[a-z-]+)", command)}
    named = set(re.findall(r"GROUNDWIRE_[A-Z_]+(?=[:=][^-?])", text)) - {"GROUNDWIRE_HOST"}
    assert used
    assert used - options == set()
    assert named - variables == set()


def test_compose_and_prometheus_files_are_yaml_that_hangs_together() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]

    wanted = {name for service in services.values() for name in service.get("depends_on", ())}
    mounted = {
        volume.partition(":")[0]
        for service in services.values()
        for volume in service.get("volumes", ())
        if not volume.startswith(".")
    }
    assert wanted <= set(services)
    assert mounted == set(compose["volumes"])
    assert services["groundwire-1"]["read_only"] is True
    assert yaml.safe_load((DEPLOY / "prometheus.yml").read_text())["rule_files"] == ["alerts.yml"]


def test_the_image_installs_extras_that_there_are_and_runs_as_nobody_special() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    (extras,) = re.findall(r"'\.\[(.*)\]'", text)
    declared = re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)

    assert set(extras.split(",")) <= set(declared)
    assert re.search(r"^USER (?!root)", text, re.MULTILINE)
    copied = {
        word
        for line in re.findall(r"^COPY (?!--)(.*) \S+$", text, re.MULTILINE)
        for word in line.split()
    }
    assert [each for each in copied if not (ROOT / each).exists()] == []


@pytest.mark.skipif(NGINX is None, reason="needs nginx")
def test_nginx_takes_its_example(tmp_path: Path) -> None:
    assert NGINX is not None
    whole = tmp_path / "nginx.conf"
    whole.write_text(
        f"pid {tmp_path}/pid; error_log {tmp_path}/errors; events {{}}\n"
        f"http {{ access_log off; include {DEPLOY}/nginx.conf; }}\n"
    )

    done = subprocess.run(
        [NGINX, "-t", "-q", "-p", str(tmp_path), "-c", str(whole)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
