"""Runs cases one after the other, each on a stage of its own."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.postgresql import PostgreSql, start_postgresql

from torture.registry import Case
from torture.report import BrokenPromiseError, SkippedError, Tally, progress
from torture.stage import Providers, Scale, Stage

LONGEST_SECONDS = 1_800.0


class Runner:
    """What all cases of one run share."""

    def __init__(self, scale: Scale, stack: ExitStack) -> None:
        self._scale = scale
        self._stack = stack
        self._postgresql: PostgreSql | None = None

    def postgresql(self) -> PostgreSql:
        """Return the one server of this run, started when it is first wanted.

        Raises:
            SkippedError: There is none to start.
        """
        if self._postgresql is None:
            try:
                self._postgresql = start_postgresql()
            except pytest.skip.Exception as reason:
                raise SkippedError(str(reason)) from None
            self._stack.callback(self._postgresql.remove)
        return self._postgresql

    async def run(self, case: Case) -> Tally:
        """Run one case, whatever comes, and return its counts."""
        tally = Tally(name=case.name)
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="groundwire-torture-") as folder:
            stage = Stage(
                tally=tally,
                folder=Path(folder),
                scale=self._scale,
                postgresql=self.postgresql,
                providers=Providers(),
            )
            try:
                async with asyncio.timeout(LONGEST_SECONDS):
                    await case.run(stage)
            except SkippedError as reason:
                tally.skipped = str(reason)
            except Exception as error:  # noqa: BLE001 - one broken case must not hide the others
                is_ours = isinstance(error, BrokenPromiseError)
                tally.problems.append(str(error) if is_ours else f"the case broke: {error!r}")
            finally:
                stage.providers.gone()
        tally.seconds = time.monotonic() - began
        return tally


async def run_all(cases: Sequence[Case], scale: Scale) -> list[Tally]:
    """Run cases and return the counts of each."""
    tallies: list[Tally] = []
    with ExitStack() as stack:
        runner = Runner(scale, stack)
        for number, case in enumerate(cases, 1):
            progress(f"[{number}/{len(cases)}] {case.name}: {case.promise}")
            tally = await runner.run(case)
            tallies.append(tally)
            progress(f"    {_outcome(tally)} after {tally.seconds:.1f} s")
    return tallies


def _outcome(tally: Tally) -> str:
    if tally.skipped:
        return f"skipped: {tally.skipped}"
    how = "good" if tally.is_good else "BROKEN"
    return f"{tally.survived}/{tally.tried} survived, {how}"
