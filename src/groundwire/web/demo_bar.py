"""The bar at the top of a demo's pages: what leaves this machine, and how to go on with a key."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from groundwire.web.page_files import packed_file

if TYPE_CHECKING:
    from groundwire.web.options import DemoMode
    from groundwire.web.page_files import PageFile

_HEAD = b"</head>"
_BODY = b"<body>"
_STYLE = b'<link rel="stylesheet" href="/page/demo.css">'
_OFFLINE = "<strong>Demo: nothing leaves this machine.</strong>"
_WITH_KEYS = "<strong>Demo: only agents with your key ask anyone outside.</strong>"
_BAR = """
<aside class="demo-bar" aria-label="About this demo">
<p>{first}
<span>Answers come from Groundwire’s own documentation; providers are simulated.</span></p>
<details><summary>Go on with a key</summary>
<div class="demo-next">
<p>A key in the environment adds the real service to this demo:</p>
<pre><code>ANTHROPIC_API_KEY=… groundwire demo</code></pre>
<p>To keep settings and chats, set it up and serve it:</p>
<pre><code>groundwire setup\ngroundwire serve --open</code></pre>
<p>Settings, Start here then asks three things: model, search service and domains.</p>
</div></details>
</aside>
"""


@lru_cache(maxsize=8)
def with_bar(page: PageFile, demo: DemoMode) -> PageFile:
    """Return a page of a demo: the bar is in its first bytes, so nothing moves later."""
    bar = _BAR.format(first=_WITH_KEYS if demo.has_keys else _OFFLINE)
    body = page.body.replace(_HEAD, _STYLE + _HEAD, 1).replace(_BODY, _BODY + bar.encode(), 1)
    return packed_file(body, page.media_type)
