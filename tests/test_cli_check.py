"""`groundwire check`, in processes of its own: pages of the sandbox, saved pages, pairs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.evidence.bundle import write_bundle
from groundwire.sandbox import SandboxServer
from groundwire.web.export_text import exported
from tests.evidence.dossiers import dossier
from tests.forked import groundwire
from tests.patience import PATIENCE

OTTER = "https://wiki.example.net/sea-otter"
VALLEY = "https://news.example.com/2026/05/otters-return"
SAID = "Resting sea otters wrap themselves in kelp so that the current does not carry them away."
ANSWER = f"""# Otters

{SAID}[1] They weigh 450 kg and live in kelp.[1]
They were counted at "nine places along the valley" this spring[2], at "ten places on the hill" [2].
A page that is gone has the otters, too: https://nowhere.example.net/gone
Nobody knows of it [9].

- [Home](https://home.example/)

Sources:
[1] Sea otter ({OTTER})
[2] Otters return to the river ({VALLEY})
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxServer]:
    with SandboxServer() as server:
        yield server


def _environment(sandbox: SandboxServer | None) -> dict[str, str]:
    address = sandbox.base_url("jina") if sandbox else "http://127.0.0.1:9/"
    return {
        "PATH": os.environ["PATH"],
        "GROUNDWIRE_HOME": "/nonexistent",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "GROUNDWIRE_NETWORK__RETRIES": "0",
        "GROUNDWIRE_READ__RESPECT_ROBOTS": "false",
        "GROUNDWIRE_READ_PROVIDER": "jina",
        "GROUNDWIRE_PROVIDERS__JINA__BASE_URL": address,
    }


def run(
    *words: str, sandbox: SandboxServer | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the command; without a sandbox there is no network."""
    return subprocess.run(
        groundwire("check", *words),
        capture_output=True,
        text=True,
        env=_environment(sandbox),
        input=stdin,
        cwd="/",
        check=False,
    )


@pytest.fixture
def answer(tmp_path: Path) -> str:
    path = tmp_path / "answer.md"
    path.write_text(ANSWER)
    return str(path)


def test_every_citation_of_a_text_is_compared_with_its_page(
    sandbox: SandboxServer, answer: str
) -> None:
    done = run(answer, sandbox=sandbox)

    assert done.returncode == 0
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0].split() == ["line", "source", "check", "claim"]
    assert "Quoted to the letter." in lines
    assert "450 is not on this page." in lines
    assert "\u201cnine places along the valley\u201d is quoted to the letter." in lines
    assert "\u201cten places on the hill\u201d is not on this page." in lines
    assert "Not compared: the marker leads to no source." in lines
    assert any(line.startswith("Not compared: the page could not be read (jina:") for line in lines)
    assert lines[-1] == (
        "2 of 6 citations stand on their pages; 1 number is not there; 1 quotation is not there; "
        "1 claim has few words there; 1 page could not be read; 1 marker leads to no source."
    )
    assert any(f"read {number} of 3: {OTTER}" in done.stderr for number in (1, 2, 3))
    assert "1 link without a claim left out." in done.stderr


@pytest.mark.parametrize(
    ("kinds", "code"),
    [
        ("numbers", 1),
        ("quotes", 1),
        ("names", 0),
        ("words", 1),
        ("unreadable", 1),
        ("names,words", 1),
        ("names, numbers", 1),
        ("", 0),
    ],
)
def test_ci_fails_on_what_it_names(
    sandbox: SandboxServer, answer: str, kinds: str, code: int
) -> None:
    assert run(answer, "--fail-on", kinds, sandbox=sandbox).returncode == code


def test_an_unknown_kind_of_failure_is_misuse(answer: str) -> None:
    done = run(answer, "--fail-on", "lies")

    assert done.returncode == 2
    assert "numbers, quotes, names, words, unreadable" in done.stderr


def test_pages_that_were_saved_are_compared_without_the_network(
    sandbox: SandboxServer, answer: str, tmp_path: Path
) -> None:
    folder = str(tmp_path / "pages")
    first = run(answer, "--save", folder, "--json", sandbox=sandbox)

    done = run("-", "--offline", folder, "--json", stdin=ANSWER)

    assert done.returncode == 0
    before, after = json.loads(first.stdout), json.loads(done.stdout)
    keys = ("line", "number", "claim", "url", "state", "facts", "page_hash")
    told = [
        [
            {key: each[key] for key in keys}
            for each in data["citations"]
            if each["not_compared"] is None
        ]
        for data in (before, after)
    ]
    assert told[0] == told[1]
    assert len(told[0]) == 4
    assert after["citations"][4]["detail"].endswith("nowhere.example.net_gone.html")


def test_a_saved_page_is_found_by_its_name(tmp_path: Path) -> None:
    page = "<html><body><main><h1>Fur</h1><p>Sea otters have the densest fur of all animals, and "
    page += "they groom it for many hours of every day of the year.</p></main></body></html>"
    (tmp_path / "a.example_fur_dense.html").write_text(page)
    text = "Sea otters have the densest fur of all animals. ([a](https://a.example/fur/dense))"

    done = run("-", "--offline", str(tmp_path), stdin=text)

    assert "The same words stand on this page." in done.stdout


def test_a_manifest_that_leads_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"https://a.example/": "../../etc/passwd"}')

    done = run("-", "--offline", str(tmp_path), stdin="Otters sleep. https://a.example/")

    assert done.returncode == 1
    assert "must map addresses to files of its folder" in done.stderr


def test_one_claim_is_compared_with_one_page(sandbox: SandboxServer) -> None:
    done = run("--claim", "Sea otters have 450 kg of fur", OTTER, sandbox=sandbox)

    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "450 is not on this page."
    assert "Nearest passage: \u201c" in done.stdout


def test_one_claim_is_compared_with_a_file_for_programs(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"{SAID} They have the densest fur of all animals, and they groom it.")

    done = run("--claim", SAID, str(path), "--json", "--fail-on", "numbers")

    data = json.loads(done.stdout)
    assert (done.returncode, data["state"], data["quote"]["found"]) == (0, "found", "letter")


def test_a_saved_answer_of_ours_is_read_with_its_spans(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    markers = [{"start": len(SAID), "end": len(SAID) + 3, "numbers": [1]}]
    body = {"text": f"{SAID}[1]", "markers": markers, "sources": [{"number": 1, "url": OTTER}]}
    events = [{"type": "text", "text": "Resting"}, {"type": "done", "message": {"answer": body}}]
    path = tmp_path / "ask.jsonl"
    path.write_text("\n".join(map(json.dumps, events)))

    done = run(str(path), sandbox=sandbox)

    assert done.stdout.splitlines()[-1] == "1 of 1 citation stands on its page."


@pytest.mark.parametrize(
    "body",
    [
        {
            "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
            "content": [{
                "type": "text", "text": SAID,
                "citations": [{"type": "web_search_result_location", "url": OTTER, "title": "T",
                               "encrypted_index": "x", "cited_text": SAID}],
            }],
        },
        {
            "candidates": [{
                "content": {"parts": [{"text": SAID}], "role": "model"}, "finishReason": "STOP",
                "groundingMetadata": {
                    "groundingChunks": [{"web": {"uri": OTTER, "title": "wiki.example.net"}}],
                    "groundingSupports": [{
                        "segment": {"startIndex": 0, "endIndex": len(SAID), "text": SAID},
                        "groundingChunkIndices": [0],
                    }],
                },
            }],
        },
        {
            "citations": [OTTER],
            "choices": [{"message": {"role": "assistant", "content": f"{SAID}[1]"}}],
        },
    ],
    ids=["anthropic", "gemini", "perplexity"],
)  # fmt: skip
def test_saved_replies_of_services_are_read(
    sandbox: SandboxServer, body: object, tmp_path: Path
) -> None:
    path = tmp_path / "reply.json"
    path.write_text(json.dumps(body))

    done = run(str(path), sandbox=sandbox)

    assert "1 of 1 citation stands on its page." in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name a file, a URL or -"),
        (("nofile.md",), "is no file, and a URL begins with https://"),
        (("--pairs", "-", "a.md"), "give nothing else"),
        (("--claim", "x", "a.md", "b.md"), "give one URL or file"),
        (("--pairs", "/"), "could not be read: is a directory"),
        (("--offline", "/nonexistent", "a.md"), "does not exist"),
        (("http://127.0.0.1/x",), "loopback"),
    ],
)
def test_misuse_gets_a_line_that_says_what_to_do(words: tuple[str, ...], said: str) -> None:
    done = run(*words)

    assert done.returncode in (1, 2)
    assert said in done.stderr


def test_json_that_is_no_answer_is_refused() -> None:
    done = run("-", stdin='{"a": 1}')

    assert done.returncode == 1
    assert "this JSON is no answer that is known" in done.stderr


def test_a_bundle_is_read_for_its_answers(tmp_path: Path) -> None:
    bundle = tmp_path / "answer.wacz"
    write_bundle(bundle, one := dossier(), exported(one, "html"))

    done = run(str(bundle), "--offline", str(tmp_path), "--json")

    told = json.loads(done.stdout)["citations"]
    assert [each["claim"] for each in told] == [
        "Sea otters have the densest fur.",
        "The valley has 450 otters.",
    ]


@pytest.mark.parametrize("content", [b"%PDF-1.7 otters", b"\x7fELF\0\0", b"PK\x03\x04 otters"])
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)

    done = run(str(path))

    assert (done.returncode, done.stdout) == (1, "")
    assert "is no text: give Markdown" in done.stderr or "is no bundle" in done.stderr


PAGE = "Sea otters weigh 45 kg. They live in California, and hold each other's paws in 2026."


def _pairs(*rows: object) -> str:
    return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)


def test_pairs_are_answered_line_by_line_in_order() -> None:
    rows = [
        {"id": "a", "claim": "They live in California", "text": PAGE},
        {"id": 2, "claim": "Sea otters weigh 54 kg in Monterey", "text": PAGE},
        {"id": None, "claim": "they HOLD each others paws in California", "text": PAGE},
    ]

    done = run("--pairs", "-", stdin=_pairs(*rows))

    first, second, third = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0
    assert first == {
        "id": "a",
        "quote": {"found": "letter", "start": 24, "end": 47},
        "quotations": [],
        "nearest": {"start": 24, "end": 84},
        "missing_numbers": [],
        "rounded_numbers": [],
        "numbers_elsewhere": [],
        "missing_names": [],
        "coverage": 1.0,
        "score": 1.0,
        "is_cut": False,
        "not_compared": None,
        "detail": "",
    }
    assert (second["id"], second["missing_numbers"], second["missing_names"]) == (
        2,
        ["54"],
        ["Monterey"],
    )
    assert (third["id"], third["quote"]["found"]) == (None, "none")


def test_a_line_that_cannot_be_used_is_an_error_of_its_own() -> None:
    good = {"id": 5, "claim": "Sea otters weigh 45 kg", "text": PAGE}
    rows = ["nope", "[1]", {"id": 3, "claim": "x"}, {"id": 4, "claim": 4, "text": ""}, "", good]

    done = run("--pairs", "-", stdin=_pairs(*rows))

    told = [*map(json.loads, done.stdout.splitlines())]
    assert done.returncode == 1
    assert [each["id"] for each in told] == [None, None, 3, 4, 5]
    assert ["error" in each for each in told] == [True, True, True, True, False]
    assert told[2]["error"].startswith("line 3: it has neither text nor url")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"claim": "They live in California", "text": PAGE}', {"id": None}),
        ('{"id": NaN, "claim": "They live in California", "text": PAGE}', {"id": None}),
        ('{"id": [1, {}], "claim": "They live in California", "text": PAGE}', {"id": [1, {}]}),
        ('\ufeff{"id": 1, "claim": "They live in California", "text": PAGE}\r', {"id": 1}),
        ('{"id": 1, "claim": "", "text": PAGE}', {"not_compared": "nothing_claimed"}),
        ('{"id": 1, "claim": "They live", "text": ""}', {"not_compared": "unreadable"}),
        ('{"id": "\\u2028\u2028", "claim": "x\u2028y", "text": PAGE}', {"id": "\u2028\u2028"}),
        ('{"id": 1, "claim": "\\ud800", "text": "\\ud800 \u2776 \u0966\u0967"}', {"id": 1}),
        ('{"id": 1, "claim": "x", "text": null, "url": "file:/a"}', {"not_compared": "unreadable"}),
        ('{"id": 1, "claim": "They live in California", "text": PAGE, "quote": null}', {"id": 1}),
    ],
)  # fmt: skip
def test_odd_lines_are_answered_like_any_other(line: str, told: dict[str, object]) -> None:
    last = {"id": "last", "claim": "Sea otters weigh 45 kg", "text": PAGE}

    done = run("--pairs", "-", stdin=_pairs(line.replace("PAGE", json.dumps(PAGE)), last))

    first, second = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0
    assert {key: first[key] for key in told} == told
    assert second["id"] == "last"


def test_pairs_tell_numbers_that_stand_elsewhere_and_quotations_with_their_places() -> None:
    text = f"{'Kelp grows at the shore. ' * 9}{PAGE} Otters swim. Otters dive. In 1997 it rained."
    claim = 'Sea otters "live in California, and hold" about 46 kg in 1997'

    done = run("--pairs", "-", stdin=_pairs({"id": 1, "claim": claim, "text": text}))

    told = json.loads(done.stdout)
    (quotation,) = told["quotations"]
    assert text[quotation["start"] : quotation["end"]] == "live in California, and hold"
    assert told["numbers_elsewhere"] == ["1997"]
    assert told["missing_numbers"] == ["46"]
    assert "1997" not in text[told["nearest"]["start"] : told["nearest"]["end"]]


def test_pairs_with_addresses_read_their_pages(sandbox: SandboxServer, tmp_path: Path) -> None:
    gone = "https://nowhere.example.net/gone"
    rows = [{"id": url, "claim": SAID, "url": url} for url in (OTTER, gone, OTTER)]
    path = tmp_path / "pairs.jsonl"
    path.write_text(_pairs(*rows))

    done = run("--pairs", str(path), sandbox=sandbox)

    told = [*map(json.loads, done.stdout.splitlines())]
    assert [each["quote"]["found"] for each in told] == ["letter", "none", "letter"]
    assert told[1]["not_compared"] == "unreadable"


def test_a_text_of_a_megabyte_is_searched_to_its_end() -> None:
    text = "The kelp grows at the shore. " * 34_000 + "Otters wear no shoes in summer."

    done = run("--pairs", "-", stdin=_pairs({"claim": "Otters wear no shoes", "text": text}))

    assert json.loads(done.stdout)["quote"]["start"] == len(text) - 31


def test_a_program_gets_its_answer_before_it_writes_the_next_line() -> None:
    command = groundwire("check", "--pairs", "-")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(None), cwd="/"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            line = _pairs({"id": number, "claim": "Sea otters weigh 45 kg", "text": PAGE})
            process.stdin.write(line.encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.send_signal(signal.SIGINT)

        assert process.wait(timeout=PATIENCE) == 130
