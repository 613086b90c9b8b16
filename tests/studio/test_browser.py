"""The studio in a real browser: a privacy officer's whole way, and what must never happen on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from helpers.studio_browser import PATIENCE, Browser, axe_findings
from helpers.studio_server import CHROMIUM, StudioServer

pytest.importorskip("playwright.sync_api")

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: install the Debian package chromium"),
]
PEOPLE = "name,zip,age,sex,illness,note\n" + "".join(
    f"Person {n},{81600 + n % 4},{20 + n % 30},{'fm'[n % 2]},{['flu', 'cold', 'gout'][n % 3]},"
    f'"<img src=x onerror=window.hit=1>{n % 2}"\n'
    for n in range(240)
)
SCREENS = ("enter", "", "roles", "roles/2", "risk", "protect", "attack", "compare", "file", "questions")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    root, sessions = tmp_path_factory.mktemp("tables"), tmp_path_factory.mktemp("sessions")
    (root / "people.csv").write_text(PEOPLE)
    with StudioServer(root, sessions) as running:
        yield running


@pytest.fixture(scope="module")
def officer(launched: Any, server: StudioServer) -> Browser:
    """A privacy officer who went the whole way, by clicks and keys, from the file to the papers."""
    browser = Browser(launched, server)
    browser.enter()
    page = browser.page
    page.get_by_role("button", name="people.csv").click()
    browser.follow("go on to the roles")
    page.get_by_label("Role of note").select_option("insensitive")
    page.locator("tr.role-insensitive", has_text="note").wait_for()
    browser.follow("Go on to the risk")
    browser.follow("Go on to protect it")
    page.locator("#k").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#results[data-run^='k = 13']").wait_for()
    page.get_by_role("button", name="Pin to compare").click()
    page.get_by_role("button", name="(1 of 4)").wait_for()
    browser.follow("Go on to attack it")
    page.get_by_role("button", name="Attack it").click()
    page.get_by_text("Can a secret be guessed?").wait_for()
    browser.follow("Go on to file it")
    page.get_by_label("Recipient").fill("A university")
    page.get_by_role("button", name="Put the papers together").click()
    page.get_by_role("heading", name="The papers are ready").wait_for()
    return browser


def test_the_whole_way_ends_with_papers(officer: Browser, tmp_path: Path) -> None:
    with officer.page.expect_download() as download:
        officer.page.get_by_role("link", name="Save all of these (zip)").click()
    download.value.save_as(tmp_path / "release.zip")
    assert (tmp_path / "release.zip").read_bytes().startswith(b"PK")


def test_the_pdf_has_every_number_of_the_certificate(officer: Browser, tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    with officer.page.expect_download() as download:
        officer.page.get_by_role("link", name="certificate.pdf").click()
    download.value.save_as(tmp_path / "certificate.pdf")
    papers = officer.page.locator(".papers li")
    assert papers.count() == officer.page.locator(".papers .badge", has_text="read again").count()  # every one of them
    printed = " ".join(page.extract_text() for page in pypdf.PdfReader(tmp_path / "certificate.pdf").pages)
    page = officer.read("/file/certificate.html")
    text = re.sub(r"<(style|script)\b.*?</\1>|<head>.*?</head>", " ", page, flags=re.DOTALL)
    numbers = set(re.findall(r"\d+(?:[.,]\d+)*", unescape(re.sub(r"<[^>]+>", " ", text))))
    bare = re.sub(r"\s+", "", printed)  # a long number may be broken over lines
    assert len(numbers) > 40
    assert sorted(number for number in numbers if number not in bare) == []


def test_a_wanted_risk_moves_the_slider(officer: Browser) -> None:
    page = officer.page
    officer.go("protect")
    before = page.locator("#k").input_value()
    page.locator("#want-worst").fill("0.05")
    page.locator("#want-worst").press("Enter")
    page.locator("#results[data-run^='k = 20']").wait_for()
    assert page.locator("#k").input_value() == "20"
    page.locator("#want-loss").fill("0")
    page.locator("#want-loss").press("Enter")
    page.locator("#notice", has_text="is not to be had").wait_for()
    officer.complaints.clear()  # the browser notes the answer 422 itself
    with page.expect_navigation():
        page.locator("#undo").click()
    assert page.locator("#k").input_value() == before


def test_nothing_can_be_moved_before_it_is_heard(launched: Any, officer: Browser) -> None:
    early = Browser(launched, officer.server)
    early.enter()
    waiting: list[Any] = []
    early.page.route("**/static/htmx.min.js", lambda route: waiting.append(route))
    early.page.goto(f"{early.server.address()}/protect", wait_until="commit")
    while not waiting:
        early.page.wait_for_timeout(10)
    assert early.page.locator("#k").count() == 0
    waiting[0].continue_()
    early.page.wait_for_load_state()
    assert early.page.locator("#k").count() == 1
    early.context.close()


def test_nobody_else_was_asked_and_nothing_complained(officer: Browser) -> None:
    own = officer.server.address() + "/"
    assert [url for url in officer.asked if not url.startswith((own, "file://", "blob:"))] == []
    assert officer.complaints == []


def test_no_address_holds_a_token_or_a_value(officer: Browser) -> None:
    assert [url for url in officer.asked if "?" in url or "token" in url or "Person" in url or "81600" in url] == []


def test_a_script_in_a_cell_stays_text(officer: Browser) -> None:
    for screen in ("", "roles", "protect"):
        officer.go(screen)
        assert officer.page.evaluate("window.hit") is None
        assert officer.page.locator("main img").count() == 0
    officer.go("")
    assert officer.page.get_by_text("<img src=x onerror=window.hit=1>0").count() > 0


def test_leaving_and_returning_loses_nothing(officer: Browser, launched: Any) -> None:
    again = Browser(launched, officer.server)  # another window, after the first was closed
    again.enter()
    again.go("protect")
    assert again.page.locator("#k").input_value() == "13"
    again.go("attack")
    again.page.get_by_text("Can a secret be guessed?").wait_for()
    again.go("file")
    again.page.get_by_role("heading", name="The papers are ready").wait_for()
    again.context.close()


@pytest.fixture(scope="module")
def looked(officer: Browser, launched: Any) -> Iterator[Any]:
    """The officer's session in a window where axe can be brought in."""
    context = launched.new_context(bypass_csp=True, storage_state=officer.context.storage_state())
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing(officer: Browser, looked: Any, screen: str) -> None:
    pytest.importorskip("axe_playwright_python")
    looked.goto(f"{officer.server.address()}/{screen}")
    assert axe_findings(looked) == []


@pytest.mark.parametrize("screen", SCREENS)
def test_a_phone_needs_no_scrolling_sideways(officer: Browser, screen: str) -> None:
    officer.page.set_viewport_size({"width": 390, "height": 844})
    officer.go(screen)
    wide = officer.page.evaluate("document.documentElement.scrollWidth")
    officer.page.set_viewport_size({"width": 1280, "height": 900})
    assert wide <= 390


def test_the_keyboard_is_enough(launched: Any, tmp_path: Path) -> None:
    """From the file to the papers by Tab, Enter, arrows and letters alone; focus stays where it was."""
    root, sessions = tmp_path / "root", tmp_path / "sessions"
    root.mkdir()
    sessions.mkdir()
    (root / "people.csv").write_text(PEOPLE)
    with StudioServer(root, sessions) as server:
        browser = Browser(launched, server)
        browser.enter()
        page = browser.page
        browser.tab_to(".files button")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="go on to the roles").wait_for()
        browser.enter_link("a.button[href='/roles']")
        browser.enter_link("a.button[href='/risk']")
        browser.enter_link("a.button[href='/protect']")
        browser.tab_to("#k")
        page.keyboard.press("ArrowRight")
        page.locator("#results[data-run^='k = 13']").wait_for()
        assert page.evaluate("document.activeElement.id") == "k"
        page.keyboard.press("ArrowRight")
        page.locator("#results[data-run^='k = 14']").wait_for()
        browser.enter_link("#undo")
        assert page.locator("#k").input_value() == "12"
        browser.enter_link("a[href='/attack']")
        browser.tab_to("#attack")
        page.keyboard.press("Enter")
        page.get_by_text("Can a secret be guessed?").wait_for()
        browser.enter_link("a.button[href='/file']")
        browser.tab_to("#recipient")
        page.keyboard.type("A university")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="The papers are ready").wait_for()
        browser.tab_to("a[href='/file/release.zip']")
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        assert download.value.suggested_filename == "release.zip"
        assert browser.complaints == []
        browser.context.close()


def test_a_click_explains_a_number(officer: Browser) -> None:
    officer.go("risk")
    officer.page.get_by_role("button", name="What is average risk?").click()
    assert officer.page.locator("#why-marketer").is_visible()


def test_other_pages_get_nothing(officer: Browser, launched: Any, tmp_path: Path) -> None:
    """A page of another origin, open in the same browser, can neither read, frame nor change the studio."""
    address = officer.server.address()
    (tmp_path / "evil.html").write_text(
        f'<iframe src="{address}/"></iframe><form method="post" action="{address}/journal/undo"></form>'
    )
    other = officer.context.new_page()
    other.goto((tmp_path / "evil.html").as_uri())
    read = "url => fetch(url, {credentials: 'include'}).then(a => a.text(), () => 'refused')"
    assert other.evaluate(read, address + "/") == "refused"
    before = officer.read("/")
    with other.expect_navigation():
        other.evaluate("document.forms[0].submit()")
    assert other.locator("body").inner_text().strip() == "another site asked"
    assert officer.read("/") == before
    other.close()


def test_two_studios_do_not_see_each_other(officer: Browser, server: StudioServer, tmp_path: Path) -> None:
    """The browser of one, with its cookie, is a stranger to the other."""
    sessions, root = tmp_path / "sessions", tmp_path / "root"
    sessions.mkdir()
    root.mkdir()
    with StudioServer(root, sessions) as other:
        page = officer.context.new_page()
        page.goto(other.address() + "/")
        assert "not admitted" in page.locator("body").inner_text()
        page.goto(other.door.as_uri())
        page.wait_for_url(other.address() + "/")
        assert page.get_by_role("heading", name="Which data shall leave?").is_visible()
        assert "people.csv" not in page.content()
        page.close()
        assert sorted(path.name for path in other.workspace.iterdir()) == ["lock", "open.html"]
    assert "What may an attacker know?" in officer.read("/roles")
