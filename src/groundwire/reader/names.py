"""What the names in a page's markup say: classes and ids, sorted into groups of meaning."""

from __future__ import annotations

import re
from functools import lru_cache

# A stem may stand anywhere in a class or id. Of two stems at one place the longer one counts.
_STEMS = {
    "content": "content article story entry body text prose markdown rte",
    "main": "main primary",
    "post": "post blog",
    "navigation": "nav menu breadcrumb crumb tabs sitemap topbar skip",
    "footer": "footer foot copyright colophon legal",
    "header": "header masthead banner hero",
    "sidebar": "sidebar aside rail widget secondary complementary",
    "related": "related recommend similar suggest popular trending latest also upsell sell recirc",
    "share": "share sharing social follow facebook twitter whatsapp pinterest linkedin",
    "comment": "comment disqus discussion respond",
    "forum": "forum thread topic reply replies message msg answer question conversation",
    "review": "review rating testimonial star",
    "advertisement": "advert sponsor promo adslot googlead dfp outbrain taboola affiliate",
    "signup": "newsletter subscribe subscription signup optin mailing login signin register",
    "notice": "cookie consent gdpr privacy popup modal overlay alert notification toast dialog",
    "byline": "byline author contributor avatar profile signature bio",
    "meta": "meta date timestamp published tags taglist category categories label badge",
    "pagination": "pagination pager paging pagenum",
    "search": "search filter facet sort refine",
    "product": "product price sku variant swatch",
    "shop": "cart checkout basket wishlist shipping delivery compare buy",
    "description": "description summary excerpt intro lead abstract overview spec feature detail",
    "listing": "listing list grid card tile item results collection archive",
    "title": "title headline heading",
    "caption": "caption figure gallery image photo video media slide carousel",
    "contents": "toc contents",
    "code": "highlight syntax",
    "reference": "reference footnote citation endnote",
    "question": "faq accordion collapse toggle",
    "user": "user member account",
    "contact": "contact address phone email hours location",
    "table": "infobox table",
    "hidden": "hidden invisible screen print",
    "button": "button btn cta",
    "form": "form input field",
    "quote": "quote bbcode",
}
GROUPS = tuple(_STEMS)
_BIT = {stem: 1 << bit for bit, stems in enumerate(_STEMS.values()) for stem in stems.split()}
_STEM = re.compile("|".join(sorted(_BIT, key=len, reverse=True)))
_WORD = re.compile(r"[a-z]{3,}")

# The heading above a block often says that what follows is not the page's own matter.
_ASIDE = re.compile(
    r"\b(?:related|recommend|you (?:may|might)|more (?:from|in|on|stories|articles|news)|popular"
    r"|trending|latest|recent|share|follow|subscribe|newsletter|sign up|log ?in|comments?|leave a"
    r"|reply|replies|categories|archives?|tags|about the author|see also|read (?:more|next)"
    r"|customers also|similar|contact|navigation|menu|search|links|advert\w*|sponsored|most read"
    r"|top stories|footer|company|support|legal|resources|connect|get in touch|cookies?|privacy)\b"
)


# The same in the languages of most other pages; Chinese and Japanese have no ends of words.
_ASIDE_ELSEWHERE = re.compile(
    r"相关|相關|推荐|推薦|热门|熱門|最新|评论|評論|留言|分享|訂閱|订阅|関連|おすすめ|人気|コメント"
    r"|ランキング|シェア|관련|추천|인기|댓글|공유|เกี่ยวข้อง|แนะนำ|ความคิดเห็น|читайте также|похожие"
    r"|комментари|популярн|поделиться|подпис|ähnliche|verwandte|empfohlen|beliebt|kommentare|teilen"
    r"|mehr zum thema|auch interessant|articles? liés|à lire aussi|commentaires|partager|recommandé"
    r"|relacionad|comentarios|compartir|te puede interesar|recomendad|correlati|condividi|ذات صلة"
    r"|تعليقات|شارك|संबंधित|टिप्पणि"
)


def group_bits(*groups: str) -> int:
    """Return the bits of some groups, named as in GROUPS."""
    return sum(1 << GROUPS.index(group) for group in groups)


@lru_cache(maxsize=20_000)
def groups_of(names: str) -> int:
    """Return the groups that an element's class and id name, one bit each in order of GROUPS."""
    bits = 0
    for word in _WORD.findall(names.lower()):
        bits |= _groups_of_word(word)
    return bits


@lru_cache(maxsize=20_000)
def _groups_of_word(word: str) -> int:
    bits = 0
    for stem in _STEM.findall(word):
        bits |= _BIT[stem]
    return bits


def is_aside(heading: str) -> bool:
    """Tell whether a heading announces something beside the page's own matter."""
    if len(heading) >= 60:
        return False
    lowered = heading.lower()
    return _ASIDE.search(lowered) is not None or _ASIDE_ELSEWHERE.search(lowered) is not None
