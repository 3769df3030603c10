"""The page in a real browser: a session with four phones and a wall, a dispute, a restart, small and large screens."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from firmware.web import assets
from firmware.web.server import Running, serve

from .browser import PHONES, Phone, axe, chromium
from .conftest import KEYS, Home

pytestmark = pytest.mark.slow
VIEWS = ("table", "log", "entry/1", "missed", "sessions", "session/20261130-fan", "setup", "camera")


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with chromium() as driver:
        yield driver


@pytest.fixture
def running(home: Home) -> Iterator[Running]:
    with serve(home.app, port=0) as running:
        yield running


@pytest.fixture
def phones(driver: Any, running: Running) -> Iterator[list[Phone]]:
    """Four phones and the tablet on the wall, none of which has given a code."""
    first = driver.current_window_handle
    driver.get_log("browser")
    port = int(running.url.rpartition(":")[2])
    made = [Phone(driver, host, port) for host in PHONES]
    for phone in made:
        phone.front().get("about:blank")
        driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    yield made
    logged = [line for line in driver.get_log("browser") if not _expected(line["message"])]
    for phone in made:
        phone.front().close()
    driver.switch_to.window(first)
    assert logged == []


def _expected(message: str) -> bool:
    """A browser logs every refused or broken request by itself; the page shows those in words."""
    return "Failed to load resource" in message or "net::ERR_" in message


def _seat(phone: Phone, seat: int) -> None:
    phone.open(f"#join=ABCD2345&seat={KEYS.seat_tokens[seat]}")
    phone.sees("#main[data-view=table] .press")


def _host(phone: Phone) -> None:
    phone.open("#join=ABCD2345")
    phone.sees("#nav a", "Set up")
    _give_pin(phone)


def _give_pin(phone: Phone) -> None:
    phone.go("setup")
    phone.write(".panel input[type=password]", "123456")
    phone.tap(".panel .code-form button.main")
    phone.sees(".start")


def test_a_whole_session_with_four_phones(home: Home, phones: list[Phone]) -> None:
    *seats, wall = phones
    _host(wall)
    for row, name in enumerate(("Ann", "Bo", "Cy", "Di")):
        wall.write(
            f".seating li:nth-child({row + 1}) input[type=text], .seating li:nth-child({row + 1}) input:not([type])",
            name,
        )
    wall.tap(".start")
    wall.sees("#main[data-view=table] .due-words", "Ann plays")
    for number, phone in enumerate(seats, start=1):
        _seat(phone, number)
    seats[0].until(lambda phone: phone.text("#me") == "Ann", "her name")

    home.table.lay("7H")  # the camera sees Ann's card
    wall.sees(".lying[data-card='7H']")
    seats[1].sees(".press[data-turn=yes]", "Pay")
    seats[1].tap(".press")
    seats[2].sees(".due-words", "Cy plays")
    wall.sees(".pool", "1")
    wall.sees(".seats .seat:nth-child(2) .count", "9 counters")

    home.table.lay("KC", 1)  # Ann lays out of turn
    for phone in phones:
        phone.sees(".due-card[data-state=out]", "Put the table right")
        phone.sees(".ruling[data-kind=refused]", "Refused: Ann is out of turn. It is Cy's turn.")
        phone.sees(".lying[data-mark=refused][data-card=KC]")
    home.table.take_back("KC")
    wall.sees(".due-card[data-state=playing]")

    home.table.win(3)
    for phone in phones:
        phone.sees(".due-words", "Cy has won.")
    taps = [(tap["do"], actor.seat) for tap, actor in home.table.taps]
    assert taps == [("start", None), ("press", 2)]


def test_a_dispute_is_called_corrected_and_kept(home: Home, phones: list[Phone]) -> None:
    home.table.lay("7H")
    home.table.lay("8H")
    phone, wall = phones[1], phones[4]
    _seat(phone, 2)
    phone.go("log")
    phone.tap(".entry a", "eight of hearts")
    phone.sees(".photo-before img")
    phone.write("#why", "that was the diamond")
    phone.tap(".choice.call")
    wall.open("#join=ABCD2345")
    wall.sees(".due-words", "The referee was called")
    wall.sees(".called", "Bo called the referee: that was the diamond")
    phone.sees(".choices .note", "PIN")
    phone.write(".choices input[type=password]", "123456")
    phone.tap(".choices .code-form button")
    phone.tap("summary.choice", "Correct it")
    phone.tap(".pick input[aria-label=diamonds]")
    phone.write("#why", "it is a diamond")
    home.table.board.publish(title="Fan Tan again")  # what changes meanwhile does not take what was typed
    phone.tap(".correct button", "Correct the entry")
    phone.tap(".toast .now")
    wall.sees(".lying[data-card='8D']")
    wall.until(lambda one: not one.all(".lying[data-card='8H']"), "no eight of hearts")
    tap, actor = home.table.taps[-1]
    assert tap == {
        "do": "correct",
        "entry": 1,
        "instead": {"fact": "laid", "card": "8D", "zone": "layout", "seat": 2},
        "why": "it is a diamond",
    }
    assert (actor.seat, actor.host) == (2, True)
    assert home.table.state == "playing"


def test_a_wrong_tap_is_undone(home: Home, phones: list[Phone]) -> None:
    home.table.lay("7H")
    _seat(phones[0], 1)
    phones[0].go("entry/0")
    phones[0].tap(".choice.call")
    phones[0].tap(".choice.let_stand")
    phones[0].tap(".toast .undo")
    phones[0].until(lambda phone: phone.run("return document.querySelector('#toast').hidden"), "no toast")
    phones[0].run("import('/static/js/toast.js').then(m => m.toast('something else'))")  # would send what still waits
    phones[0].sees(".toast", "something else")
    assert [tap["do"] for tap, _ in home.table.taps] == ["call"]


def test_what_waits_to_be_sent_is_sent_when_something_else_is_tapped_or_the_phone_put_away(
    home: Home, phones: list[Phone]
) -> None:
    _seat(phones[0], 1)
    for word, leave in (("draw", "toast"), ("misdeal", "away")):
        phones[0].tap("details.say-more summary")
        phones[0].tap("details.say-more button", {"draw": "draw", "misdeal": "dealt wrongly"}[word])
        phones[0].sees(".toast .undo")
        assert word not in [tap.get("word") for tap, _ in home.table.taps]
        if leave == "toast":
            phones[0].run("import('/static/js/toast.js').then(m => m.toast('something else'))")
        else:
            phones[1].front()  # another tab in front: this one is hidden
        phones[0].until(lambda _, said=word: said in [tap.get("word") for tap, _ in home.table.taps], word)


def test_a_phone_finds_its_way_back_after_a_restart(home: Home, phones: list[Phone], running: Running) -> None:
    _seat(phones[0], 1)
    phones[0].run("window.same = true")
    port = int(running.url.rpartition(":")[2])
    running.stop()
    phones[0].sees(".pill", "finding the table")
    home.table.lay("7H")
    with serve(home.make(), port=port):
        phones[0].sees(".lying[data-card='7H']")
        phones[0].sees(".pill", "playing")
        assert phones[0].run("return window.same") is True  # without a reload
        phones[0].tap(".taps .call")
        phones[0].write("dialog.why input", "a card is gone")
        phones[0].tap("dialog.why button.main")
        phones[0].sees(".called", "Ann called the referee: a card is gone")


def test_a_missed_card_is_put_in_at_the_end_and_before_an_entry(home: Home, phones: list[Phone]) -> None:
    home.table.lay("7H")
    home.table.lay("9H")
    wall = phones[4]
    _host(wall)
    for place, rank, form in (("missed", "10", ".choices.missed"), ("entry/1", "8", "details.missed")):
        wall.go(place)
        wall.write("#why", "it lay under a sleeve")
        if place != "missed":
            wall.tap("summary.choice", "Something was missed")
        wall.tap(f"{form} button.main")
        wall.sees(".toast", "still to be chosen")
        wall.tap(f"{form} .pick input[value='{'T' if rank == '10' else rank}']")
        wall.tap(f"{form} .pick input[value=H]")
        wall.tap(f"{form} fieldset:nth-of-type(3) .pick input[value='2']")
        wall.tap(f"{form} button.main")
        wall.sees(".toast", "of hearts")
        wall.tap(".toast .now")
        wall.until(lambda one: one.run("return document.querySelector('#toast').hidden"), "no toast")
    laid = {"fact": "laid", "zone": "layout", "seat": 2}
    assert [tap for tap, _ in home.table.taps] == [
        {"do": "insert", "before": 2, "missed": {**laid, "card": "TH"}, "why": "it lay under a sleeve"},
        {"do": "insert", "before": 1, "missed": {**laid, "card": "8H"}, "why": "it lay under a sleeve"},
    ]
    wall.go("log")
    wall.sees(".entry-fact", "Put in before entry 1: Bo lays the eight of hearts")


def test_entries_that_have_left_the_live_table_are_still_there_to_dispute(home: Home, phones: list[Phone]) -> None:
    home.table.lay("7H")
    for _ in range(60):
        home.table._enter({"fact": "pressed", "seat": 1, "press": "short", "taps": 1})
    home.table.publish()
    _seat(phones[0], 1)
    phones[0].go("log")
    phones[0].tap("#main button", "earlier entries")
    phones[0].tap(".older-entries a", "seven of hearts")
    phones[0].sees("h1", "Entry 0")
    phones[0].front().refresh()  # opened by its address, it is there as well
    phones[0].sees("h1", "Entry 0")
    phones[0].sees(".photo-after img")
    phones[0].tap(".choice.call")
    phones[0].until(lambda _: home.table.dispute, "the dispute")
    assert home.table.dispute["entry"] == 0


def test_a_double_tap_is_one_press(home: Home, phones: list[Phone]) -> None:
    _seat(phones[0], 1)
    phones[0].run("const b = document.querySelector('.press'); b.click(); b.click(); b.click()")
    phones[0].sees(".due-words", "Bo")
    assert [tap["do"] for tap, _ in home.table.taps] == ["press"]


def test_a_host_whose_time_has_run_out_is_asked_for_the_pin_again(home: Home, phones: list[Phone]) -> None:
    wall = phones[4]
    home.table.lay("7H")
    _host(wall)
    wall.go("table")
    wall.sees(".steps button", "End the session")
    home.clock.t += 3600
    wall.tap(".steps button", "End the session")
    wall.tap(".toast .now")
    wall.sees(".toast", "type the host's PIN")
    wall.until(lambda one: not one.all(".steps button"), "no host's buttons")
    assert home.table.taps == []


def test_a_session_is_not_ended_by_a_slip_in_the_set_up(home: Home, phones: list[Phone]) -> None:
    wall = phones[4]
    _host(wall)
    wall.write(".seating li:nth-child(2) input:not([type=radio])", "Ann")
    wall.tap(".start")
    wall.sees(".toast", "same name")
    wall.write(".seating li:nth-child(2) input:not([type=radio])", "Bea")
    wall.tap(".start")
    wall.sees(".toast", "will end")
    wall.tap(".toast .undo")
    assert home.table.taps == []
    wall.tap(".start")
    wall.tap(".toast .now")
    wall.sees("#main[data-view=table]")
    assert home.table.taps[-1][0]["ends"] == "20261130-fan"


def test_a_phone_that_was_frozen_for_a_minute_catches_up(home: Home, phones: list[Phone]) -> None:
    phone = phones[0]
    phone.open("#join=ABCD2345")
    phone.sees(".seats .name", "Ann")
    phone.run("window.same = true")
    phone.driver.execute_cdp_cmd("Network.emulateNetworkConditions", OFFLINE)
    home.table.lay("7H")
    phone.run("const real = Date.now; Date.now = () => real() + 60000")  # a minute passed while it slept
    phone.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**OFFLINE, "offline": False})
    phone.run("window.dispatchEvent(new Event('pageshow'))")
    phone.sees(".lying[data-card='7H']")
    assert phone.run("return window.same") is True


OFFLINE = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


def test_a_wish_sealed_with_a_double_tap_can_be_read(home: Home, phones: list[Phone]) -> None:
    home.table.act({"do": "start", "game": "wish_card", "seats": ["Ann", "Bo"], "dealer": 1}, None)  # type: ignore[arg-type]
    real = home.table.act

    def once(action: dict[str, Any], actor: Any) -> dict[str, Any]:
        sealed = action["do"] == "seal_wish" and actor.seat in home.table.wishes
        return {"error": "this seat's wish is sealed already"} if sealed else real(action, actor)

    home.table.board.hand_to(once)
    ann = phones[0]
    _seat(ann, 1)
    ann.write("#wish", "a horse")
    ann.run("const f = document.querySelector('.wishes form'); f.requestSubmit(); f.requestSubmit()")
    ann.sees(".wishes li", "Ann: sealed")
    home.table.win(1)
    ann.tap(".wishes button", "read your wish")
    ann.sees(".wishes li", "Ann wished: a horse")


def test_a_wrong_code_is_said_and_nothing_is_shown(phones: list[Phone]) -> None:
    phones[0].open()
    phones[0].write(".door input", "WRONG")
    phones[0].tap(".door button")
    phones[0].sees(".door .bad", "not this table's code")
    assert phones[0].all(".lying") == []


def test_a_card_that_turns_out_to_be_another_is_drawn_anew(home: Home, phones: list[Phone]) -> None:
    """The same card on the table, known by its number: first unread, then corrected."""
    phone, table = phones[0], home.table
    phone.open("#join=ABCD2345")
    card = {"id": 7, "zone": "layout", "x_mm": 400, "y_mm": 300, "angle": 0, "entry": 3, "seat": 1}
    for face, drawn in (("?", "#face-unread"), ("8D", "#full-8D"), ("back", "#face-back")):
        table.board.publish(cards=[{**card, "card": face}])
        phone.sees(f".lying[data-card='{face}'] use[href='{drawn}']")
        assert len(phone.all(".lying use.fine, .lying use:not([class])")) == 1


def test_hostile_names_are_text(home: Home, phones: list[Phone]) -> None:
    home.table.act(
        {
            "do": "start",
            "game": "fan_tan",
            "seats": ["<img src=x onerror=window.bad=1>", "\u202eBo", "", "x" * 400],
            "dealer": 1,
        },
        None,  # type: ignore[arg-type]
    )
    home.table.lay("7H")
    phone = phones[0]
    phone.open("#join=ABCD2345")
    phone.sees("#nav a")
    for view in VIEWS:
        phone.go(view)
        phone.until(lambda one: len(one.text("main")) > 20, "anything")
        assert phone.run("return window.bad") is None
        assert phone.run("return document.querySelectorAll('img[onerror], script:not([src])').length") == 0
    phone.go("table")
    phone.sees(".seats .name", "<img src=x onerror=w")
    phone.sees(".seats .name", "Seat 3")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_every_view_fits_and_can_be_tapped(home: Home, phones: list[Phone], width: int) -> None:
    for card in ("8H", "9H", "8S"):
        home.table.lay(card)
    phone = phones[0]
    _host(phone)
    phone.size(width, 800)
    for view in VIEWS:
        phone.go(view)
        phone.until(lambda one: len(one.text("main")) > 20 and not one.all("main .loading"), "its content")
        assert phone.run("return document.documentElement.scrollWidth") <= width, view
        small = phone.run(
            "return [...document.querySelectorAll('button, a.button, nav a, .pick, .game, select, .entry a, summary')]"
            ".filter(e => e.getClientRects().length && !e.closest('svg'))"
            ".map(e => [e.textContent.slice(0, 20), e.getBoundingClientRect().width, e.getBoundingClientRect().height])"
            ".filter(([, w, h]) => w < 43.5 || h < 43.5)"
        )
        assert small == [], view
        phone.run("document.documentElement.style.fontSize = '200%'")  # as the phone's settings for large text do
        assert phone.run("return document.documentElement.scrollWidth") <= width, view
        phone.run("document.documentElement.style.fontSize = ''")
    phone.size(1280, 800)


def test_the_keyboard_alone_moves_a_player_and_starts(home: Home, phones: list[Phone]) -> None:
    from selenium.webdriver.common.keys import Keys as Key

    phone = phones[0]
    _host(phone)
    phone.press(".handle", Key.ARROW_DOWN)
    phone.until(lambda one: one.run("return document.querySelector('.seating input').value") == "Bo", "Bo first")
    assert phone.run("return document.activeElement.className") == "handle"
    phone.press(".start", Key.ENTER)
    phone.sees("#main[data-view=table]")
    assert home.table.taps[-1][0]["seats"] == ["Bo", "Ann", "Cy", "Di"]
    assert home.table.taps[-1][0]["dealer"] == 4


def test_a_wish_stays_on_the_phone_until_it_is_won(home: Home, phones: list[Phone]) -> None:
    home.table.act({"do": "start", "game": "wish_card", "seats": ["Ann", "Bo"], "dealer": 1}, None)  # type: ignore[arg-type]
    ann, bo = phones[0], phones[1]
    _seat(ann, 1)
    ann.write("#wish", "Straße nach Süden ☀ " + "w" * 100)
    ann.tap(".wishes form button")
    ann.sees(".wishes li", "Ann: sealed")
    tap, _ = home.table.taps[-1]
    assert set(tap) == {"do", "commitment"}
    _seat(bo, 2)
    bo.sees(".wishes li", "Ann: sealed")
    home.table.win(1)
    ann.tap(".wishes button", "read your wish")
    bo.sees(".wishes li", "Ann wished: Straße nach Süden ☀")
    opened = home.table.wishes[1]
    assert hashlib.sha256((opened["nonce"] + opened["text"]).encode()).hexdigest() == tap["commitment"]


def test_lamps_blink_in_the_tables_rhythm_and_stand_still_when_asked(home: Home, phones: list[Phone]) -> None:
    phone = phones[0]
    phone.open("#join=ABCD2345")
    phone.sees(".seats .light-words", "waiting · a blip now and then")
    lamp = "document.querySelector('.seats .seat:nth-child(2) .glow')"
    lengths = phone.run(f"return {lamp}.getAnimations().map(a => a.effect.getTiming().duration)")
    assert lengths == [3990]
    phone.size(390, 800, prefers_reduced_motion="reduce")
    phone.open("#/table")
    phone.sees(".seats .light-words", "waiting")
    assert phone.run("return document.getAnimations().length") == 0
    phone.size(1280, 800)


def test_a_ruling_is_said_in_the_live_region(home: Home, phones: list[Phone]) -> None:
    phone = phones[0]
    phone.open("#join=ABCD2345")
    phone.sees(".seats .name", "Ann")
    home.table.lay("KC", 3)
    phone.until(lambda one: "Refused: Cy is out of turn." in one.text("#said[aria-live=polite]"), "the ruling")


def test_the_focus_stays_when_the_table_changes(home: Home, phones: list[Phone]) -> None:
    _seat(phones[0], 1)
    for selector in (".press", "#nav a:nth-child(2)"):
        phones[0].run(f"document.querySelector({selector!r}).focus()")
        card = home.table.lay("7H" if selector == ".press" else "8H")
        phones[0].until(lambda phone, most=card: len(phone.all(".lying")) == most + 1, "the card")
        assert phones[0].run(f"return document.activeElement === document.querySelector({selector!r})"), selector


def test_a_session_is_scrubbed_through(home: Home, phones: list[Phone]) -> None:
    for card in ("8H", "9H", "TH"):
        home.table.lay(card)
    phone = phones[0]
    phone.open("#join=ABCD2345")
    phone.sees("#nav a")
    phone.go("sessions")
    phone.tap(".sessions a", "now")
    phone.sees(".film-words", "No. 0")
    phone.tap(".strip button:nth-child(3)")
    phone.sees(".film-words", "No. 2, at 0:05: Cy lays the ten of hearts")
    phone.until(lambda one: len(one.all(".lying")) == 3, "three cards")
    phone.tap(".scrub button:first-child")
    phone.until(lambda one: len(one.all(".lying")) == 2, "two cards")


def test_another_language_is_one_file(home: Home, phones: list[Phone]) -> None:
    """A made-up language with each of its sentences in brackets: outside of them are only names, numbers and signs."""
    english = json.loads(home.app.state.house.files["words/en.json"].data)
    strange = {key: f"⟦{words}⟧" for key, words in english.items()}
    text = json.dumps(strange).encode()
    home.app.state.house.files["words/xx.json"] = assets.Asset("application/json", text, gzip.compress(text), '"xx"')
    home.table.lay("7H")
    home.table.lay("KC", 1)
    phone = phones[0]
    phone.open()
    phone.sees("h1", "Card Table")
    assert phone.run(OUTSIDE_BRACKETS, {"names": []}) != []  # in English it does find words
    agent = phone.run("return navigator.userAgent")
    speaks = {"userAgent": agent, "acceptLanguage": "xx"}
    phone.front().execute_cdp_cmd("Network.setUserAgentOverride", speaks)
    _seat(phone, 1)
    phone.sees("h1", "⟦")
    assert phone.run("return document.documentElement.lang") == "xx"
    _give_pin(phone)
    for view in VIEWS:
        phone.go(view)
        phone.until(lambda one: one.text("main").count("⟦") > 1 and "…⟧" not in one.text("main"), "its content")
        assert phone.run(OUTSIDE_BRACKETS, {"names": [*home.table.names, "7f3a-91c2"]}) == [], view
    phone.run("document.querySelector('#me').click()")
    phone.sees("dialog h2", "⟦")
    assert phone.run(OUTSIDE_BRACKETS, {"names": home.table.names}) == []


#: Everything that is seen or read aloud and has a letter outside of ⟦ ⟧: but names, codes, times and what is written.
OUTSIDE_BRACKETS = """
const spoken = [...document.querySelectorAll('[aria-label], img[alt], title, [placeholder]')].flatMap(
  e => [e.getAttribute('aria-label'), e.getAttribute('alt'), e.getAttribute('placeholder')]);
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = [];
while (walker.nextNode()) {
  const inside = walker.currentNode.parentElement;
  if (!inside.closest('noscript, bdi, time, code, .rank, .pack')) seen.push(walker.currentNode.data);
}
const bare = text => {
  let out = text ?? '';
  while (/⟦[^⟦⟧]*⟧/.test(out)) out = out.replace(/⟦[^⟦⟧]*⟧/g, '');
  for (const name of arguments[0].names) out = out.replaceAll(name, '');
  return out;
};
return [...seen, ...spoken].map(bare).filter(text => /\\p{L}{2,}/u.test(text));
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(home: Home, phones: list[Phone], scheme: str) -> None:
    script = axe()
    for card in ("8H", "9H", "8S"):
        home.table.lay(card)
    home.table.lay("KC", 1)
    phone = phones[0]
    _host(phone)
    phone.size(390, 844, prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
    for view in ("door", *VIEWS):
        if view == "door":
            phones[1].size(390, 844, prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            found = _axe(phones[1].open(), script)
        else:
            phone.go(view)
            phone.until(lambda one: len(one.text("main")) > 20, "its content")
            found = _axe(phone, script)
        assert found == [], view
    phone.size(1280, 800)


def _axe(phone: Phone, script: str) -> list[Any]:
    phone.sees("h1")
    phone.front().execute_cdp_cmd("Runtime.evaluate", {"expression": script})
    answer = phone.driver.execute_cdp_cmd(
        "Runtime.evaluate",
        {
            "expression": "axe.run(document, {resultTypes: ['violations']}).then(r => JSON.stringify(r.violations"
            ".map(v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + n.failureSummary)])))",
            "awaitPromise": True,
        },
    )
    return [one for one in json.loads(answer["result"]["value"]) if one[0] in ("serious", "critical")]
