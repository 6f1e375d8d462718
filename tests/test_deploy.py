"""The examples in deploy/: each is read by what would read it, and names only what there is."""

from __future__ import annotations

import json
import os
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
CADDY, PROMTOOL = shutil.which("caddy"), shutil.which("promtool")
SYSTEMD = shutil.which("systemd-analyze")
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


def _run(program: str | None, *arguments: str, **variables: str) -> str:
    """Run what would read an example; what it says if it does not take it."""
    assert program is not None
    done = subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.skipif(CADDY is None, reason="needs caddy")
def test_caddy_takes_its_example(tmp_path: Path) -> None:
    arguments = ("--config", str(DEPLOY / "Caddyfile"), "--adapter", "caddyfile")
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}

    assert not _run(CADDY, "validate", *arguments, GROUNDWIRE_HOST="chat.example", **home)


@pytest.mark.skipif(PROMTOOL is None, reason="needs promtool: apt install prometheus")
def test_prometheus_takes_its_example_and_the_alerts() -> None:
    assert not _run(PROMTOOL, "check", "rules", str(DEPLOY / "alerts.yml"))
    prometheus = str(DEPLOY / "prometheus.yml")
    assert not _run(PROMTOOL, "check", "config", "--syntax-only", prometheus)


ALARMING = {
    "GroundwireDown": {'up{job="groundwire"}': "0x30"},
    "GroundwireAnswersFail": {
        'groundwire_turns_total{provider="p",status="failed"}': "0+30x30",
        'groundwire_turns_total{provider="p",status="complete"}': "0+60x30",
    },
    # Neither is much alone: the page is refused with 503, programs at the gateway with 529.
    "GroundwireRefusesRequests": {
        'groundwire_requests_total{status="503"}': "0+5x30",
        'groundwire_requests_total{status="529"}': "0+5x30",
    },
    "GroundwireDatabaseIsWaitedFor": {
        'groundwire_store_connections{instance="a",state="waited_for"}': "3x30"
    },
    "GroundwireLoopIsLate": {"groundwire_loop_lag_seconds": "2x30"},
    "GroundwireSearchesFail": {
        'groundwire_searches_total{service="s",outcome="failed"}': "0+60x30",
        'groundwire_searches_total{service="s",outcome="done"}': "0+30x30",
    },
    "GroundwireRedisIsGone": {'groundwire_redis_lost{instance="a"}': "1x30"},
}
USUAL = {
    'up{job="groundwire"}': "1x30",
    'groundwire_turns_total{provider="p",status="failed"}': "0+3x30",
    'groundwire_turns_total{provider="p",status="complete"}': "0+60x30",
    'groundwire_requests_total{status="503"}': "0+0x30",
    'groundwire_store_connections{instance="a",state="waited_for"}': "0x30",
    "groundwire_loop_lag_seconds": "0.01x30",
    'groundwire_searches_total{service="s",outcome="failed"}': "0+3x30",
    'groundwire_searches_total{service="s",outcome="done"}': "0+60x30",
    'groundwire_redis_lost{instance="a"}': "0x30",
}


@pytest.mark.skipif(PROMTOOL is None, reason="needs promtool: apt install prometheus")
@pytest.mark.parametrize("alert", ALARMING)
def test_an_alert_comes_when_it_should_and_not_otherwise(alert: str, tmp_path: Path) -> None:
    rules = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"][0]["rules"]

    def fires(series: dict[str, str]) -> bool:
        # Nothing is expected, so what comes is a failure that names it.
        made = {
            "rule_files": [str(DEPLOY / "alerts.yml")],
            "tests": [
                {
                    "interval": "1m",
                    "input_series": [{"series": k, "values": v} for k, v in series.items()],
                    "alert_rule_test": [{"eval_time": "30m", "alertname": alert}],
                }
            ],
        }
        file = tmp_path / "test.yml"
        file.write_text(yaml.safe_dump(made))
        said = _run(PROMTOOL, "test", "rules", str(file))
        assert not said or f"alertname: {alert}" in said, said
        return bool(said)

    assert {rule["alert"] for rule in rules} == set(ALARMING)
    assert (fires({**USUAL, **ALARMING[alert]}), fires(USUAL)) == (True, False)


@pytest.mark.skipif(SYSTEMD is None, reason="needs systemd-analyze")
def test_systemd_takes_its_example(tmp_path: Path) -> None:
    unit = tmp_path / "groundwire.service"
    # It also looks for the program, which is installed where the example says only by its reader.
    text = (DEPLOY / "groundwire.service").read_text()
    unit.write_text(text.replace("/opt/groundwire/bin/groundwire", shutil.which("true") or ""))

    assert not _run(SYSTEMD, "verify", str(unit))


@pytest.mark.skipif(NGINX is None, reason="needs nginx")
def test_nginx_takes_its_example(tmp_path: Path) -> None:
    whole = tmp_path / "nginx.conf"
    whole.write_text(
        f"pid {tmp_path}/pid; error_log {tmp_path}/errors; events {{}}\n"
        f"http {{ access_log off; include {DEPLOY}/nginx.conf; }}\n"
    )

    assert not _run(NGINX, "-t", "-q", "-p", str(tmp_path), "-c", str(whole))
