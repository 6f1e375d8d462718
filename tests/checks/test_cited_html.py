"""HTML that cites, as Markdown: what is written for each element, and what is left out."""

from __future__ import annotations

import pytest

from groundwire.checks.cited_html import html_to_markdown, looks_like_html

A = "https://a.example/"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("", ""),
        ("<p>One<p>Two", "One\n\nTwo"),
        ("One<br/>two<wbr>three<img src=x>", "One\ntwothree"),
        ("<h1>A</h1><h2>B</h2><h3>C</h3><h4>D</h4><h5>E</h5><h6>F</h6><h7>G</h7>",
         "# A\n\n## B\n\n### C\n\n#### D\n\n##### E\n\n###### F\n\nG"),
        ("<p>A\n \t b&amp;c [1]</p>", "A b&c \\[1\\]"),
        # What is skipped, with all that is in it.
        ("A<nav>B<p>C</p></nav>D", "AD"),
        ("A<footer>B</footer>C<style>x</style>", "AC"),
        ("<nav>A<nav>B</nav>C</nav>D", "D"),
        ("<nav><br>A</nav>D", "D"),
        # Tables.
        ("<table><tr><th>A</th><td>B</table>C", "|  A | B |\n\nC"),
        ("<table><tr><td>A</td></tr><tr><td>B</td></tr></table>", "|  A |\n|  B |"),
        # Lists.
        ("<ul><li>A<li>B</ul>C", "- A\n- B\n\nC"),
        ("<ol><li>A<li>B</ol>", "1. A\n2. B"),
        ("<ol start=0><li>A</ol>", "0. A"),
        ("<ol start=x><li value=y>A</ol>", "1. A"),
        ("<ol start=1234567><li>A</ol>", "1. A"),
        ("<ol start=123456><li>A</ol>", "123456. A"),
        ("<ol><li>A<ul><li>B</ul><li value=7>C<li>D</ol>", "1. A\n\n- B\n\n7. C\n8. D"),
        ("<ol><li>A</ol><ol><li>B</ol>", "1. A\n\n1. B"),
        ("<li>A</li></ul>B", "- AB"),
        ("<ol><li>A<ol><li>x<li>y</ol><li>B</ol>", "1. A\n\n1. x\n2. y\n\n2. B"),
        # Links.
        (f"<a href={A}>it</a>", f"[it]({A})"),
        ("<a href='HTTP://x.example/a b'> it </a>", "[it](HTTP://x.example/a%20b)"),
        (f"<a href='{A}(x)'>it</a>", "it"),
        ("<a href='/x'>it</a> <a>that</a>", "it that"),
        (f"<a href={A}>one <b>two</b></a>", f"[one two]({A})"),
        (f"<a href={A}>one<a href={A}2>two</a>", f"one[two]({A}2)"),
        (f"<p>A.<a href={A}></a>", f"A.[]({A})"),
        ("<p>A.<a href=/x></a> B", "A. B"),
        # What is not closed, and what was never open.
        ("<p>A &amp; R&D", "A & R&D"),
        ("</p>A</b>B", "AB"),
        ("<div><p>A<b>B</div>C", "AB\n\nC"),
        # Notes.
        ("<p>A<a href='#n'>1</a></p><ol><li id=n>See <a href='https://a.example/'>it</a></ol>",
         f"A[^n]\n\n[^n]: See [it]({A})"),
        ("<p>A<a href='#n'>[2]</a></p><p id=n>\n  See   it <a href='#b'>\u21a9</a></p><p>B",
         "A[^n]\n\nB\n\n[^n]: See it"),
        ("<p>A<a href='#n'>*</a></p><p id=n>See<p>it</p></p>", "A[^n]\n\n[^n]: Seeit"),
        ("<p>A<a href='#n'>see below</a></p><p id=n>B</p>", "Asee below\n\n[^n]: B"),
        ("<p>A<a href='#a:b'>note 12</a></p><td id='a:b'>B</td>C", "A[^a-b]\n\nC\n\n[^a-b]: B |"),
        ("<p>A<a href='#top'>\u2191</a>B", "AB"),
        ("<p>A<a href='#n'>1</a></p><b id=n>B</b>", "A[^n]\n\nB"),
        ("<p>A<a href='#n'>1</a></p><div id=n>B<div id=n>C</div>D</div>E",
         "A[^n]\n\nE\n\n[^n]: BCD"),
    ],
)  # fmt: skip
def test_an_element_is_written_as_its_reader_sees_it(html: str, markdown: str) -> None:
    assert html_to_markdown(html) == f"{markdown}\n"


def test_what_lies_deeper_than_is_read_has_its_words() -> None:
    deep = f"{'<b>' * 398}<ol><li>A<ul><li>B"

    # The 400th is the item; those within it are not opened any more.
    assert html_to_markdown(deep) == "1. AB\n"
    assert html_to_markdown(f"{'<b>' * 399}<ol><li>A") == "A\n"


@pytest.mark.parametrize(
    ("text", "is_html"),
    [
        ("<!DOCTYPE html><p>", True),
        ("\ufeff \r\n\t<HTML>", True),
        ("<head>", True),
        ("<body>", True),
        ("<?xml version='1.0'?>", True),
        ("<div class=x>", True),
        ("<h1>A</h1>", True),
        ("<section>", True),
        ("<pre>", False),
        ("<b>A</b>", False),
        ("A <p>", False),
        ("<https://a.example/>", False),
        ("", False),
    ],
)
def test_html_is_told_by_how_it_begins(text: str, is_html: bool) -> None:
    assert looks_like_html(text) is is_html
