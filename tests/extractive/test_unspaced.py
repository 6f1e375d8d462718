"""Questions in languages that put no spaces between words, in a whole turn."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import groundwire
from groundwire.extractive import NOT_ANSWERED
from groundwire.extractive.questions import understand
from groundwire.extractive.selection import SourceText, extract
from groundwire.service.program import Groundwire
from tests.extractive.test_turns import no_keys, quoted, settings
from tests.library.folders import adding, write

FILES = {
    "otter-zh.md": """# 水獭

水獭是一种生活在海边的哺乳动物，以鱼类、贝类和海胆为食。它们的皮毛非常浓密，每平方厘米约有十五万根毛。

## 睡眠

水獭在海里睡觉时会手牵手，以免被海流冲散。有时它们也会用海藻把自己裹起来。

## 繁殖

母水獭每年产一只幼崽，并把它放在肚子上抚养大约六个月。
""",
    "heron-zh.md": """# 苍鹭

苍鹭一动不动地站在水边等待鱼群。它在高大的树上筑巢，每窝产三到五枚蛋。

## 迁徙

冬天苍鹭会飞往南方，春天再回到湖边。
""",
    "otter-ja.md": """# ラッコ

ラッコは北太平洋の沿岸に生息する哺乳類で、貝やウニを食べます。体毛の密度は動物の中で最も高いとされています。

## 睡眠

ラッコは海の上で眠るとき、流されないように手をつなぎます。海藻を体に巻きつけて眠ることもあります。

## 子育て

母親は子どもを腹の上に乗せて、約六か月のあいだ育てます。
""",
    "heron-ja.md": """# アオサギ

アオサギは川辺でじっと動かずに魚を待ちます。高い木の上に巣を作り、三個から五個の卵を産みます。

## 渡り

冬になるとアオサギは南へ移動し、春に湖へ戻ってきます。
""",
}
QUESTIONS = {
    "水獭怎么睡觉？": "水獭在海里睡觉时会手牵手，以免被海流冲散。",
    "母水獭抚养幼崽多久？": "抚养大约六个月",
    "水獭以什么为食？": "以鱼类、贝类和海胆为食。",
    "苍鹭在哪里筑巢？": "它在高大的树上筑巢",
    "苍鹭冬天飞往哪里？": "冬天苍鹭会飞往南方",
    "ラッコはどのように眠りますか？": "ラッコは海の上で眠るとき、流されないように手をつなぎます。",
    "ラッコは何を食べますか？": "貝やウニを食べます。",
    "アオサギはどこに巣を作りますか？": "高い木の上に巣を作り",
    "アオサギは冬にどこへ移動しますか？": "冬になるとアオサギは南へ移動し",
}


@pytest.fixture
async def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Groundwire]:
    """A program without keys over a library in Chinese and Japanese."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = write(tmp_path / "handbook", FILES)
    async with adding(tmp_path / "l") as (adder, _):
        await adder.add_folder(folder)
    chosen = settings(tmp_path / "l")
    async with groundwire.open(settings=chosen, keys=no_keys(tmp_path), keep=False) as opened:
        yield opened


@pytest.mark.parametrize(("question", "said"), QUESTIONS.items())
async def test_a_question_is_answered_first_with_what_the_page_says_to_the_letter(
    program: Groundwire, question: str, said: str
) -> None:
    ended = await program.ask(question)

    quotes = quoted(ended)
    assert said in quotes[0][0]
    assert all(quote in FILES[page] for quote, page in quotes)
    assert ended.marked.markers
    assert ended.marked.unknown == ()


@pytest.mark.parametrize("question", ["企鹅怎么孵蛋？", "ペンギンはどこで泳ぎますか？"])
async def test_what_no_page_tells_is_said_to_be_so(program: Groundwire, question: str) -> None:
    ended = await program.ask(question)

    assert ended.message.plain_text.startswith((NOT_ANSWERED, "The search found nothing"))


@pytest.mark.parametrize(
    ("question", "words"),
    [("水獭怎么飞行？", ("飞行",)), ("水獭吃什么？", ()), ("ペンギン", ("ペンギン",))],
)
def test_a_word_is_called_missing_only_if_nothing_of_it_is_met(
    question: str, words: tuple[str, ...]
) -> None:
    pages = [SourceText(id="1", title="水獭", text=FILES["otter-zh.md"])]

    assert extract(question, pages).missing == words


def test_two_words_without_a_space_are_met_where_they_stand_apart() -> None:
    pages = [SourceText(id="1", title="苍鹭", text=FILES["heron-zh.md"])]

    together, apart = (
        extract(asked, pages) for asked in ("苍鹭冬天飞往哪里", "苍鹭 冬天 飞往 哪里")
    )

    assert together.quotes[0] == apart.quotes[0]
    assert not together.is_doubtful


@pytest.mark.parametrize(
    ("question", "query", "terms"),
    [
        ("水獭怎么睡觉？", "水獭 睡觉", ["水獭", "睡觉"]),
        ("手牵手是什么意思", "手牵手", ["手牵", "牵手"]),
        ("ラッコはどのように眠りますか？", "ラッコ 眠", ["ラッ", "ッコ", "眠"]),
        ("asyncio.run怎么用？", "asyncio.run 用", ["asyncio.run", "用"]),
        ("How do sea otters sleep?", "sea otters sleep", ["sea", "otters", "sleep"]),
    ],
)
def test_a_question_is_searched_as_written_and_compared_by_pairs(
    question: str, query: str, terms: list[str]
) -> None:
    asked = understand(question)

    assert asked.query == query
    assert [term.text for term in asked.terms] == terms
