"""A chat page as a system under test: a real browser types the question and reads the answer off the page."""

from neraca.targets.browser.target import BrowserTarget

__all__ = ["BrowserTarget"]
