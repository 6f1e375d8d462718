"""Languages that put no spaces between words: what is found and shown, with either index."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.library import Library
from groundwire.library.snippets import LENGTH, snippet, words_alike
from groundwire.library.words import words_of
from tests.library.folders import add, write

NOTES = "https://library.test/notes/"
OTTERS = {
    "chinese": "水獭在海里睡觉时会手牵手。",
    "traditional": "海獺在海裡睡覺時會手牽手。",
    "japanese": "ラッコは海で眠るとき、手をつないで離れないようにします。",
    "thai": "นากทะเลจับมือกันเวลานอนหลับในทะเล",
    "lao": "ນາກທະເລຈັບມືກັນເວລານອນຫຼັບ",
    "khmer": "ភេសមុទ្រកាន់ដៃគ្នាពេលគេង",
    "burmese": "ပင်လယ်ဖျံများသည်အိပ်နေစဉ်လက်ချင်းတွဲထားကြသည်",
}
HERONS = {
    "chinese": "苍鹭一动不动地站在水边等鱼。",
    "traditional": "蒼鷺一動不動地站在水邊等魚。",
    "japanese": "アオサギは川辺でじっと魚を待ちます。",
    "thai": "นกกระสายืนนิ่งรอปลาริมแม่น้ำ",
    "lao": "ນົກຍາງຢືນຖ້າປາຢູ່ແຄມນ້ຳ",
    "khmer": "កុកឈររង់ចាំត្រីនៅមាត់ទន្លេ",
    "burmese": "ဗျိုင်းသည်မြစ်ကမ်းတွင်ငါးကိုစောင့်သည်",
}
# Two words that stand apart, a question, and one word inside of a run.
QUERIES = {
    "chinese": ("水獭 睡觉", "水獭怎么睡觉？", "睡觉", "海", "手牵手"),
    "traditional": ("海獺 睡覺", "海獺怎麼睡覺？", "睡覺", "海", "手牽手"),
    "japanese": ("ラッコ 眠る", "ラッコはどのように眠りますか？", "ラッコ", "海", "ﾗｯｺ"),
    "thai": ("นากทะเล นอนหลับ", "นากทะเลนอนหลับอย่างไร", "จับมือ", "นาก"),
    "lao": ("ນາກທະເລ ນອນຫຼັບ", "ນາກທະເລນອນຫຼັບແນວໃດ", "ຈັບມື"),
    "khmer": ("ភេសមុទ្រ គេង", "ភេសមុទ្រគេងយ៉ាងដូចម្តេច", "កាន់ដៃ"),
    "burmese": ("ပင်လယ်ဖျံ အိပ်", "ပင်လယ်ဖျံဘယ်လိုအိပ်သလဲ", "လက်ချင်း"),
}

each_index = pytest.mark.parametrize("index", ["fts5", "tantivy"])


@pytest.fixture(scope="module", params=["fts5", "tantivy"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with two notes in each of the languages."""
    folder = tmp_path_factory.mktemp("unspaced")
    notes = {f"{name}/otter.md": text for name, text in OTTERS.items()}
    herons = {f"{name}/heron.md": text for name, text in HERONS.items()}
    add(folder / "l", write(folder / "notes", notes | herons), index=request.param)
    return folder / "l"


@pytest.mark.parametrize(
    ("language", "query"), [(name, query) for name, some in QUERIES.items() for query in some]
)
def test_words_are_found_in_the_middle_of_a_run(library: Path, language: str, query: str) -> None:
    with Library(library) as opened:
        found = opened.search(query)

    assert found[0].document.path.endswith("otter.md")
    assert OTTERS[language] in [hit.text for hit in found]


@pytest.mark.parametrize("query", ["水獭 睡觉", "水獭怎么睡觉？", "手牵手", "ラッコ 眠る", "จับมือ"])
def test_other_documents_are_not_found(library: Path, query: str) -> None:
    with Library(library) as opened:
        assert len(opened.search(query)) == 1


@pytest.mark.parametrize("query", ["獭睡", "จบ", "企鹅", "猫"])
def test_characters_that_stand_nowhere_side_by_side_find_nothing(library: Path, query: str) -> None:
    with Library(library) as opened:
        assert opened.search(query) == []


@each_index
def test_words_in_latin_letters_are_found_beside_others(tmp_path: Path, index: str) -> None:
    add(
        tmp_path / "l",
        write(tmp_path / "notes", {"a.md": "用asyncio.run运行2024年的程序"}),
        index=index,
    )

    with Library(tmp_path / "l") as library:
        for query in ("asyncio.run怎么用", "2024年", "asyncio 程序", "run运行"):
            assert [hit.document.url for hit in library.search(query)] == [f"{NOTES}a.md"], query


@each_index
def test_what_was_removed_is_not_found(tmp_path: Path, index: str) -> None:
    notes = write(tmp_path / "notes", {"a.md": OTTERS["chinese"], "b.md": OTTERS["thai"]})
    add(tmp_path / "l", notes, index=index)

    with Library(tmp_path / "l", writes=True) as library:
        library.remove(library.documents())
        library.put_collection("n", "/", "")

        assert library.search("水獭 睡觉") == []
        assert library.search("นาก") == []


def test_a_snippet_shows_where_the_pairs_are_to_the_letter() -> None:
    passage = "这里没有什么值得一提的事情发生。" * 40 + OTTERS["chinese"] + "后来又下雨了。" * 60

    shown = snippet(passage, words_alike(words_of("水獭怎么睡觉？")))

    assert OTTERS["chinese"] in shown
    assert shown.removeprefix("… ").removesuffix(" …") in passage
    assert len(shown) <= LENGTH + 4


def test_a_snippet_at_the_end_of_a_long_run_is_no_longer_than_others() -> None:
    passage = "这里没有什么值得一提的事情发生。" * 40 + OTTERS["chinese"]

    shown = snippet(passage, words_alike(words_of("手牵手")))

    assert shown.endswith(OTTERS["chinese"])
    assert len(shown) <= LENGTH + 4


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ("水獭 睡觉", (("水獭",), ("睡觉",))),
        ("水獭怎么睡觉？", (("水獭",), ("睡觉",))),
        ("手牵手", (("手牵", "牵手"),)),
        ("什么是水獭", (("水獭",),)),
        ("水獭的皮毛", (("水獭",), ("皮毛",))),
        ("什么？", (("什么",),)),
        ("海", (("海",),)),
        ("Python怎么用", (("python",), ("用",))),
        ("ラッコはどのように眠りますか？", (("ラッ", "ッコ"), ("眠",))),
        ("おにぎりの作り方", (("おに", "にぎ", "ぎり"), ("作",), ("方",))),
        ("か\u3099っこう", (("がっ", "っこ", "こう"),)),
        ("นอนหลับอย่างไร", (("นอ", "อน", "นห", "หลั", "ลับ"),)),
        ("수달은 어떻게 자나요", (("수달은",), ("어떻게",), ("자나요",))),
    ],
)
def test_pairs_of_characters_are_the_words_of_a_query(
    query: str, phrases: tuple[tuple[str, ...], ...]
) -> None:
    assert words_of(query).phrases == phrases
