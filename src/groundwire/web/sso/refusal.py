"""Why somebody could not sign in, with the next step, and the page that says so."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse

from groundwire.web.error_responses import WebError

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Not signed in · Groundwire</title>
<link rel="icon" href="/page/icon.svg" type="image/svg+xml">
<script src="/page/theme.js"></script>
<link rel="stylesheet" href="/page/base.css">
<link rel="stylesheet" href="/page/entry/entry.css">
</head>
<body>
<main class="entry">
  <p class="entry-brand"><svg class="icon" aria-hidden="true"><use href="/page/icons.svg#ground"/></svg>Groundwire</p>
  <div class="entry-card">
    <h1>You are not signed in</h1>
    <div class="notice" data-kind="error" role="alert"><svg class="icon" aria-hidden="true"><use href="/page/icons.svg#warning"/></svg><p>{message}</p></div>
    <a class="button" href="/sso/login">Try again</a>
    <p class="entry-other"><a href="/login">Other ways to sign in</a></p>
  </div>
  <p class="entry-note">For the owner of this server: {code}{request}</p>
</main>
</body>
</html>
"""  # noqa: E501 - it is a page


class SignInRefusedError(WebError):
    """Nobody was signed in; the message says why and what to do, `code` which rule it was."""


def refusal_page(error: WebError, request_id: str) -> HTMLResponse:
    """Return a refusal as a page; what a provider wrote is never in it."""
    message = str(error)
    shown = f"{message[:1].upper()}{message[1:]}."
    request = f", request {escape(request_id)}" if request_id else ""
    page = _PAGE.format(message=escape(shown), code=escape(error.code), request=request)
    headers = {"cache-control": "no-store"}
    if error.retry_after_seconds is not None:
        headers["retry-after"] = str(error.retry_after_seconds)
    return HTMLResponse(page, error.status, headers=headers)
