"""A real browser at a studio, which waits for each screen and notes what it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helpers.studio_server import StudioServer

PATIENCE = 600_000
"""Milliseconds to wait for something on a busy machine; nothing is judged by it."""


class Browser:
    """A browser at a studio, which notes what it asks for and what it complains about."""

    def __init__(self, launched: Any, server: StudioServer, **options: Any) -> None:
        self.server = server
        self.context = launched.new_context(**options)
        self.context.set_default_timeout(PATIENCE)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def enter(self) -> None:
        self.page.goto(self.server.door.as_uri())
        self.page.wait_for_url(self.server.address() + "/")

    def read(self, address: str) -> str:
        """What the page's own script gets from an address."""
        found: str = self.page.evaluate("address => fetch(address).then(answer => answer.text())", address)
        return found

    def follow(self, link: str) -> None:
        """Press a link and wait until the next screen and its scripts are there."""
        with self.page.expect_navigation():
            self.page.get_by_role("link", name=link).click()

    def go(self, screen: str) -> None:
        self.page.goto(f"{self.server.address()}/{screen}")
        at_rest(self.page)

    def tab_to(self, selector: str) -> None:
        """Press Tab until something has the focus."""
        for _ in range(150):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"Tab does not reach {selector}")

    def enter_link(self, selector: str) -> None:
        """Reach a link by Tab alone, press Enter, and wait for the next screen."""
        self.tab_to(selector)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")


def at_rest(page: Any) -> None:
    """Wait until no work goes on: a screen that shows its progress is loaded anew at the end of it."""
    page.locator("[data-running]").wait_for(state="detached")
    page.wait_for_load_state()


def axe_findings(page: Any) -> list[tuple[str, str, str]]:
    """What axe finds on a page in a window where it can be brought in, with the light and the dark colours."""
    import axe_playwright_python

    script = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
    at_rest(page)
    page.emulate_media(color_scheme="light")
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true })")
    page.evaluate(script)
    found = page.evaluate("() => axe.run({resultTypes: ['violations']})")["violations"]
    page.emulate_media(color_scheme="dark")
    dark = "() => axe.run({runOnly: ['color-contrast'], resultTypes: ['violations']})"
    found += page.evaluate(dark)["violations"]
    return [(one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"]) for one in found]
