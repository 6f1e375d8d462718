"""A Chromium whose only way to the web is a proxy that asks the guard."""
