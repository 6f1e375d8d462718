"""A small handbook of our own: pages whose answers are known."""

from __future__ import annotations

PUMP = """# Pump P-7

The P-7 pump moves up to 40 litres of water per minute.

## Resetting

To reset the pump, hold the green button for five seconds:

```
pumpctl reset --force
```

Resetting clears the hour counter, because the counter lives in the same memory.

## Options

--dry-run

Shows what `pumpctl` would do and changes nothing.

-q

--quiet

Prints errors only.

## Limits

| quantity | limit |
|---|---|
| pressure | The highest pressure is 6 bar. |
| temperature | Water may be at most 60 °C warm. |
"""
FILTER = """# Filters

A *sediment filter* is a sieve that holds back sand before it reaches the pump. It is rinsed once
a week.

The setting `filter.max_age` limits how long a cartridge is used. See arr[1] for a marker.
"""
BOAT = """# Rowing boats

Rowing boats are stored upside down, so that rain does not fill them.
"""
FILES = {"pump.md": PUMP, "filter.md": FILTER, "boats/rowing.md": BOAT}
