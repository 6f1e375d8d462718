"""The harness of the benchmarks: what it makes of figures that are given, and its smallest part."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from bench import gateway_delay, page, scifact, truth, truth_costs
from bench.__main__ import FIGURES, merged
from bench.environments import ROOT
from bench.page import decoders, documents, growth, libraries, server, startup
from bench.parts import PARTS, WHOLE_RUN, Outcome, Part, figures_in, part_names
from bench.plots import NEAREST, Bar, Curve, Point, Scale, apart, bars, curves, points
from bench.slopes import exponent, verdict
from bench.tables import number, share, table, times
from bench.truth_data import Share, area_under_curve, balanced_accuracy

from tests.shared import shared

SVG = "{http://www.w3.org/2000/svg}"


def _texts(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in Xml.fromstring(svg).iter(f"{SVG}text")]


def _peer(microseconds: float, citations: int | None) -> dict[str, object]:
    cost = {"microseconds": microseconds, "citations": citations, "citations_sent": 90}
    return {"fast": cost | {"rounds": [microseconds]}}


MODELS = {
    "anthropic": {
        "floor": _peer(2.0, None),
        "groundwire": _peer(3.0, 90),
        "sdk": _peer(20.0, 88),
        "litellm": None,
    }
}


@pytest.mark.parametrize(
    ("costs", "slope", "said"),
    [
        ([1, 10, 100], 1.0, "linear or better"),
        ([5, 5, 5], 0.0, "linear or better"),
        ([1, 10, 1000], 2.0, "worse than linear"),
        ([1, 12, 24], 1.079, "linear or better"),
    ],
)
def test_growth_is_judged_by_its_steepest_step(costs: list[float], slope: float, said: str) -> None:
    found = exponent([10, 100, 1000], costs)

    assert (round(found, 3), verdict(found)) == (slope, said)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0"),
        (0.0123, "0.012"),
        (0.5, "0.50"),
        (3.14159, "3.14"),
        (31.4159, "31.4"),
        (1e6, "1,000,000"),
    ],
)
def test_numbers_have_three_digits_that_count(value: float, said: str) -> None:
    assert number(value) == said


def test_ratios_and_shares_say_what_they_are() -> None:
    assert (times(3, 2), share(0.896)) == ("1.50 ×", "89.6 %")


def test_a_table_has_names_on_the_left_and_numbers_on_the_right() -> None:
    assert table(("who", "ms"), [["a", "1"], ["b", "2"]]) == (
        "| who | ms |\n| --- | ---: |\n| a | 1 |\n| b | 2 |"
    )


def test_the_figures_are_the_last_line_of_what_a_part_prints() -> None:
    assert figures_in('a warning\n{"fast": 1}\n') == ({"fast": 1}, "")


def test_a_part_may_say_why_it_did_not_run() -> None:
    assert figures_in('{"skipped": "no corpora"}') == (None, "no corpora")


@pytest.mark.parametrize("output", ["", "Traceback", '{"half": '])
def test_a_part_that_prints_no_figures_has_none(output: str) -> None:
    assert figures_in(output) == (None, "")


def test_a_part_runs_as_a_module_of_its_name() -> None:
    part = Part(name="relay", arguments=("--load", "500"))

    assert (part.command(quick=False)[1:], part.command(quick=True)[1:]) == (
        ["-m", "bench.relay", "--load", "500", "--json"],
        ["-m", "bench.relay", "--quick", "--json"],
    )


def test_parts_that_did_not_run_keep_their_figures_and_dates() -> None:
    kept = {"parts": {"citations": {"at": "2026-01-01 10:00"}, "turns": {"at": "2026-01-01 11:00"}}}
    ran = Outcome(figures={"small": 1}, at="2026-02-02 10:00")

    figures = merged(kept, {"turns": ran}, is_quick=False)

    assert figures["parts"] == {
        "citations": {"at": "2026-01-01 10:00"},
        "turns": asdict(ran) | {"is_quick": False},
    }


def test_a_scale_has_round_ticks() -> None:
    straight = Scale(low=0, high=66, start=0, end=100)
    log = Scale(low=1, high=1000, start=0, end=90, is_log=True)

    assert straight.ticks() == [0, 20, 40, 60]
    assert (log.ticks(), log.place(10)) == ([1, 10, 100, 1000], 30)


def test_labels_do_not_cover_one_another() -> None:
    placed = apart([100, 101, 99, 300, 299])

    assert placed == [99 + NEAREST, 99 + 2 * NEAREST, 99, 294, 294 - NEAREST]


def test_bars_are_as_long_as_their_values() -> None:
    rows = [
        Bar(label="floor", value=1, text="1 ms", kind="floor"),
        Bar(label="a < b", value=2, text="2 ms", kind="ours"),
    ]

    drawn = Xml.fromstring(bars("Costs", "milliseconds", rows))

    widths = {each.get("class"): float(each.get("width", 0)) for each in drawn.iter(f"{SVG}rect")}
    assert widths["ours"] == 2 * widths["floor"]
    assert {"Costs", "milliseconds", "a < b", "2 ms"} <= {
        *_texts(bars("Costs", "milliseconds", rows))
    }


def test_points_and_curves_name_their_axes_and_what_is_shown() -> None:
    point = Point(label="ours", x=5, y=0.9, kind="ours")
    curve = Curve(label="text", places=[(1, 1), (10, 10), (100, 90)])

    scattered = _texts(points("Quality", ("milliseconds", "F1"), [point]))
    grown = _texts(curves("Growth", ("size", "cost"), [curve]))

    assert {"Quality", "milliseconds", "F1", "ours"} <= {*scattered}
    assert {"Growth", "size", "cost", "text"} <= {*grown}


def test_decoding_is_shown_in_times_of_the_floor() -> None:
    assert decoders.costs(MODELS, mode="fast") == (
        "| CPU per event | raw sockets (the floor) | groundwire | official SDK | LiteLLM |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| Anthropic Messages | 2.00 µs | **3.00 µs, 1.50 ×** | 20.0 µs, 10.0 × | – |"
    )


def test_citations_are_shown_beside_what_was_sent() -> None:
    assert (
        decoders.citations(MODELS).splitlines()[-1] == "| Anthropic Messages | 90 | 90 | 88 | – |"
    )


def test_memory_is_shown_idle_and_with_what_streams_add() -> None:
    memory = {"idle": 40 << 20, "one": 1 << 19, "many": 8 << 20}

    shown = decoders.memory({"gemini": {"floor": None, "groundwire": {"memory": memory}}})

    assert shown.splitlines()[-1] == "| Gemini | – | **40.0; +0.50; +8.00** |"


def test_what_was_not_measured_has_no_plot() -> None:
    assert decoders.cost_plot(MODELS, mode="paced") is None
    assert decoders.memory_plot(MODELS) is None


def test_a_relay_is_compared_event_by_event() -> None:
    figures = {
        "relay": {
            "bare": {"event_microseconds": 40.0, "chat_milliseconds": 1.0},
            "ours": {"event_microseconds": 60.0, "chat_milliseconds": 6.0},
        }
    }

    assert server.relay(figures).splitlines()[2:] == [
        "| bare Starlette, bytes copied | 40.0 µs | 1.00 × | 1.00 ms |",
        "| **groundwire serve** | 60.0 µs | 1.50 × | 6.00 ms |",
    ]


def test_the_gateway_is_compared_with_the_relay_and_a_proxy_that_may_be_missing() -> None:
    figures = {
        "events": {
            "an event at a time": {
                "bare": 100.0,
                "messages": 150.0,
                "chat": 200.0,
                "responses": 180.0,
            }
        },
        "delays": {"chat": {"first_sentences": 1, "most_sentences": 1}},
        "load": None,
    }

    shown = server.gateway(figures)
    assert "| **groundwire gateway**, Messages | 150 µs, 1.50 × |" in shown
    assert "| LiteLLM's proxy, Chat | – |" in shown
    assert "| Chat | 1 | 1 |" in server.delays(figures)
    assert "not measured" in server.gateway_load(figures)


def test_sentences_of_the_provider_are_counted_once_they_are_over() -> None:
    said = "\n\nOtters sleep afloat. They hold paws. Some"

    assert [gateway_delay._ended(said, start) for start in (0, 2, 23, 39)] == [2, 2, 1, 0]


def test_a_reader_that_is_not_installed_has_dashes() -> None:
    kinds = {kind: {"f1": 0.9, "milliseconds": 5.0, "pages": 2} for kind in ("all", "a", "b")}
    readers = {"groundwire": {"kinds": kinds}, "trafilatura": None}

    lines = documents.quality({"wcxb": {"readers": readers}}, corpus="wcxb").splitlines()

    assert lines == [
        "| WCXB, word F1; CPU | all (2) | a (2) | b (2) |",
        "| --- | ---: | ---: | ---: |",
        "| **groundwire** | 0.900; 5.00 ms | 0.900; 5.00 ms | 0.900; 5.00 ms |",
        "| trafilatura | – | – | – |",
    ]


def test_pages_that_were_trained_on_stand_beside_the_same_pages_held_out() -> None:
    kinds = {"all": {"f1": 0.9, "milliseconds": 5.0, "pages": 2}}
    readers = {"groundwire": {"kinds": kinds}}
    held_out = {"all": {"f1": 0.86, "pages": 2}}

    lines = documents.quality(
        {"wcxb": {"readers": readers, "held_out": held_out}}, corpus="wcxb"
    ).splitlines()

    assert lines[2:] == [
        "| **groundwire**, their sites held out of training | 0.860 |",
        "| **groundwire**, trained on these pages | 0.900; 5.00 ms |",
    ]


def test_starts_are_compared_with_an_empty_program() -> None:
    figures = {
        "python -c pass": {"cpu_seconds": 0.01, "modules": 0},
        "import groundwire": {"cpu_seconds": 0.02, "modules": 31},
        "import litellm": None,
    }

    assert startup.starts(figures).splitlines()[2:] == [
        "| `python -c pass` | 10.0 ms | 1.00 × | 0 |",
        "| **`import groundwire`** | 20.0 ms | 2.00 × | 31 |",
        "| `import litellm` | – | – | – |",
    ]


def test_growth_is_shown_in_all_and_per_unit() -> None:
    figure = {
        "title": "Chats at once",
        "of": "all chats",
        "unit": "chats",
        "sizes": [5, 50, 500],
        "cpu_seconds": [0.5, 5.0, 40.0],
        "exponent": 1.0,
        "verdict": "linear or better",
    }

    assert growth.growth({"chats": figure}).splitlines()[-1] == (
        "| Chats at once (chats); CPU of all chats | 5: 500 ms<br>50: 5.00 s<br>500: 40.0 s "
        "| 100 ms → 100 ms → 80.0 ms per chat | 1.00 | linear or better |"
    )


@pytest.mark.parametrize(
    ("found", "score"),
    [
        (["a", "b"], 1.0),
        (["b", "a"], 1.0),
        (["x", "a", "b"], (1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3))),
        (["x"], 0.0),
    ],
)
def test_an_order_is_scored_as_beir_does(found: list[str], score: float) -> None:
    assert scifact.ndcg(found, frozenset({"a", "b"})) == pytest.approx(score)


def test_a_library_that_was_not_measured_has_empty_cells() -> None:
    figure = {"ndcg": 0.7, "milliseconds": 3.5, "p50_milliseconds": 3, "p95_milliseconds": 9}
    indexes = {"groundwire, tantivy": figure, "plain bm25s": None}

    lines = libraries.scifact({"documents": 5183, "queries": 150, "indexes": indexes}).splitlines()

    assert lines[0] == "5,183 abstracts, 150 claims:"
    assert lines[-2:] == [
        "| **groundwire, tantivy** | 0.700 | 3.50 ms | 3.00 ms | 9.00 ms | – | – |",
        "| plain bm25s | – | – | – | – | – | – |",
    ]


def test_every_mark_of_the_template_is_a_table_or_a_plot_and_the_other_way_round() -> None:
    marks = page.MARK.findall(page.TEMPLATE.read_text())

    assert "{{" not in page.MARK.sub("", page.TEMPLATE.read_text())
    assert sorted(name for kind, name in marks if kind == "plot") == sorted(page.PLOTS)
    assert sorted(name for kind, name in marks if kind == "table") == sorted(
        [*page.TABLES, *page.SETTING]
    )
    assert {part for part, _ in [*page.TABLES.values(), *page.PLOTS.values()]} == {*PARTS}


def test_the_page_says_why_a_part_is_missing_and_leaves_no_old_plot(tmp_path: Path) -> None:
    old = tmp_path / "images/performance/growth.svg"
    old.parent.mkdir(parents=True)
    old.write_text("old")
    outcome = asdict(Outcome(skipped="there are no corpora", at="2026-01-01 10:00"))
    machine = dict.fromkeys(("processor", "memory", "system", "python"), "one")
    parts = {"reader": outcome | {"is_quick": True}}

    page.write({"machine": machine, "versions": {"llm": "1.0"}, "parts": parts}, tmp_path)

    written = (tmp_path / "performance.md").read_text()
    assert "*Not measured: there are no corpora.*" in written
    assert "*Not measured: this part was not run.*" in written
    assert "too small to count: reader" in written
    assert "![" not in written
    assert not old.exists()


def test_the_page_in_the_documentation_is_what_the_kept_figures_say() -> None:
    figures = json.loads(FIGURES.read_text())
    drawn = {name: page.plot(name, figures) for name in page.PLOTS}
    images = ROOT / "docs" / page.IMAGES

    kept = {path.stem: path.read_text() for path in images.glob("*.svg")}

    assert (ROOT / "docs/performance.md").read_text() == page.text(figures)
    assert kept == {name: svg for name, svg in drawn.items() if svg}


def test_the_smallest_part_runs_and_prints_figures() -> None:
    command = [sys.executable, "-m", "bench.store", "--quick", "--json"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    figures, skipped = figures_in(done.stdout)
    assert skipped == ""
    assert set(figures["SQLite"]) == {"alone", "together"}


def test_parts_are_named_with_commas_or_without_and_by_their_former_names() -> None:
    assert part_names(["models,relay,starting", "citing", "store"]) == [
        *("models", "relay", "startup", "citations", "store")
    ]
    with pytest.raises(SystemExit, match="no part lifting; there are: streams, "):
        part_names(["lifting"])


def test_a_whole_run_leaves_out_what_takes_longer_than_all_others() -> None:
    assert {*PARTS} - {*WHOLE_RUN} == {"library_scale"}
    assert part_names(["library_scale"]) == ["library_scale"]


def test_the_checks_are_measured_with_intervals_and_written_into_their_page() -> None:
    figures = truth.measure(shared("corpora") / "truth", is_quick=True)

    page = truth.filled(truth.PAGE.read_text(), figures)

    assert figures["quotes"]["foreign_found"]["count"] == 0
    assert figures["quotes"]["damaged_to_the_letter"]["count"] == 0
    assert all(f"| {name} |" in page for name in truth_costs.HOSTILE)
    assert "placed right" in page


@pytest.mark.parametrize(
    ("count", "total", "low", "high"), [(60, 60, 0.94, 1.0), (0, 960, 0.0, 0.004)]
)
def test_an_interval_is_wilsons(count: int, total: int, low: float, high: float) -> None:
    found = Share(count=count, total=total).interval

    assert [*found] == pytest.approx([low, high], abs=0.001)


def test_order_and_balance_are_measured_as_the_books_say() -> None:
    scores, labels = [0.9, 0.8, 0.7, 0.2, 0.1, 0.3], [True, True, False, False, False, True]

    assert area_under_curve(scores, labels) == pytest.approx(8 / 9)
    assert area_under_curve([1, 1, 1, 1], [True, False, True, False]) == 0.5
    assert balanced_accuracy([0.9, 0.9, 0.1, 0.1] * 2, [True, True, False, False] * 2) == 1.0
