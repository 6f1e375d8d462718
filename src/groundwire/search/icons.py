"""Icons of sources: one small picture for each site, opened through the guard and cached."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from groundwire import guard
from groundwire.cache import key_of
from groundwire.errors import GroundwireError
from groundwire.search.pictures import media_type_of

if TYPE_CHECKING:
    from groundwire.guard import DomainPolicy, WebUrl
    from groundwire.search.search_context import SearchContext

MAX_BYTES = 100_000
KEPT_SECONDS = 7 * 86_400
_NONE = b""
_TROUBLE = 429
_ACCEPT = {"Accept": "image/png,image/gif,image/x-icon,*/*;q=0.1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Icon:
    """A picture that a browser may be given, with the type that its bytes have."""

    media_type: str
    body: bytes


async def site_icon(
    search_context: SearchContext, url: str, policy: DomainPolicy = guard.ANYWHERE
) -> Icon | None:
    """Return the icon of the site of a page, None where there is none that may be shown.

    `policy`, which narrows the settings' own, holds for the icon and its redirects as for pages. No
    failure is an error: letters stand in the place of an icon.
    """
    narrowed = search_context.domains.narrowed(policy)
    try:
        ports = frozenset(search_context.settings.network.page_ports)
        target = guard.follow(guard.parse(url, ports=ports), "/favicon.ico", ports=ports)
        narrowed.check(target)
        key = key_of("icon", url=str(target), policy=asdict(narrowed))
        entry = await search_context.cache.get(key)
        if entry and entry.age_seconds < KEPT_SECONDS:
            return _checked(entry.value)
        ask = partial(_fetch, search_context, target, narrowed, key)
        return _checked(await search_context.icons.join(key, ask))
    except GroundwireError:
        return None


async def _fetch(
    search_context: SearchContext, target: WebUrl, policy: DomainPolicy, key: str
) -> bytes:
    """Ask a site for its icon; that it has none is an answer too, but trouble is not kept."""
    reply = await search_context.client.fetch_page(
        str(target),
        policy,
        headers=_ACCEPT,
        enter=search_context.rate_limits.page,
        max_bytes=MAX_BYTES,
    )
    if reply.is_truncated or reply.status >= _TROUBLE:
        return _NONE
    body = reply.body if reply.status == 200 and media_type_of(reply.body) else _NONE
    await search_context.cache.put(key, body)
    return body


def _checked(body: bytes) -> Icon | None:
    """Return what is a picture; a cache's file may have been written by anyone."""
    media_type = media_type_of(body)
    return Icon(media_type=media_type, body=body) if media_type else None
