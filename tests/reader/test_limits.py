"""How much of a page is read, and what it says when that is not all."""

from __future__ import annotations

import pytest

from groundwire.reader import extract

PROSE = "The otter swims down the river, and on its way it eats a good many fish. " * 6
HIDDEN = "This sentence is hidden by a class of the page's own style sheet."


def test_more_blocks_than_the_limit_are_left_out_and_said() -> None:
    rows = "".join(f"<tr><td>cell {number}</td></tr>" for number in range(20_000))

    extracted = extract(f"<article><p>{PROSE}</p><table>{rows}</table>last</article>".encode())

    assert extracted.is_cut
    assert "cell 100" in extracted.markdown
    assert "cell 19999" not in extracted.markdown


@pytest.mark.parametrize(("filler", "is_shown"), [(299_900, False), (300_000, True)])
def test_a_style_sheet_over_the_limit_is_not_read(filler: int, is_shown: bool) -> None:
    sheet = f".k{{display:none}}{'/' * filler}"
    html = (
        f"<head><style>{sheet}</style></head><body><main><h1>Otters</h1>"
        f'<p>{PROSE}</p><p class="k">{HIDDEN}</p><p>{PROSE}</p></main></body>'
    )

    extracted = extract(html.encode())

    assert (HIDDEN in extracted.markdown) is is_shown
