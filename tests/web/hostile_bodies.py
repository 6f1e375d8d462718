"""Bodies made to cost as much as they can, each as large as it is asked to be."""

from __future__ import annotations

from collections.abc import Callable

Shape = Callable[[int], bytes]


def _repeated(before: str, piece: str, after: str) -> Shape:
    """Return a shape of one piece, again and again."""

    def make(size: int) -> bytes:
        whole = (before.encode(), piece.encode(), after.encode())
        count = (size - len(whole[0]) - len(whole[2])) // len(whole[1])
        return whole[0] + whole[1] * count + whole[2]

    return make


def _unknown_keys(size: int) -> bytes:
    keys = ",".join(f'"k{number}":1' for number in range(size // 14))
    return f"{{{keys}}}".encode()


def _nested(opening: str, closing: str) -> Shape:
    def make(size: int) -> bytes:
        count = size // (len(opening) + len(closing))
        return (opening * count + closing * count).encode()

    return make


_FILE = '{"type":"file","mime_type":"text/plain","base64_data":"'


def _twenty_files(size: int) -> bytes:
    each = max(4, (size // 20 - 100) // 4 * 4)
    file = f'{_FILE}{"A" * each}"}}'
    return f'{{"text":"x","attachments":[{",".join([file] * 20)}]}}'.encode()


def _one_file(size: int, ending: str = "") -> bytes:
    length = (size - 100) // 4 * 4 - len(ending)
    return f'{{"text":"x","attachments":[{_FILE}{"A" * length}{ending}"}}]}}'.encode()


SHAPES: dict[str, Shape] = {
    "unknown keys": _unknown_keys,
    "the same key": _repeated('{"a":1', ',"a":1', "}"),
    "one long key": _repeated('{"', "k", '":1}'),
    "lists in lists": _nested("[", "]"),
    "objects in objects": _nested('{"a":', "}"),
    "lists that never end": _repeated("", "[", ""),
    "objects that never end": _repeated("", '{"a":', ""),
    "many numbers": _repeated('{"domains":[1', ",1", "]}"),
    "many texts": _repeated('{"domains":["a"', ',"a"', "]}"),
    "many empty objects": _repeated('{"attachments":[{}', ",{}", "]}"),
    "many names": _repeated('{"web_allowed_domains":["a.b"', ',"a.b"', "]}"),
    "a long text": _repeated('{"text":"', "a long text ", '"}'),
    "a long word": _repeated('{"text":"', "word", '"}'),
    "a wide text": _repeated('{"text":"\U0001f9a6', "a ", '"}'),
    "otters": _repeated('{"text":"', "\U0001f9a6", '"}'),
    "escaped lines": _repeated('{"text":"', "\\n", '"}'),
    "escaped letters": _repeated('{"text":"', "\\u4e00", '"}'),
    "escaped quotes": _repeated('{"text":"', '\\"', '"}'),
    "escaped backslashes": _repeated('{"text":"', "\\\\", '"}'),
    "halves of pairs": _repeated('{"text":"', "\\ud83e", '"}'),
    "nulls": _repeated('{"text":"', "\\u0000", '"}'),
    "space": _repeated("{", " ", "}"),
    "a long number": _repeated('{"text":', "1", "}"),
    "a text that never ends": _repeated('{"text":"', "a", ""),
    "texts without commas": _repeated("", '"a"', ""),
    "quotes": _repeated("", '"', ""),
    "no JSON": _repeated("", "x", ""),
    "no UTF-8": lambda size: b'{"text":"' + b"\xff" * (size - 11) + b'"}',
    "one file": _one_file,
    "one file with slashes escaped": _repeated(f'{{"attachments":[{_FILE}', "AA\\/A", '"}]}'),
    "one file that is none at its end": lambda size: _one_file(size, "\u00e4"),
    "twenty files": _twenty_files,
}
