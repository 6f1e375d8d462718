"""Pages in scripts with and without spaces between words: the same is kept of all of them."""

# ruff: noqa: E501 - A paragraph is one line, and these are wide.

from __future__ import annotations

from dataclasses import dataclass

import pytest

from groundwire.reader import extract
from groundwire.reader.phrases import ends_a_sentence, words_of
from groundwire.text.lengths import length_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One article, and what stands around it on the page."""

    language: str
    title: str
    paragraphs: tuple[str, ...]
    heading: str
    menu: tuple[str, ...]
    related: tuple[str, ...]
    legal: str


CHINESE = Told(
    language="zh",
    title="海獺為什麼要牽手睡覺",
    paragraphs=(
        "海獺生活在北太平洋沿岸的淺海裡,一生幾乎都在水中度過。牠們仰面漂浮,用肚子當桌子,在上面敲開貝殼。",
        "睡覺的時候,海獺會把海帶纏在身上,免得被海流帶走。沒有海帶的地方,兩隻海獺會互相牽著前爪。",
        "成年海獺每天要吃掉體重四分之一的食物,主要是海膽、螃蟹和貝類。",
    ),
    heading="食物與天敵",
    menu=("首頁", "動物", "海洋", "關於我們"),
    related=("企鵝怎樣過冬", "鯨魚的歌聲", "珊瑚礁正在變白"),
    legal="版權所有 © 2026 海洋日報",
)
JAPANESE = Told(
    language="ja",
    title="ラッコはなぜ手をつないで眠るのか",
    paragraphs=(
        "ラッコは北太平洋の沿岸にすむ海の哺乳類で、一生のほとんどを水の上で過ごす。仰向けに浮かび、おなかの上で貝を割って食べる。",
        "眠るときは流されないように昆布を体に巻きつける。昆布のない場所では、二頭が前足をつなぐこともある。",
        "大人のラッコは一日に体重の四分の一ほどを食べる。好物はウニやカニ、二枚貝である。",
    ),
    heading="食べ物と天敵",
    menu=("ホーム", "動物", "海", "お問い合わせ"),
    related=("ペンギンの冬の過ごし方", "クジラの歌", "白くなるサンゴ礁"),
    legal="© 2026 海の新聞社 無断転載を禁じます",
)
KOREAN = Told(
    language="ko",
    title="해달은 왜 손을 잡고 잘까",
    paragraphs=(
        "해달은 북태평양 연안의 얕은 바다에 살며 평생을 거의 물 위에서 보낸다. 등을 대고 떠서 배를 식탁처럼 쓰고 조개를 깬다.",
        "잠을 잘 때는 물살에 떠내려가지 않도록 다시마를 몸에 감는다. 다시마가 없는 곳에서는 두 마리가 앞발을 맞잡기도 한다.",
        "다 자란 해달은 하루에 몸무게의 사분의 일을 먹는다. 주로 성게와 게, 조개를 먹는다.",
    ),
    heading="먹이와 천적",
    menu=("홈", "동물", "바다", "회사 소개"),
    related=("펭귄의 겨울나기", "고래의 노래", "하얗게 변하는 산호초"),
    legal="© 2026 바다신문. 무단 전재 금지",
)
THAI = Told(
    language="th",
    title="ทำไมนากทะเลจึงจับมือกันตอนหลับ",
    paragraphs=(
        "นากทะเลอาศัยอยู่ตามชายฝั่งมหาสมุทรแปซิฟิกตอนเหนือ และใช้ชีวิตเกือบทั้งหมดอยู่บนผิวน้ำ มันลอยหงายและใช้ท้องเป็นโต๊ะสำหรับทุบเปลือกหอย",
        "เวลานอน นากทะเลจะเอาสาหร่ายพันรอบตัวเพื่อไม่ให้กระแสน้ำพัดไป ในที่ที่ไม่มีสาหร่าย นากสองตัวจะจับอุ้งเท้าหน้าของกันและกันไว้",
        "นากทะเลโตเต็มวัยกินอาหารวันละหนึ่งในสี่ของน้ำหนักตัว อาหารหลักคือเม่นทะเล ปู และหอย",
    ),
    heading="อาหารและศัตรูตามธรรมชาติ",
    menu=("หน้าแรก", "สัตว์", "ทะเล", "ติดต่อเรา"),
    related=("เพนกวินในฤดูหนาว", "เสียงเพลงของวาฬ", "ปะการังฟอกขาว"),
    legal="© 2026 หนังสือพิมพ์ท้องทะเล สงวนลิขสิทธิ์",
)
ARABIC = Told(
    language="ar",
    title="لماذا تنام ثعالب البحر وهي متشابكة الأيدي",
    paragraphs=(
        "تعيش ثعالب البحر في المياه الضحلة على سواحل شمال المحيط الهادئ، وتقضي معظم حياتها على سطح الماء. تطفو على ظهورها وتكسر الأصداف فوق بطونها.",
        "عند النوم تلف ثعالب البحر الأعشاب البحرية حول أجسادها كي لا يجرفها التيار. وحيث لا توجد أعشاب، يمسك اثنان منها أحدهما بمخلب الآخر.",
        "يأكل ثعلب البحر البالغ كل يوم ما يعادل ربع وزنه، ومعظم طعامه قنافذ البحر والسرطانات والمحار.",
    ),
    heading="الغذاء والأعداء",
    menu=("الرئيسية", "الحيوانات", "البحار", "من نحن"),
    related=("كيف تقضي البطاريق الشتاء", "أغنية الحيتان", "الشعاب المرجانية تبيض"),
    legal="© 2026 صحيفة البحر. جميع الحقوق محفوظة",
)
HINDI = Told(
    language="hi",
    title="समुद्री ऊदबिलाव हाथ पकड़कर क्यों सोते हैं",
    paragraphs=(
        "समुद्री ऊदबिलाव उत्तरी प्रशांत महासागर के तटों पर उथले पानी में रहते हैं और लगभग पूरा जीवन पानी पर ही बिताते हैं। वे पीठ के बल तैरते हैं और पेट पर सीपियाँ तोड़ते हैं।",
        "सोते समय वे समुद्री घास को शरीर पर लपेट लेते हैं ताकि धारा उन्हें बहा न ले जाए। जहाँ घास नहीं होती, वहाँ दो ऊदबिलाव एक दूसरे का पंजा पकड़ लेते हैं।",
        "वयस्क ऊदबिलाव हर दिन अपने वज़न का चौथाई भोजन खाता है, जिसमें ज़्यादातर समुद्री साही, केकड़े और सीपियाँ होती हैं।",
    ),
    heading="भोजन और शत्रु",
    menu=("मुखपृष्ठ", "जानवर", "समुद्र", "हमारे बारे में"),
    related=("पेंगुइन सर्दियाँ कैसे बिताते हैं", "व्हेल का गीत", "सफ़ेद होती मूंगा चट्टानें"),
    legal="© 2026 समुद्र समाचार। सर्वाधिकार सुरक्षित",
)
RUSSIAN = Told(
    language="ru",
    title="Почему каланы спят, держась за лапы",
    paragraphs=(
        "Каланы живут на мелководье у берегов северной части Тихого океана и почти всю жизнь проводят на воде. Они плавают на спине и разбивают раковины на собственном животе.",
        "Перед сном калан обматывается морской капустой, чтобы его не унесло течением. Там, где водорослей нет, два зверя держат друг друга за лапы.",
        "Взрослый калан съедает за день четверть своего веса: в основном морских ежей, крабов и моллюсков.",
    ),
    heading="Пища и враги",
    menu=("Главная", "Животные", "Море", "О нас"),
    related=("Как зимуют пингвины", "Песня китов", "Коралловые рифы белеют"),
    legal="© 2026 Морская газета. Все права защищены",
)
ALL = [CHINESE, JAPANESE, KOREAN, THAI, ARABIC, HINDI, RUSSIAN]


def _names(told: Told) -> str:
    return told.language


def page_of(told: Told) -> str:
    menu = "".join(f'<li><a href="/{n}">{name}</a></li>' for n, name in enumerate(told.menu))
    related = "".join(
        f'<li class="card"><a href="/r{n}">{name}</a></li>' for n, name in enumerate(told.related)
    )
    first, second, third = (f"<p>{text}</p>" for text in told.paragraphs)
    return (
        f'<!doctype html><html lang="{told.language}"><head><meta charset="utf-8">'
        f'<title>{told.title} - X</title></head><body><div class="top-menu"><ul>{menu}</ul></div>'
        f'<div class="wrap"><div class="content"><h1>{told.title}</h1>{first}{second}'
        f"<h2>{told.heading}</h2>{third}</div>"
        f'<div class="sidebar related"><ul>{related}</ul></div></div>'
        f'<div class="footer">{told.legal}</div></body></html>'
    )


@pytest.mark.parametrize("told", ALL, ids=_names)
def test_an_article_is_kept_whole_and_what_is_around_it_is_not(told: Told) -> None:
    extracted = extract(page_of(told).encode(), "text/html; charset=utf-8", "https://sea.example/1")

    first, second, third = told.paragraphs
    expected = f"# {told.title}\n\n{first}\n\n{second}\n\n## {told.heading}\n\n{third}"
    assert extracted.markdown.removeprefix(f"# {told.title}\n\n") in expected
    assert third in extracted.markdown
    assert first in extracted.markdown
    assert extracted.metadata.language == told.language


@pytest.mark.parametrize("told", [CHINESE, THAI], ids=_names)
def test_without_a_class_that_helps_links_beside_an_article_are_still_told_from_it(
    told: Told,
) -> None:
    links = "".join(
        f'<li><a href="/r{n}">{name}</a></li>' for n, name in enumerate(told.related * 2)
    )
    text = "<br><br>".join(told.paragraphs)
    html = (
        f"<title>{told.title}</title><h1>{told.title}</h1><table><tr><td>{text}</td>"
        f"<td><ul>{links}</ul></td></tr></table><p>{told.legal}</p>"
    )

    markdown = extract(html.encode(), "text/html; charset=utf-8", "https://sea.example/1").markdown

    assert all(paragraph in markdown for paragraph in told.paragraphs)
    assert not any(name in markdown for name in told.related)


@pytest.mark.parametrize("told", ALL, ids=_names)
def test_paragraphs_of_every_script_are_as_long_as_what_they_say(told: Told) -> None:
    lengths = [length_of(text) for text in told.paragraphs]

    # In English the three have 184, 172 and 115 characters, 34, 32 and 22 words.
    for (characters, words), (most, many) in zip(
        lengths, ((184, 34), (172, 32), (115, 22)), strict=True
    ):
        assert 0.5 * most < characters < 1.8 * most
        assert 0.5 * many < words < 1.8 * many


@pytest.mark.parametrize("told", ALL, ids=_names)
def test_a_sentence_ends_as_its_script_ends_it(told: Told) -> None:
    assert all(map(ends_a_sentence, told.paragraphs))
    assert not any(map(ends_a_sentence, told.menu))


def test_a_text_of_latin_letters_has_the_length_it_has() -> None:
    assert length_of("Otters hold hands – “often”.") == (28, 5)
    assert length_of("") == (0, 1)


def test_two_chinese_headings_share_the_characters_they_share() -> None:
    assert words_of("海獺 Otter") == ["海", "獺", "otter"]
