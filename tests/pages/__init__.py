"""Chat pages to be driven in tests, all behind one scripted bot: `bot` is what it says, `serve` starts a page."""
