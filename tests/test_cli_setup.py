"""`groundwire setup` and `groundwire doctor --live`, in processes of their own over the sandbox."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.sandbox import SandboxServer
from tests.forked import groundwire
from tests.patience import PATIENCE

KEY = "canary_Xq7v-2Lw9.Zr4"
OTTER = "https://wiki.example.net/sea-otter"
COMMENT = "# Mine, and it stays.\n"
AT_A_TERMINAL = (
    "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "from groundwire.cli import main; main()"
)
# Its last space is written when the terminal listens: what is typed before that is thrown away.
KEY_QUESTION = "TAVILY_API_KEY (not shown; empty to leave it): "


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxServer]:
    with SandboxServer() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "config.toml").write_text(COMMENT)
    return tmp_path


def environment(home: Path, sandbox: SandboxServer, **faults: str) -> dict[str, str]:
    services = ("tavily", "searxng", "jina", "brave", "anthropic")
    return {
        "PATH": os.environ["PATH"],
        "GROUNDWIRE_HOME": str(home),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        **{
            f"GROUNDWIRE_PROVIDERS__{name.upper()}__BASE_URL": sandbox.base_url(
                name, fault=faults.get(name, "")
            )
            for name in services
        },
    }


def run(
    *words: str, home: Path, sandbox: SandboxServer, stdin: str = "", **faults: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        groundwire(*words),
        input=stdin,
        capture_output=True,
        text=True,
        env=environment(home, sandbox, **faults),
        cwd=home,
        check=False,
    )


def files(home: Path) -> dict[str, str]:
    """Return what stands in the folder, locks aside."""
    return {
        path.name: path.read_text() for path in home.iterdir() if not path.name.endswith(".lock")
    }


def test_a_key_is_tried_and_saved_and_its_provider_comes_first(
    home: Path, sandbox: SandboxServer
) -> None:
    words = ("setup", "tavily", "--key-stdin", "--yes", "--json")

    done = run(*words, home=home, sandbox=sandbox, stdin=f"{KEY}\n")

    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert [(test["provider"], test["works"]) for test in told["tests"]] == [("tavily", True)]
    assert [(each["what"], each["undo"]) for each in told["changed"]] == [
        ("TAVILY_API_KEY", "groundwire keys remove tavily"),
        ("search_provider", "delete the line search_provider there"),
        ("read_provider", "delete the line read_provider there"),
    ]
    assert files(home)["config.toml"] == (
        f'{COMMENT}search_provider = ["tavily", "duckduckgo"]\n'
        'read_provider = ["tavily", "local"]\n'
    )
    assert json.loads(files(home)["keys.json"]) == {"TAVILY_API_KEY": KEY}
    assert KEY not in done.stdout + done.stderr


def test_a_key_that_does_not_work_changes_nothing_and_says_why(
    home: Path, sandbox: SandboxServer
) -> None:
    words = ("setup", "tavily", "--key-stdin", "--search", "tavily")

    done = run(*words, home=home, sandbox=sandbox, stdin="bad-key\n")

    assert done.returncode == 1
    assert "tavily does not work: tried a search for 'otters': HTTP 401" in done.stderr
    assert "get a key at https://app.tavily.com" in done.stderr
    assert files(home) == {"config.toml": COMMENT}


def test_without_a_test_a_key_is_kept_untried(home: Path, sandbox: SandboxServer) -> None:
    (home / "key").write_text("bad-key\n")

    done = run("setup", "brave", "--key-file", "key", "--no-test", home=home, sandbox=sandbox)

    assert (done.returncode, done.stderr) == (0, "")
    assert "to undo: groundwire keys remove brave" in done.stdout
    assert json.loads(files(home)["keys.json"]) == {"BRAVE_API_KEY": "bad-key"}


def test_a_choice_is_written_and_the_way_back_is_told(home: Path, sandbox: SandboxServer) -> None:
    run("setup", "--search", "searxng,duckduckgo", home=home, sandbox=sandbox)

    done = run("setup", "--search", "tavily", "--read", "local,jina", home=home, sandbox=sandbox)

    assert "to undo: groundwire setup --search searxng,duckduckgo\n" in done.stdout
    assert files(home)["config.toml"] == (
        f'{COMMENT}search_provider = "tavily"\nread_provider = ["local", "jina"]\n'
    )


@pytest.mark.parametrize(
    "words",
    [("setup", "tavily", KEY), ("setup", "tavily", "--key", KEY), ("setup", f"{KEY}{KEY}")],
)
def test_a_key_as_an_argument_is_refused_and_not_repeated(
    home: Path, sandbox: SandboxServer, words: tuple[str, ...]
) -> None:
    done = run(*words, home=home, sandbox=sandbox)

    assert done.returncode == 2
    assert "a key is never an argument" in done.stderr
    assert KEY not in done.stderr + done.stdout
    assert files(home) == {"config.toml": COMMENT}


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (("setup", "--key-stdin"), 2, "Name the PROVIDER"),
        (("setup", "brave"), 2, "brave needs a key: give --key-stdin or --key-file"),
        (("setup", "bing"), 1, "no provider is called 'bing'"),
        (("setup", "--search", "jina"), 1, "'jina' cannot search"),
        (("setup", "--read", ","), 1, "no provider is named to read"),
        (("setup", "searxng", "--key-stdin"), 1, "'searxng' needs no key"),
        (("setup", "tavily", "--key-stdin"), 1, "standard input holds no key"),
    ],
)
def test_what_cannot_be_done_is_told(
    home: Path, sandbox: SandboxServer, words: tuple[str, ...], code: int, reason: str
) -> None:
    stdin = "x\n" if "searxng" in words else ""

    done = run(*words, home=home, sandbox=sandbox, stdin=stdin)

    assert done.returncode == code
    assert reason in done.stderr
    assert files(home) == {"config.toml": COMMENT}


def test_without_a_terminal_who_there_is_is_shown_and_nothing_asked(
    home: Path, sandbox: SandboxServer
) -> None:
    done = run("setup", home=home, sandbox=sandbox)

    assert done.returncode == 0
    assert done.stdout.split()[:3] == ["NAME", "CAN", "KEY"]
    assert "nothing was changed" in done.stdout


class Terminal:
    """A command at a terminal, answered question by question."""

    def __init__(self, words: tuple[str, ...], variables: dict[str, str], home: Path) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", AT_A_TERMINAL, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=variables,
            cwd=home,
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = ""

    def answer(self, question: str, text: str) -> None:
        """Wait for a question and type an answer."""
        while question not in self.seen:
            self.seen += os.read(self._ours, 4096).decode()
        self.seen = self.seen.partition(question)[2]
        os.write(self._ours, text.encode())

    def wait(self) -> int:
        """Return the exit code after reading to the end."""
        try:
            while more := os.read(self._ours, 4096):
                self.seen += more.decode()
        except OSError:
            pass  # What a terminal says when its last writer has left.
        os.close(self._ours)
        return self._process.wait(timeout=PATIENCE)


def test_at_a_terminal_everything_is_asked_and_the_key_is_not_shown(
    home: Path, sandbox: SandboxServer
) -> None:
    terminal = Terminal(("setup",), environment(home, sandbox), home)

    terminal.answer("Search with", "bing\n")
    terminal.answer("no provider is called 'bing'", "")
    terminal.answer("Search with", "tavily\n")
    terminal.answer("Read pages with", "\n")
    terminal.answer(KEY_QUESTION, f"{KEY}\n")
    code = terminal.wait()

    assert code == 0
    assert "tavily works: tried a search for 'otters'" in terminal.seen
    assert KEY not in terminal.seen
    assert files(home)["config.toml"].startswith(f'{COMMENT}search_provider = "tavily"\n')
    assert json.loads(files(home)["keys.json"]) == {"TAVILY_API_KEY": KEY}


def test_ctrl_c_leaves_everything_as_it_was(home: Path, sandbox: SandboxServer) -> None:
    terminal = Terminal(("setup",), environment(home, sandbox), home)

    terminal.answer("Search with", "tavily\n")
    terminal.answer("Read pages with", "\n")
    terminal.answer(KEY_QUESTION, "\x03")
    code = terminal.wait()

    assert code == 130
    assert files(home) == {"config.toml": COMMENT}


def test_doctor_tries_who_is_in_use_and_names_reason_and_fix(
    home: Path, sandbox: SandboxServer
) -> None:
    (home / "config.toml").write_text(
        'search_provider = ["searxng", "tavily"]\nread_provider = "jina"\n'
    )

    done = run(
        "doctor",
        "--live",
        "--json",
        "--page",
        OTTER,
        home=home,
        sandbox=sandbox,
        searxng="blocked",
        anthropic="unauthorized",
    )

    found = {each["subject"]: each for each in json.loads(done.stdout)}
    assert done.returncode == 1
    assert found["searching with searxng"] == {
        "subject": "searching with searxng",
        "state": "problem",
        "tried": "a search for 'otters'",
        "found": "HTTP 403: its JSON format is switched off",
        "code": "refused",
        "fix": "add `json` to `search.formats` in its settings.yml and restart it",
    }
    assert found["searching with tavily"]["state"] == "ok"
    assert found["reading with jina"]["state"] == "ok"
    assert found["asking anthropic"]["code"] == "auth"


@pytest.mark.skipif(sys.platform == "win32", reason="a program is found by its ending there")
def test_doctor_notes_a_missing_browser_and_fails_only_if_it_is_chosen(
    home: Path, sandbox: SandboxServer
) -> None:
    known = environment(home, sandbox)
    states = {}
    for chosen in ("local", "crawl4ai"):
        done = subprocess.run(
            groundwire("doctor", "--json"),
            capture_output=True,
            text=True,
            env={**known, "PATH": str(home), "GROUNDWIRE_READ_PROVIDER": chosen},
            check=False,
        )
        found = {finding["subject"]: finding for finding in json.loads(done.stdout)}
        states[chosen] = (done.returncode, found["crawl4ai"]["state"], found["crawl4ai"]["code"])

    assert states == {
        "local": (0, "note", "not_installed"),
        "crawl4ai": (1, "note", "not_installed"),
    }


def test_doctor_alone_asks_nobody_and_tells_a_chosen_provider_without_a_key(
    home: Path, sandbox: SandboxServer
) -> None:
    (home / "config.toml").write_text('search_provider = "exa"\n')
    before = len(sandbox.requests)

    done = run("doctor", home=home, sandbox=sandbox)

    assert done.returncode == 1
    assert "✗ searching with exa: 'exa' needs a key" in done.stdout
    assert (
        "get a key at https://dashboard.exa.ai/api-keys, then `groundwire setup exa`" in done.stdout
    )
    assert len(sandbox.requests) == before
