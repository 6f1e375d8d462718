"""The built-in pages: a dozen topics, two or three pages each, some far from ASCII."""

from __future__ import annotations

from groundwire.sandbox.web import WebPage

_DOCS = "https://docs.example.org"
_NEWS = "https://news.example.com"
_WIKI = "https://wiki.example.net"
_BLOG = "https://blog.example.org"

PAGES = (
    WebPage(
        url=f"{_WIKI}/sea-otter",
        title="Sea otter",
        published="2026-03-02",
        passages=(
            (
                "Sea otters have the densest fur of all animals. A square centimetre holds up "
                "to 150,000 hairs."
            ),
            (
                "Resting sea otters wrap themselves in kelp so that the current does not "
                "carry them away. Some hold paws while they sleep 🦦."
            ),
        ),
    ),
    WebPage(
        url=f"{_NEWS}/2026/05/otters-return",
        title="Otters return to the river",
        published="2026-05-18",
        passages=(
            (
                "River otters were counted at nine places along the valley this spring. Ten "
                "years ago there were none."
            ),
            "Cleaner water brought back the fish, and the fish brought back the otters.",
        ),
    ),
    WebPage(
        url=f"{_DOCS}/asyncio/tasks",
        title="Asyncio tasks",
        published="2026-08-11",
        passages=(
            (
                "A task wraps a coroutine and runs it in the event loop. Keep a reference to "
                "every task, because the loop itself holds only a weak one."
            ),
            (
                "Cancelling a task raises CancelledError at its next await. Clean up in a "
                "finally block and let the error pass on."
            ),
        ),
    ),
    WebPage(
        url=f"{_DOCS}/asyncio/queues",
        title="Asyncio queues",
        published="2026-08-11",
        passages=(
            "A queue with a maximum size makes a fast producer wait for a slow consumer.",
            ("Since Python 3.13 a queue can be shut down, and waiting readers then get an error."),
        ),
    ),
    WebPage(
        url=f"{_BLOG}/asyncio-pitfalls",
        title="Five asyncio pitfalls",
        passages=(
            (
                "The most common asyncio mistake is a blocking call inside a coroutine. Every "
                "other task stands still until it returns."
            ),
        ),
    ),
    WebPage(
        url=f"{_WIKI}/tide",
        title="Tide",
        published="2025-11-30",
        passages=(
            (
                "Tides are caused by the pull of the Moon and the Sun on the oceans. Most "
                "coasts see two high tides a day."
            ),
            "Spring tides come at new and full moon, when Sun and Moon pull in one line.",
        ),
    ),
    WebPage(
        url=f"{_NEWS}/2026/02/tidal-power",
        title="A year of tidal power",
        published="2026-02-09",
        passages=(
            (
                "The tidal turbine in the strait ran for 7,900 hours in its first year. It "
                "fed 3.1 gigawatt hours into the grid."
            ),
        ),
    ),
    WebPage(
        url=f"{_BLOG}/sourdough-starter",
        title="Sourdough from nothing",
        published="2026-01-14",
        passages=(
            (
                "A sourdough starter needs flour, water and about a week. Feed it once a day "
                "and keep it at 25 °C."
            ),
            "The starter is ready when it doubles within six hours 🍞.",
        ),
    ),
    WebPage(
        url=f"{_WIKI}/sourdough",
        title="Sourdough bread",
        published="2025-06-21",
        passages=(
            (
                "Sourdough bread rises with wild yeast and lactic acid bacteria instead of "
                "baker's yeast. The acid keeps it fresh for longer."
            ),
        ),
    ),
    WebPage(
        url=f"{_WIKI}/de/umlaut",
        title="Umlaute: ä, ö und ü",
        published="2026-04-07",
        passages=(
            (
                "Die Umlaute ä, ö und ü stehen in Wörterbüchern meist wie a, o und u. In "
                "Telefonbüchern gelten sie als ae, oe und ue."
            ),
            "Das ß gibt es seit 2017 auch als großen Buchstaben ẞ.",
        ),
    ),
    WebPage(
        url=f"{_DOCS}/unicode/umlauts",
        title="Umlauts in Unicode",
        published="2026-04-20",
        passages=(
            (
                "An umlaut can be one code point (ü, U+00FC) or two (u and U+0308). Normalise "
                "to NFC before you compare „Müller“ with „Müller“."
            ),
        ),
    ),
    WebPage(
        url=f"{_WIKI}/ja/shinkansen",
        title="新幹線 (Shinkansen)",
        published="2026-06-01",
        passages=(
            "新幹線は1964年10月1日に東京と新大阪の間で開業した。最高速度は時速320キロメートルである。",
            "The Shinkansen between Tōkyō and Shin-Ōsaka opened on 1 October 1964.",
        ),
    ),
    WebPage(
        url=f"{_NEWS}/2026/07/shinkansen-delay",
        title="How punctual is the Shinkansen?",
        published="2026-07-15",
        passages=(
            ("The average delay of a Shinkansen train is below one minute, storms included 🚄."),
            "A train counts as late after only sixty seconds (一分).",
        ),
    ),
    WebPage(
        url=f"{_DOCS}/unicode/emoji",
        title="Emoji in Unicode",
        published="2026-09-09",
        passages=(
            (
                "Most emoji lie outside the Basic Multilingual Plane and take four bytes in "
                "UTF-8. The family 👩‍👩‍👧 is three people and two joiners."
            ),
            "A flag such as 🇯🇵 is written with two regional indicators.",
        ),
    ),
    WebPage(
        url=f"{_BLOG}/counting-emoji",
        title="Counting emoji is hard",
        passages=(
            (
                "Python counts code points, JavaScript counts UTF-16 units and Gemini counts "
                "bytes. The same emoji 🙂 is therefore one, two or four long."
            ),
        ),
    ),
    WebPage(
        url=f"{_WIKI}/lighthouse",
        title="Lighthouse",
        published="2025-09-12",
        passages=(
            (
                "A lighthouse marks a coast with a light of its own rhythm. Sailors tell one "
                "from another by counting the seconds between flashes."
            ),
            "The Fresnel lens made lighthouse beams visible from more than 30 kilometres.",
        ),
    ),
    WebPage(
        url=f"{_NEWS}/2026/08/last-keeper",
        title="The last lighthouse keeper",
        published="2026-08-30",
        passages=(
            (
                "The last lighthouse keeper of the island retired in August after 41 years. "
                "The lamp has been automatic since 1998."
            ),
        ),
    ),
    WebPage(
        url=f"{_DOCS}/bicycle/chain",
        title="When to change a bicycle chain",
        published="2026-02-27",
        passages=(
            (
                "Replace a bicycle chain once it has stretched by 0.75 per cent. A worn chain "
                "eats the sprockets, which cost far more."
            ),
        ),
    ),
    WebPage(
        url=f"{_WIKI}/bicycle",
        title="Bicycle",
        published="2026-03-19",
        passages=(
            (
                "A bicycle turns about 98 per cent of the rider's effort at the pedals into "
                "motion. No other vehicle is as efficient."
            ),
        ),
    ),
    WebPage(
        url=f"{_BLOG}/coffee-grind",
        title="Grind size and coffee taste",
        published="2026-05-05",
        passages=(
            (
                "Coffee that is ground too fine tastes bitter, and coffee ground too coarse "
                "tastes sour. Change the grind before you change the beans ☕."
            ),
        ),
    ),
    WebPage(
        url=f"{_WIKI}/coffee",
        title="Coffee",
        published="2025-12-24",
        passages=(
            (
                "Coffee is brewed from the roasted seeds of the coffee plant. Ethiopia is "
                "regarded as its origin."
            ),
            "The French café crème and the German Milchkaffee are near relatives.",
        ),
    ),
    WebPage(
        url=f"{_WIKI}/volcano",
        title="Volcano",
        published="2026-01-29",
        passages=(
            (
                "A volcano is an opening through which magma reaches the surface. About 1,350 "
                "are considered potentially active."
            ),
        ),
    ),
    WebPage(
        url=f"{_NEWS}/2026/09/volcano-eyjafjoell",
        title="Volcano watch: Eyjafjallajökull stays quiet",
        published="2026-09-27",
        passages=(
            (
                "The volcano Eyjafjallajökull showed no unusual tremors this summer. Its ash "
                "closed much of Europe's airspace in April 2010 🌋."
            ),
        ),
    ),
    WebPage(
        url=f"{_WIKI}/chess",
        title="Chess",
        published="2026-02-02",
        passages=(
            (
                "Chess has been played in its present form since the late fifteenth century. "
                "The queen became the strongest piece then."
            ),
            "The pieces have their own characters: ♔ ♕ ♖ ♗ ♘ ♙.",
        ),
    ),
    WebPage(
        url=f"{_DOCS}/chess/castling",
        title="Castling rules in chess",
        published="2026-02-03",
        passages=(
            (
                "Castling is allowed only if neither king nor rook has moved. The king may "
                "not castle out of, through or into check."
            ),
        ),
    ),
    WebPage(
        url=f"{_DOCS}/solar/panels",
        title="Solar panels on a balcony",
        published="2026-06-12",
        passages=(
            (
                "A balcony solar panel of 800 watts yields about 600 kilowatt hours a year. "
                "Face it south and tilt it by 35 degrees ☀️."
            ),
        ),
    ),
    WebPage(
        url=f"{_NEWS}/2026/10/solar-record",
        title="Solar power sets a record",
        published="2026-10-04",
        passages=(
            (
                "Solar power covered 31 per cent of demand in June, more than any other "
                "source. It was the first month on record with that result."
            ),
        ),
    ),
)
