"""Texts that cite, in the shapes that people and products give them."""
# ruff: noqa: E501 - texts stand as they were written

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.checks.cited_answer import cited_answer, cited_answers
from groundwire.checks.cited_html import html_to_markdown, looks_like_html
from groundwire.checks.cited_text import MAX_MARKS, parse_cited

A, B, C = (f"https://a.example/{number}" for number in (1, 2, 3))
SWIM = "Otters swim.[1] They dive.[2]\n\nSources (1)\n\n"
FORMS = {
    "links in parentheses, as chat assistants write them": (
        f"Otters weigh 45 kg. ([a.example]({A})) They hold hands. ([Nature]({B}), [BBC]({C}))",
        [
            (1, A, "Otters weigh 45 kg."),
            (2, B, "They hold hands."),
            (3, C, "They hold hands."),
        ],
    ),
    "reference links at the end": (
        f'Otters hold hands ([Reuters][1]). Rafts had 2,000. ([BBC][2])\n\n[1]: {A} "T"\n[2]: <{B}>',
        [(1, A, "Otters hold hands"), (2, B, "Rafts had 2,000.")],
    ),
    "numbers and a list of addresses": (
        f"Otters hold hands[1][2]. They weigh 45 kg[3].\n\nCitations:\n[1] {A}\n[2] {B}\n[3] T {C}",
        [
            (1, A, "Otters hold hands"),
            (2, B, "Otters hold hands"),
            (3, C, "They weigh 45 kg"),
        ],
    ),
    "footnotes with names": (
        f"Otters sleep.[^1_1][^1_2] They eat.[^x]\n\n[^1_1]: {A}\n\n[^1_2]: {B}\n\n[^x]: Book, {C}.",
        [(1, A, "Otters sleep."), (2, B, "Otters sleep."), (3, C, "They eat.")],
    ),
    "a footnote with two addresses, and one with none": (
        f"Otters sleep.[^a] They eat.[^b]\n\n[^a]: See <{A}>\n    and {B}.\n[^b]: A book.",
        [(1, A, "Otters sleep."), (2, B, "Otters sleep."), (3, "", "They eat.")],
    ),
    "raised numbers that lost their height": (
        (
            "Otters sleep in the sea.1 They have 3.5 million hairs.2 It closed in 2020.3\n\n"
            f"#### Works cited\n\n1. Otter, accessed on March 1, 2025, [{A}]({A})\n2. Fur, {B}\n3. {C}"
        ),
        [
            (1, A, "Otters sleep in the sea."),
            (2, B, "They have 3.5 million hairs."),
            (3, C, "It closed in 2020."),
        ],
    ),
    "raised numbers": (
        f"Otters weigh 45 kg.\u00b9 They have 2 m\u00b2 of kelp.\u00b2\n\nReferences\n\u00b9 {A}\n\u00b2 {B}",
        [(1, A, "Otters weigh 45 kg."), (2, B, "They have 2 m\u00b2 of kelp.")],
    ),
    "carets and reference links": (
        f"Otters sleep[^1^][1]. They eat[^2^][2].\n\n[1]: {A}\n[2]: {B}",
        [(1, A, "Otters sleep"), (2, B, "They eat")],
    ),
    "our own export": (
        (
            f"Otters sleep.[1] They eat[2][3].\n\nSources:\n[1] Sea \\[otter\\] ({A})\n[2] Kelp ({B})\n\n"
            f"Read, not cited:\n[3] Other ({C})\n"
        ),
        [(1, A, "Otters sleep."), (2, B, "They eat"), (3, C, "They eat")],
    ),
    "an encyclopedia as Markdown": (
        (
            "Otters weigh 45 kg.[\\[3\\]](#cite_note-3) They sleep.[[4]](#cite_note-4)\n\n"
            f"## References\n\n3. Smith (2010). [Title]({A})\n4. Jones, a book\n\n## See also\n\nRivers."
        ),
        [(3, A, "Otters weigh 45 kg."), (4, "", "They sleep.")],
    ),
    "links in prose": (
        (
            f"According to [Reuters]({A}), otters weigh 45 kg. [One study]({B}) found 2,000 animals, "
            f"while [another]({C}) counted 3,000 of them."
        ),
        [
            (1, A, "According to Reuters, otters weigh 45 kg."),
            (2, B, "One study found 2,000 animals, while"),
            (3, C, "another counted 3,000 of them."),
        ],
    ),
    "a link at the end of its sentence": (
        f"Otters hold hands while they sleep, [Reuters reported]({A}). The next one.",
        [(1, A, "Otters hold hands while they sleep, Reuters reported.")],
    ),
    "bare addresses": (
        f"Otters weigh 45 kg ({A}_(y)). Rafts are large: {B}.\n\nThe largest had 2,000.\nSource: {C}",
        [
            (1, f"{A}_(y)", "Otters weigh 45 kg"),
            (2, B, "Rafts are large:"),
            (3, C, "The largest had 2,000."),
        ],
    ),
    "an address inside a sentence": (
        f"See <{A}> for the 2,000 otters of the bay.",
        [(1, A, "See for the 2,000 otters of the bay.")],
    ),
    "ranges, several numbers, and one without a source": (
        (
            f"Otters weigh 45 kg [1-2]. They sleep [1, 3]. They eat [7].\n\n## Sources\n1. [A]({A})\n"
            f"2. [B]({B})\n3. [C]({C})"
        ),
        [
            (1, A, "Otters weigh 45 kg"),
            (2, B, "Otters weigh 45 kg"),
            (1, A, "They sleep"),
            (3, C, "They sleep"),
            (7, "", "They eat"),
        ],
    ),
    "an entry on two lines": (
        f"Otters sleep [1].\n\n**Sources**\n\n[1] Title of it\n    {A}\n",
        [(1, A, "Otters sleep")],
    ),
    "a table": (
        (
            f"| Animal | Weight |\n|---|---|\n| Otter | 45 kg [1] |\n| Seal [2] | 90 kg |\n\n"
            f"Sources:\n[1] A ({A})\n[2] B ({B})"
        ),
        [(1, A, "Otter 45 kg"), (2, B, "Seal 90 kg")],
    ),
    "daggers": (
        f"Otters sleep\u30101\u2020source\u3011.\n\nSources:\n[1] A ({A})",
        [(1, A, "Otters sleep")],
    ),
    "links without words": (
        f"Otters weigh 45 kg.[]({A})[]({B})",
        [(1, A, "Otters weigh 45 kg."), (2, B, "Otters weigh 45 kg.")],
    ),
    "two claims in one sentence": (
        f"Otters weigh 45 kg[1], and the seals there weigh 90 kg[2].\n\nSources:\n[1] {A}\n[2] {B}",
        [(1, A, "Otters weigh 45 kg"), (2, B, "and the seals there weigh 90 kg")],
    ),
    "a list": (
        f"Facts:\n\n- [Home]({A})\n- [Otter]({B}): the largest raft had 2,000 animals.\n",
        [(1, B, "Otter: the largest raft had 2,000 animals.")],
    ),
    "a list for each answer": (
        f"Otters sleep.[1] They eat.[2]\n\nSources:\n[1] {A}\n[2] {B}\n\n# More\n\n{SWIM}1. {B}\n",
        [
            (1, A, "Otters sleep."),
            (2, B, "They eat."),
            (1, B, "Otters swim."),
            (2, "", "They dive."),
        ],
    ),
    "CRLF": (f"Otters sleep.[1]\r\n\r\nSources:\r\n[1] {A}\r\n", [(1, A, "Otters sleep.")]),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_claim_has_its_page(form: str) -> None:
    text, expected = FORMS[form]

    found = parse_cited(text).citations

    assert [(each.number, each.url, each.claim.text) for each in found] == expected


@pytest.mark.parametrize(
    "text",
    [
        f"Use `a[1]` and `[x]({A})`.\n\n```\n[1] {A} says 45 kg of it\n```\nIndex a[0] is first.",
        f"---\nsource: {A} is the source of it\n---\nOtters sleep.\n<!-- see {B} for the otters -->",
        f"# [Home]({A})\n\n[![badge](https://i.example/b.svg)]({B})\n\n- [Docs](docs/setup.md)",
        "Otters sleep [see below](#below) and a[1] is an index.",
        "",
    ],
)
def test_code_badges_and_links_without_a_claim_cite_nothing(text: str) -> None:
    assert parse_cited(text).citations == ()


def test_a_list_of_html_has_the_numbers_that_it_shows() -> None:
    html = (
        "<html><body><p>Otters sleep.[4] They eat.[7]</p><h2>Sources</h2>"
        f'<ol start="4"><li>{A}</li><li value="7">{B}</li></ol></body></html>'
    )

    found = parse_cited(html_to_markdown(html)).citations

    assert [(each.number, each.url) for each in found] == [(4, A), (7, B)]


def test_a_claim_is_told_by_its_line() -> None:
    text = f"# Otters\n\nThey sleep.[1]\n\n\nThey eat.[1]\n\nSources:\n[1] {A}"

    assert [each.line for each in parse_cited(text).citations] == [3, 6]


def test_links_that_carry_no_claim_are_counted() -> None:
    assert parse_cited(f"- [Home]({A})\n- [Blog]({B})\n").mentions == 2


ENCYCLOPEDIA = f"""<!DOCTYPE html><html><head><title>x</title></head><body>
<nav><a href="https://nav.example/">Nav of the whole big site</a></nav>
<h1>Sea otter</h1><ul><li><a href="#Food">Food</a></li></ul>
<p>It weighs 45&nbsp;kg.<sup id="cite_ref-3" class="reference"><a href="#cite_note-3"><span>&#91;</span>3
<span>&#93;</span></a></sup> It holds <b>hands</b>.<sup class="reference"><a href="#cite_note-4">[4]
</a></sup></p><h2 id="Food">Food</h2>
<table><tr><th>Animal</th><th>kg</th></tr><tr><td>Otter</td><td>45<sup><a href="#cite_note-4">[4]</a>
</sup></td></tr></table>
<p>According to <a href="{C}">Reuters</a>, it eats 25 percent of its weight.</p><ol class="references">
<li id="cite_note-3"><span><a href="#cite_ref-3">^</a></span> <span>Smith. <a href="{A}">"T"</a>. 2010.
</span></li><li id="cite_note-4"><a href="#cite_ref-4">^</a> Jones <a href="{B}">T</a></li></ol>
<footer>Foot <a href="https://f.example">of the page with words</a></footer></body></html>"""
PANDOC = f"""<div><p>Otters sleep.<a href="#fn1" class="footnote-ref" id="fnref1"><sup>1</sup></a></p>
<section class="footnotes"><ol><li id="fn1"><p>See <a href="{A}">this</a>.<a href="#fnref1">\u21a9\ufe0e</a>
</p></li></ol></section></div>"""


def test_raised_references_of_html_lead_to_their_notes() -> None:
    found = parse_cited(html_to_markdown(ENCYCLOPEDIA)).citations

    assert [(each.url, each.claim.text) for each in found] == [
        (A, "It weighs 45 kg."),
        (B, "It holds hands."),
        (B, "Otter 45"),
        (C, "According to Reuters, it eats 25 percent of its weight."),
    ]
    assert looks_like_html(ENCYCLOPEDIA)


def test_footnotes_of_html_lead_to_their_notes() -> None:
    found = parse_cited(html_to_markdown(PANDOC)).citations

    assert [(each.url, each.claim.text) for each in found] == [(A, "Otters sleep.")]
    assert looks_like_html(PANDOC)
    assert not looks_like_html("<https://a.example/> is where otters are")


def test_an_answer_of_ours_has_its_spans_and_quotes() -> None:
    text = "Otters sleep.[1] They weigh 45 kg and eat[1][3?]."
    support = {"number": 1, "start": 22, "end": 41, "quote": "an adult weighs 45 kg"}
    answer = {
        "text": text,
        "markers": [
            {"start": 13, "end": 16, "numbers": [1], "unknown": [], "supports": []},
            {"start": 41, "end": 48, "numbers": [1], "unknown": ["3"], "supports": [support]},
        ],
        "sources": [{"number": 1, "url": A}],
    }

    cited = cited_answer(answer)

    assert cited.text == "Otters sleep. They weigh 45 kg and eat."
    assert [(each.number, each.url, each.claim.text, each.quote) for each in cited.citations] == [
        (1, A, "Otters sleep.", ""),
        (1, A, "weigh 45 kg and eat", "an adult weighs 45 kg"),
        (3, "", "They weigh 45 kg and eat", ""),
    ]


_HOSTILE = ("[", "![", "[a](", "[1]", "[^a]", "https://", "(", "`", "|", "\u00b9", "a.1 ", "\\[")


@pytest.mark.parametrize("piece", _HOSTILE, ids=repr)
def test_a_hostile_text_is_read_like_any_other(piece: str) -> None:
    text = f"Sources\n1. https://a.example/\n# X\n{piece * (40_000 // len(piece))}"

    assert len(parse_cited(text).citations) <= MAX_MARKS


@pytest.mark.parametrize("piece", ["<a href='#x'>", "<div>", "<li id=x>", "&#91;", "<"], ids=repr)
def test_hostile_html_is_read_like_any_other(piece: str) -> None:
    assert isinstance(html_to_markdown(piece * (40_000 // len(piece))), str)


def test_a_text_with_more_citations_than_are_read_says_so() -> None:
    cited = parse_cited(f"Otters eat well. ({A}) " * (MAX_MARKS + 1))

    assert (cited.is_cut, len(cited.citations)) == (True, MAX_MARKS)


@given(st.text(alphabet="ab1.[]()^:#|*- \n\u00b9\\<>`", max_size=300))
def test_any_text_is_read(text: str) -> None:
    cited = parse_cited(f"{text}\n\nSources:\n[1] {A}")

    assert all(0 <= each.position <= len(cited.text) for each in cited.citations)


def test_items_of_lists_in_html_are_items() -> None:
    html = "<p>A</p><ol><li>One</li><li>Two<ul><li>x</li></ul></li></ol><ul><li>y</li></ul>"

    assert html_to_markdown(html) == "A\n\n1. One\n2. Two\n\n- x\n\n- y\n"


def test_a_sign_at_the_very_beginning_is_left_out_too() -> None:
    assert parse_cited(f"([Reuters]({A})) Otters sleep.").text == " Otters sleep."


def test_links_in_parentheses_at_the_very_beginning_are_signs() -> None:
    text = f"([Reuters]({A}), [BBC]({B})) Otters sleep."

    assert parse_cited(text).text == " Otters sleep."


def test_the_claims_of_a_second_answer_stand_in_the_text_of_both() -> None:
    answer = {
        "text": "Otters sleep.[1]",
        "markers": [{"start": 13, "end": 16, "numbers": [1], "unknown": [], "supports": []}],
        "sources": [{"number": 1, "url": A}],
    }

    cited = cited_answers([answer, answer])

    places = [(each.claim.start, each.claim.end, each.position) for each in cited.citations]
    assert places == [(0, 13, 13), (15, 28, 28)]
    assert cited.text[15:28] == "Otters sleep."
