"""Texts, a trace and another kind of data in a real browser: keys, selections, handles, and what must never happen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from helpers.studio_browser import PATIENCE, Browser, at_rest, axe_findings
from helpers.studio_files import write_kinds
from helpers.studio_server import CHROMIUM, StudioServer

pytest.importorskip("playwright.sync_api")

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: install the Debian package chromium"),
]
SELECT = """words => {
  for (const piece of document.querySelectorAll("#prose [data-at]")) {
    const at = piece.textContent.indexOf(words);
    if (at < 0 || !piece.firstChild) continue;
    const range = document.createRange();
    range.setStart(piece.firstChild, at);
    range.setEnd(piece.firstChild, at + words.length);
    document.getSelection().removeAllRanges();
    document.getSelection().addRange(range);
    return true;
  }
  return false;
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    root, sessions = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("sessions")
    write_kinds(root)
    with StudioServer(root, sessions) as running:
        yield running


@pytest.fixture(scope="module")
def browser(launched: Any, server: StudioServer) -> Iterator[Browser]:
    found = Browser(launched, server)
    found.enter()
    yield found
    found.context.close()


@pytest.fixture(scope="module")
def looked(browser: Browser, launched: Any) -> Iterator[Any]:
    """The same session in a window where axe can be brought in; the other one keeps its policy."""
    context = launched.new_context(bypass_csp=True, storage_state=browser.context.storage_state())
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def decided(browser: Browser, words: str) -> None:
    """Wait until the server has noted a decision and its answer is on the page."""
    browser.page.locator(".journal li[aria-current=step]", has_text=words).wait_for()


def focus(browser: Browser) -> str:
    found: str = browser.page.evaluate("document.activeElement.id")
    return found


def check(browser: Browser, looked: Any) -> None:
    """Axe, the width of a phone, and nothing that was asked of others or complained about."""
    page = browser.page
    at_rest(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})
    own = browser.server.address() + "/"
    assert [url for url in browser.asked if not url.startswith((own, "file://", "blob:"))] == []
    assert browser.complaints == []
    pytest.importorskip("axe_playwright_python")
    looked.goto(page.url)
    assert axe_findings(looked) == []


def open_file(browser: Browser, path: str, kind: str) -> None:
    browser.go("")
    page = browser.page
    page.locator("#path").fill(path)
    page.locator("#path").press("Enter")
    decided(browser, f"open: {path}")
    if page.locator("#kind").input_value() != kind:
        page.locator("#kind").select_option(kind)
        page.get_by_role("button", name="Take it for that").click()
        decided(browser, f"kind: {kind}")


def test_texts_are_reviewed_with_keys(browser: Browser, looked: Any) -> None:
    page = browser.page
    open_file(browser, "notes.csv", "text")
    check(browser, looked)
    browser.follow("go on to review them")
    page.locator("#names").select_option("lists")
    page.get_by_role("button", name="Set this").click()
    decided(browser, "texts: note, lists")
    page.get_by_role("button", name="Look for what is personal").click()
    page.locator("mark.span").first.wait_for()
    check(browser, looked)
    browser.tab_to("#prose")
    page.keyboard.press("j")
    first = focus(browser)
    page.keyboard.press("a")
    decided(browser, "hide: PERSON in text 1")
    assert page.locator(f"mark#{first}.hide").count() == 1
    assert focus(browser) != first  # it went on, and the new page kept the place
    page.keyboard.press("r")
    decided(browser, "keep: PERSON in text 1")
    page.keyboard.press("k")
    page.keyboard.press("A")
    decided(browser, "alike")
    assert page.locator("mark.keep").count() == 12
    with page.expect_navigation():
        page.keyboard.press("u")
    assert page.locator("mark.keep").count() == 1
    assert page.evaluate(SELECT, "Wexcombe") is True
    page.locator("#adder").wait_for()
    page.locator("#adder-label").select_option("PLACE")
    page.locator("#adder-hide").click()
    decided(browser, "added: PLACE in text 1")
    added = page.locator("mark.missed")
    assert added.count() == 1
    assert added.inner_text() == "Wexcombe"
    check(browser, looked)


def test_what_was_missed_is_estimated(browser: Browser, looked: Any) -> None:
    page = browser.page
    browser.go("stretches")
    page.locator("#count").fill("1000")  # all of them, in random order: one has the place in it that was added before
    page.get_by_role("button", name="Draw them").click()
    decided(browser, "sample: ")
    assert page.locator(".stretch mark.missed").count() == 1
    marked = page.locator(".stretch:has(mark.missed)").get_attribute("data-stretch")
    page.locator(f"#t{marked}").focus()
    page.keyboard.press("r")
    decided(browser, f"read: stretch {int(marked) + 1}")
    page.locator("#count").fill("6")
    page.get_by_role("button", name="Draw them").click()
    decided(browser, "sample: 6 of")
    browser.tab_to("#prose")
    for number in range(6):
        page.keyboard.press("j" if number == 0 else "Shift")  # r goes on to the next by itself
        page.keyboard.press("r")
        decided(browser, f"read: stretch {number + 1}")
    page.get_by_text("recall, ").wait_for()
    check(browser, looked)
    page.get_by_role("button", name="What is recall").click()
    assert page.locator("#why-recall").is_visible()


def test_handles_of_secret_hours_move_by_keys(browser: Browser, looked: Any) -> None:
    page = browser.page
    open_file(browser, "day.csv", "trace")
    browser.follow("go on to what is secret")
    handle = page.get_by_role("slider", name="Begin of secret hours 1")
    before = int(handle.get_attribute("aria-valuenow"))
    browser.tab_to("#hs0")
    page.keyboard.press("ArrowRight")
    page.locator(f"#results[data-run*='{(before + 1) // 60:02d}:{(before + 1) % 60:02d}']").wait_for()
    assert focus(browser) == "hs0"
    assert handle.get_attribute("aria-valuenow") == str(before + 1)
    assert page.locator("#s0").input_value() == handle.get_attribute("aria-valuetext")
    page.keyboard.press("PageDown")
    minute = before - 14
    page.locator(f"#results[data-run*='{minute // 60:02d}:{minute % 60:02d}']").wait_for()
    box = page.locator("#he0").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 80, box["y"] + 5, steps=3)
    page.mouse.up()
    end = page.locator("#e0").input_value()
    page.locator(f"#results[data-run*='{end}']").wait_for()
    page.get_by_role("button", name="More secret hours").click()
    page.get_by_role("slider", name="End of secret hours 2").wait_for()
    check(browser, looked)


def test_a_trace_is_filed_and_the_guess_is_drawn(browser: Browser, looked: Any) -> None:
    page = browser.page
    browser.follow("Go on to file it")
    page.get_by_role("button", name="Put the papers together").click()
    page.get_by_role("heading", name="The papers are ready").wait_for()
    check(browser, looked)
    browser.go("trace")
    assert page.locator("path.released").count() == 1
    assert page.locator("circle.guess").count() == 2
    check(browser, looked)


def test_another_kind_has_its_settings(browser: Browser, looked: Any) -> None:
    page = browser.page
    open_file(browser, "ages.csv", "statistic")
    browser.follow("go on to protect them")
    check(browser, looked)
    page.locator("#set-low").fill("0")
    page.locator("#set-high").fill("100")
    page.get_by_role("button", name="Use this").click()
    page.locator("#dial-epsilon").wait_for()
    check(browser, looked)
    page.locator("#figure-margin").fill("2")
    page.keyboard.press("Enter")
    page.locator("#foreseen[data-run*='epsilon 0.']").wait_for()
    page.get_by_text("The same as a command and as Python").click()
    assert "epsilon=0." in page.locator("#command").inner_text()
    page.get_by_text("All settings, as the command takes them").click()
    page.locator("#settings").fill('columns = "age"\nmechanism = "median"')
    page.get_by_role("button", name="Set this").click()
    page.locator("#foreseen .warn", has_text="median").wait_for()
    check(browser, looked)


def test_the_risk_of_a_survey_is_set_by_a_slider(browser: Browser, looked: Any) -> None:
    page = browser.page
    open_file(browser, "answers.csv", "survey")
    browser.follow("go on to protect them")
    page.locator("#set-categories").fill("yes\nno")
    page.get_by_role("button", name="Use this").click()
    page.locator("#dial-epsilon").wait_for()
    check(browser, looked)
    page.locator("#figure-guess").focus()
    page.keyboard.press("Home")  # the smallest risk on the slider, 52 %
    page.locator("#foreseen[data-run*='epsilon 0.08']").wait_for()
    assert focus(browser) == "figure-guess"
    assert page.locator("#figure-guess").input_value() == "52"
    assert page.locator("output[for=dial-epsilon]").inner_text() == "0.08"
    assert "epsilon = 0.08" in page.locator("#settings").input_value()
    page.get_by_text("The same as a command and as Python").click()
    assert "epsilon=0.08" in page.locator("#command").inner_text()
    page.locator("#dial-epsilon").focus()
    page.keyboard.press("End")
    page.locator("#foreseen[data-run*='epsilon 8']").wait_for()
    assert "epsilon=8" in page.locator("#command").inner_text()
    page.locator("#figure-margin").fill("0.1")
    page.keyboard.press("Enter")
    page.locator("#notice", has_text="is not to be had").wait_for()
    browser.complaints.clear()  # the browser notes the answer 422 itself
    check(browser, looked)


def test_a_ledger_is_named_where_it_pays(browser: Browser, looked: Any) -> None:
    page = browser.page
    browser.go("file")
    page.get_by_text("Nobody is charged").click()
    page.locator("#subject").fill("voters")
    with page.expect_navigation():
        page.locator("#releases").press("Enter")
    page.get_by_text("The budget of voters is charged").wait_for()
    check(browser, looked)
    with page.expect_navigation():
        page.get_by_role("button", name="Do not charge it").click()
    page.get_by_text("Nobody is charged").wait_for()


def test_a_direction_says_its_error_in_hours(browser: Browser, looked: Any) -> None:
    page = browser.page
    open_file(browser, "hours.csv", "direction")
    browser.follow("go on to protect them")
    assert page.locator("#set-mechanism").input_value() == "purkayastha"  # what is meant where nothing is said
    page.locator("#figure-error").fill("2")
    page.keyboard.press("Enter")
    page.locator("#foreseen[data-run*='pure 5.']").wait_for()
    check(browser, looked)
    page.locator("#set-level").fill("1")
    page.locator("#set-radius").fill("3")
    page.get_by_role("button", name="Use this").click()
    page.locator("#foreseen[data-run*='level 1, radius 3']").wait_for()
    assert page.locator("#set-pure").input_value() == ""
    check(browser, looked)
    page.locator("#set-pure").fill("2")
    page.get_by_role("button", name="Use this").click()
    page.locator("#foreseen[data-run*='pure 2']").wait_for()
    assert page.locator("#set-radius").input_value() == ""


def test_a_dropped_text_is_a_text(browser: Browser, looked: Any) -> None:
    page = browser.page
    browser.go("")
    letter = b"Dear Anna,\nI met Zofia Nowicka in Wexcombe, and we had tea.\n"
    page.locator("#upload").set_input_files({"name": "Zofia.txt", "mimeType": "text/plain", "buffer": letter})
    decided(browser, "open: upload.txt")
    assert page.locator("#kind").input_value() == "text"
    assert "Zofia.txt" not in page.content()
    page.locator("#format").select_option("csv")
    page.get_by_role("button", name="Read it again").click()
    page.get_by_role("link", name="go on to the roles").wait_for()
    assert page.locator("#kind").input_value() == "table"
    check(browser, looked)
