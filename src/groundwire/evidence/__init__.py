"""Evidence to take away: bundles, exports and recordings of answers and the pages behind them."""
