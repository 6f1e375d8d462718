"""Ways to lead a reader where it should not go."""

from __future__ import annotations

from functools import partial

from groundwire.sandbox.services.service import HTML, ServiceCall, ServiceReply
from groundwire.sandbox.site.articles import document

# Each is followed by anyone who checks only the first URL. {port} is the sandbox's own.
TARGETS = {
    "loopback": (302, "http://127.0.0.1/"),
    "secret": (302, "http://127.0.0.1:{port}/pages/secret"),
    "secret-by-name": (307, "http://localhost:{port}/pages/secret"),
    "secret-by-number": (302, "http://2130706433:{port}/pages/secret"),
    "secret-by-ipv6": (308, "http://[::ffff:127.0.0.1]:{port}/pages/secret"),
    "loopback-ipv6": (301, "http://[::1]/"),
    "metadata": (307, "http://169.254.169.254/latest/meta-data/"),
    "private": (302, "http://10.0.0.1/admin"),
    "router": (303, "http://192.168.0.1/"),
    "file": (302, "file:///etc/passwd"),
    "data": (302, "data:text/html,<p>inside</p>"),
    "script": (302, "javascript:alert(1)"),
    "userinfo": (302, "http://example.org@127.0.0.1/"),
    "no-scheme": (302, "//127.0.0.1/"),
    "garbage": (302, "http://[half"),
}
MOST_STEPS = 100


def to(call: ServiceCall, name: str) -> ServiceReply:
    """Redirect to one of the targets."""
    status, target = TARGETS[name]
    return _redirect(status, target.replace("{port}", str(call.port)))


def loop(_call: ServiceCall) -> ServiceReply:
    """Redirect to itself."""
    return _redirect(302, "/pages/hostile/loop")


def ping(_call: ServiceCall) -> ServiceReply:
    """Redirect to the page that redirects back."""
    return _redirect(302, "/pages/hostile/pong")


def pong(_call: ServiceCall) -> ServiceReply:
    """Redirect back."""
    return _redirect(307, "/pages/hostile/ping")


def growing(call: ServiceCall) -> ServiceReply:
    """Redirect for ever, to a longer URL each time, so that no loop is seen."""
    return _redirect(302, f"/pages/hostile/growing?{call.query_text}x")


def chain(call: ServiceCall) -> ServiceReply:
    """Redirect `?steps=` times (10), then show a page."""
    steps = min(int(call.query_number("steps", 10)), MOST_STEPS)
    if steps <= 0:
        return ServiceReply(
            body=document("Arrived", "<p>The end of the chain.</p>"), content_type=HTML
        )
    return _redirect(302, f"/pages/hostile/chain?steps={steps - 1}")


def nowhere(_call: ServiceCall) -> ServiceReply:
    """Redirect without saying where."""
    return ServiceReply(status=302, body=document("Moved", "<p>Somewhere.</p>"), content_type=HTML)


def refresh(call: ServiceCall) -> ServiceReply:
    """Redirect inside the page."""
    target = f"http://127.0.0.1:{call.port}/pages/secret"
    head = f'<meta http-equiv="refresh" content="0; url={target}">\n'
    return ServiceReply(body=document("Moved", "<p>Wait.</p>", head), content_type=HTML)


REDIRECTS = {f"redirect-{name}": partial(to, name=name) for name in TARGETS} | {
    "loop": loop,
    "ping": ping,
    "pong": pong,
    "growing": growing,
    "chain": chain,
    "redirect-nowhere": nowhere,
    "redirect-refresh": refresh,
}


def _redirect(status: int, location: str) -> ServiceReply:
    return ServiceReply(status=status, headers={"location": location}, content_type=HTML)
