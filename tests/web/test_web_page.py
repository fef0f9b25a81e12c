"""What a person sees and does in Chromium, on the real table."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from arena.words import TABLE, Seen
from live_table import SEED, LiveTable
from playwright.sync_api import BrowserContext, Page, expect

DONE = re.compile("^Done, nothing hit")


@pytest.fixture
def page(screen: BrowserContext, table: LiveTable) -> Iterator[Page]:
    """The referee's page; nothing may go wrong in its console."""
    page = open_page(screen, table.page_of(TABLE))
    wrong: list[str] = []
    page.on("pageerror", lambda problem: wrong.append(str(problem)))
    page.on("console", lambda said: wrong.append(said.text) if "Content Security" in said.text else None)
    yield page
    assert wrong == []


def open_page(screen: BrowserContext, address: str) -> Page:
    page = screen.new_page()
    page.goto(address)
    expect(page.locator("#link")).to_have_text("Live")
    return page


def score(page: Page, team: str) -> str:
    return page.locator(f'.team[data-team="{team}"] .score b').inner_text()


def test_a_person_sees_whose_turn_it_is_and_which_mecha(table: LiveTable, page: Page) -> None:
    mecha = table.active()
    expect(page.locator("#turn .mecha-name")).to_have_text(mecha)
    expect(page.locator("#turn")).to_contain_text("Ann · Animal Clans")
    expect(page.locator("#turn")).to_contain_text("Round 1 · Turn 1")
    expect(page.locator("#prompt")).to_contain_text(f"Ann: Flick or Launch {mecha}")
    expect(page).to_have_title(re.compile(mecha))
    expect(page.locator(f'#arena .mecha.active[data-mecha="{mecha}"]')).to_have_count(1)


def test_the_key_leaves_the_address_bar_and_survives_a_reload(page: Page) -> None:
    assert "key" not in page.url
    page.reload()
    expect(page.get_by_role("button", name=DONE)).to_be_visible()


def test_the_big_button_ends_the_action_and_a_double_tap_counts_once(table: LiveTable, page: Page) -> None:
    page.get_by_role("button", name=DONE).dblclick()
    expect(page.locator(".when")).to_contain_text("Step 4 of 4")
    page.wait_for_timeout(500)
    assert table.view()["step"] == 4


def test_markers_stand_where_the_game_has_them(table: LiveTable, page: Page) -> None:
    markers = table.view()["markers"]
    for place in ("D1", "D8", "D9", "H1"):
        (team,) = markers[place]
        name = {"animal_clans": "Animal Clans", "iron_force": "Iron Force"}[team]
        shape = {"animal_clans": "round", "iron_force": "six"}[team]
        expect(page.locator(f'[data-place="{place}"] .marker.{shape}')).to_have_count(1)
        expect(page.locator(f'[data-place="{place}"]')).to_have_attribute("aria-label", re.compile(f"marker of {name}"))


def test_a_pass_that_the_beams_saw_takes_the_marker_lights_the_score_and_stands_in_the_log(
    table: LiveTable, page: Page
) -> None:
    mecha = table.active()
    table.tap("put", piece=mecha, box="B4")
    table.sees(Seen.PASS, "D8", "B4", "B1")
    expect(page.locator('[data-place="D8"] .marker')).to_have_count(0)
    expect(page.locator('.team[data-team="animal_clans"] .score b')).to_have_text("1")
    expect(page.locator('[data-place="D8"] .light')).to_have_attribute("data-pattern", "off")
    expect(page.locator("#log li").first).to_contain_text("D8")
    expect(page.locator(f'#arena .mecha[data-mecha="{mecha}"][data-box="B1"]')).to_have_count(1)


def test_damage_and_whereabouts_are_shown_as_the_table_believes_them(table: LiveTable, page: Page) -> None:
    table.tap("hit", piece="WH33L")
    row = page.locator('.mechas [data-piece="WH33L"]')
    expect(row).to_contain_text("Damaged")
    table.tap("outside", piece="WH33L")
    expect(row).to_contain_text("KO'd")
    expect(page.locator('#arena .mecha[data-mecha="WH33L"]')).to_have_attribute("data-box", "outside")


def test_a_choice_is_confirmed_with_one_tap(table: LiveTable, page: Page) -> None:
    page.get_by_role("button", name=f"{table.active()} hit CHAS3R").click()
    expect(page.locator('.mechas [data-piece="CHAS3R"]')).to_contain_text("Damaged")


def test_the_keyboard_is_enough(table: LiveTable, page: Page) -> None:
    button = page.get_by_role("button", name=f"{table.active()} hit CHAS3R")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator('.mechas [data-piece="CHAS3R"]')).to_contain_text("Damaged")


def test_a_question_is_asked_with_its_choices_and_answered(table: LiveTable, page: Page) -> None:
    # Two Mechas can have passed, and one of them would collect the marker
    table.tap("put", piece=table.active(), box="B4")
    other = next(name for name in ("BBIT", "BUBO", "HOWLER") if name != table.active())
    table.tap("put", piece=other, box="B4")
    table.tap("movement_ended")
    table.sees(Seen.PASS, "D8", "B4", "B1")
    question = page.locator(".question")
    expect(question).to_be_visible()
    waiting = table.do(lambda: table.table.page(TABLE))["question"]
    expect(question).to_contain_text(waiting["text"])
    question.get_by_role("button", name=waiting["choices"][0], exact=True).click()
    expect(question).to_have_count(0)
    assert table.do(lambda: table.table.page(TABLE))["question"] is None


def test_a_pass_that_was_missed_is_added_and_one_that_was_not_is_struck(table: LiveTable, page: Page) -> None:
    mecha = table.active()
    table.tap("put", piece=mecha, box="B4")
    page.get_by_role("button", name="Add a missed pass").click()
    window = page.get_by_role("dialog")
    window.get_by_label("Door or Hole").select_option("D8")
    expect(window.get_by_label("Mecha")).to_have_value(mecha)
    expect(window.get_by_label("Into")).to_have_value("B1")  # from where it is believed to be
    window.get_by_role("button", name="See what changes").click()
    expect(page.get_by_role("dialog")).to_contain_text("Animal Clans: 0 → 1.")
    assert score(page, "animal_clans") == "0"
    page.get_by_role("button", name="Do it").click()
    expect(page.locator('.team[data-team="animal_clans"] .score b')).to_have_text("1")

    page.locator("#log li", has_text="D8").get_by_role("button", name="Strike").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Animal Clans: 1 → 0.")
    page.get_by_role("button", name="Do it").click()
    expect(page.locator('.team[data-team="animal_clans"] .score b')).to_have_text("0")
    expect(page.locator('[data-place="D8"] .marker')).to_have_count(1)


def test_undo_says_what_it_takes_back_before_it_does(table: LiveTable, page: Page) -> None:
    page.get_by_role("button", name=f"{table.active()} hit CHAS3R").click()
    page.get_by_role("button", name="Undo", exact=True).click()
    newest = page.locator("#log li:has(.strike) p").first.inner_text()
    expect(page.get_by_role("dialog").get_by_role("heading").first).to_have_text(f"Undo: {newest.removesuffix('.')}?")
    assert "CHAS3R" in newest
    expect(page.get_by_role("dialog")).to_contain_text("CHAS3R: Damaged → undamaged.")
    page.get_by_role("button", name="Cancel").click()
    assert table.view()["mechas"]["CHAS3R"]["damaged"]
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name="Do it").click()
    expect(page.locator('.mechas [data-piece="CHAS3R"]')).not_to_contain_text("Damaged")


def test_the_preview_of_an_undo_names_players_not_seats(table: LiveTable, page: Page) -> None:
    table.tap("done")
    table.tap("done")
    expect(page.locator("#turn")).to_contain_text("Ben")
    page.get_by_role("button", name="Undo", exact=True).click()
    changes = page.get_by_role("dialog").locator(".changes").first
    expect(changes).to_contain_text("Ben")
    expect(changes).not_to_contain_text(re.compile(r"\bP[12]\b"))


def test_a_door_in_the_picture_offers_what_can_have_happened_there(table: LiveTable, page: Page) -> None:
    page.locator('[data-place="D8"] .hit').click()
    window = page.get_by_role("dialog", name="Door D8: what happened here?")
    expect(window.get_by_role("button", name=f"{table.active()} passed Door D8").first).to_be_visible()
    window.get_by_role("button", name="Close").click()
    expect(window).to_have_count(0)


def test_a_refusal_is_told_with_its_rule(table: LiveTable, page: Page) -> None:
    # Somebody else at the table has told the same hit while this page looked at its choices
    page.route("**/api/command", lambda route: (table.tap("hit", piece="CHAS3R"), route.continue_())[1])
    page.get_by_role("button", name=f"{table.active()} hit CHAS3R").click()
    expect(page.get_by_role("alert").filter(has_text="Rulebook")).to_be_visible()


def test_a_tap_that_came_too_late_says_so(table: LiveTable, page: Page) -> None:
    # Somebody else has ended the Activation that this page still shows
    page.route("**/api/command", lambda route: (table.tap("done"), route.continue_())[1])
    page.get_by_role("button", name=f"{table.active()} hit CHAS3R").click()
    expect(page.get_by_role("alert").filter(has_text="look again")).to_be_visible()


def test_a_page_whose_daemon_is_gone_says_so_and_misses_nothing_when_it_is_back(table: LiveTable, page: Page) -> None:
    table.tap("hit", piece="WH33L")
    expect(page.locator('.mechas [data-piece="WH33L"]')).to_contain_text("Damaged")
    table.stop()
    expect(page.locator("#link")).to_have_text("The daemon is gone: start it again, the game goes on.")
    expect(page.get_by_role("button", name=DONE)).to_have_count(0)  # it says "Done" now
    expect(page.locator("#choices > .main")).to_have_attribute("aria-disabled", "true")
    table.start()
    table.tap("hit", piece="CHAS3R")
    expect(page.locator("#link")).to_have_text("Live", timeout=15_000)
    expect(page.locator('.mechas [data-piece="CHAS3R"]')).to_contain_text("Damaged")
    expect(page.locator('.mechas [data-piece="WH33L"]')).to_contain_text("Damaged")
    expect(page.locator("#log li.fresh")).to_contain_text("CHAS3R")


def test_a_spectator_sees_everything_and_can_do_nothing(table: LiveTable, screen: BrowserContext) -> None:
    watching = open_page(screen, table.url)
    expect(watching.locator("#turn .mecha-name")).to_have_text(table.active())
    expect(watching.locator("#menu")).to_have_text("Watching")
    expect(watching.locator("#choices button, #log button, #question button")).to_have_count(0)
    watching.locator('[data-place="D8"]').dispatch_event("click")
    expect(watching.get_by_role("dialog")).to_have_count(0)


def test_a_players_phone_shows_its_buttons_only_in_its_turn(table: LiveTable, screen: BrowserContext) -> None:
    phone = screen.new_page()
    phone.set_viewport_size({"width": 360, "height": 740})
    phone.goto(table.page_of("P2"))
    expect(phone.locator("#link")).to_have_text("Live")
    expect(phone.locator("#menu")).to_have_text("Ben")
    expect(phone.locator("#choices button")).to_have_count(0)
    table.tap("done")
    table.tap("done")
    expect(phone.get_by_role("button", name=DONE)).to_be_visible()
    phone.get_by_role("button", name=DONE).click()
    expect(phone.locator(".when")).to_contain_text("Step 4 of 4")


def test_a_key_that_opens_nothing_leaves_a_spectator_who_is_told(table: LiveTable, screen: BrowserContext) -> None:
    page = open_page(screen, f"{table.url}#key=nonsense")
    expect(page.locator("#menu")).to_have_text("Watching")
    expect(page.get_by_role("alert")).to_contain_text("opens no seat")


def test_house_content_is_always_named_as_such(table: LiveTable, page: Page) -> None:
    expect(page.locator("#foot")).to_contain_text("are invented here")
    for card in page.locator(".power-up").all():
        house = card.locator(".tag.house").count() == 1
        assert house != ("Field Repair Kit" in card.inner_text())


def test_the_boards_health_is_told_in_words(table: LiveTable, page: Page) -> None:
    expect(page.locator("#foot")).to_contain_text("The board lower is live.")
    table.boards = [{"name": "lower", "state": "gone", "words": "The board lower is gone: look at its cable."}]
    expect(page.locator("#foot")).to_contain_text("look at its cable")
    table.do(lambda: table.table.pause(True))
    expect(page.locator("#link")).to_contain_text("Paused")


def test_a_new_game_for_three_is_set_up_on_the_page(table: LiveTable, page: Page) -> None:
    page.get_by_role("button", name="New game").click()
    window = page.get_by_role("dialog")
    window.get_by_text("3", exact=True).click()
    for nth, name in enumerate(("Cy", "Di", "Eva")):
        window.get_by_label("Name").nth(nth).fill(name)
    for nth in range(3):
        window.locator(".player").nth(nth).get_by_text("Animal Clans").click()
    window.get_by_text("2nd Chance").click()
    window.get_by_text("Iron Force").last.click()  # goes first
    window.get_by_role("button", name="Start the game").click()
    expect(window).to_contain_text("two players against one")
    window.locator(".player").nth(2).get_by_text("Iron Force").click()
    window.get_by_role("button", name="Start the game").click()
    expect(window).to_have_count(0)
    expect(page.locator("#turn")).to_contain_text("Eva")
    players = table.view()["players"]
    assert [(player["name"], player["tokens"]) for player in players] == [("Cy", [2]), ("Di", [4]), ("Eva", [1, 3])]
    assert any(c["command"]["do"] == "second_chance" for c in table.do(lambda: table.table.page(TABLE))["legal"])


def test_a_new_game_for_four_is_set_up_on_the_page(table: LiveTable, page: Page) -> None:
    page.get_by_role("button", name="New game").click()
    window = page.get_by_role("dialog")
    window.get_by_text("4", exact=True).click()
    for nth, name in enumerate(("Cy", "Di", "Eva", "Fee")):
        window.get_by_label("Name").nth(nth).fill(name)
    window.get_by_role("button", name="Start the game").click()
    expect(page.locator("#turn")).to_contain_text("Cy")
    assert [player["name"] for player in table.view()["players"]] == ["Cy", "Di", "Eva", "Fee"]
    page.get_by_role("button", name="Phones").click()
    links = page.get_by_role("dialog").get_by_role("textbox")
    expect(links).to_have_count(5)
    expect(links.last).to_have_value(f"http://arena.local:{table.port}/")


def test_what_a_new_game_lacks_is_said_once_in_its_window(table: LiveTable, page: Page) -> None:
    page.get_by_role("button", name="New game").click()
    window = page.get_by_role("dialog")
    window.get_by_text("4", exact=True).click()
    names = window.get_by_label("Name")
    assert [field.input_value() for field in names.all()] == ["Ann", "Ben", "Player 3", "Player 4"]
    names.first.fill("  ")
    window.get_by_role("button", name="Start the game").click()
    expect(page.get_by_text("Player 1 needs a name.")).to_have_count(1)
    expect(window.get_by_role("alert")).to_have_text("Player 1 needs a name.")
    expect(names.first).to_be_focused()

    chaos = window.get_by_role("checkbox", name="Maximum Chaos: a")
    window.get_by_text("No Power-ups: leave").click()
    expect(chaos).to_be_disabled()
    expect(window).to_contain_text("not together with No Power-ups")
    window.get_by_text("No Power-ups: leave").click()
    chaos.check()
    expect(window.get_by_role("checkbox", name="No Power-ups: leave")).to_be_disabled()


def test_where_choices_are_many_first_the_mecha_is_picked_then_the_place(table: LiveTable, page: Page) -> None:
    group = page.locator("details", has_text="Where it stands")
    expect(group.get_by_role("button")).to_have_count(0)  # folded
    group.locator("summary").click()
    group.get_by_role("button", name="SHI3LD", exact=True).click()
    group.get_by_role("button", name="SHI3LD stands in B1").click()
    expect(page.locator('.mechas [data-piece="SHI3LD"]')).to_contain_text("B1")


def test_a_picker_preselects_the_active_mecha_and_a_pick_holds_for_one_activation(table: LiveTable, page: Page) -> None:
    group = page.locator("details", has_text="Where it stands")
    picked = group.locator('.pieces [aria-pressed="true"]')
    group.locator("summary").click()
    first = table.active()
    expect(picked).to_have_text(first)
    group.get_by_role("button", name="SHI3LD", exact=True).click()
    table.tap("hit", piece="CHAS3R")
    expect(page.locator('.mechas [data-piece="CHAS3R"]')).to_contain_text("Damaged")
    expect(picked).to_have_text("SHI3LD")
    table.tap("done")
    table.tap("done")
    assert table.active() != first
    expect(picked).to_have_text(table.active())
    table.begin(seed=SEED + 1)
    expect(picked).to_have_text(table.active())


def test_choices_that_say_the_same_are_told_apart_by_their_sentence(table: LiveTable, page: Page) -> None:
    active = table.active()
    row = page.locator("#choices").get_by_role("group", name="Done, hit …")
    row.get_by_role("button", name="Done, hit SHI3LD").click()
    expect(page.locator("#log")).to_contain_text(f"SHI3LD is Damaged: hit by {active}.")
    expect(page.locator(".when")).to_contain_text("Step 4 of 4")


def test_before_any_game_the_page_offers_one(tmp_path: Path, screen: BrowserContext) -> None:
    table = LiveTable(tmp_path)
    page = open_page(screen, table.page_of(TABLE))
    expect(page.locator("#turn")).to_contain_text("No game is being played")
    table.begin()
    expect(page.locator("#turn .mecha-name")).to_have_text(table.active())
    table.stop()


def test_the_winner_is_shown_with_the_score(table: LiveTable, page: Page) -> None:
    assert table.win() == "animal_clans"
    card = page.locator(".winner")
    expect(card).to_contain_text("Animal Clans")
    expect(card).to_contain_text("12")
    expect(card.get_by_role("button", name="New game")).to_be_visible()
    expect(page.locator("#choices button.main")).to_have_count(0)


def test_the_toy_table_suggests_and_a_person_confirms(tmp_path: Path, screen: BrowserContext) -> None:
    toy, data = tmp_path / "toy", tmp_path / "data"
    toy.mkdir()
    data.mkdir()
    (toy / "index.html").write_text(
        "<script>onload = () => parent.postMessage({arena: 'suggest', commands: "
        "[{do: 'hit', piece: 'DRON3'}, {do: 'done'}]}, '*')</script>"
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(toy)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    table = LiveTable(data, toy_url=f"http://127.0.0.1:{server.server_port}/")
    table.begin()
    page = open_page(screen, table.page_of(TABLE))
    suggested = page.locator("#suggested button")
    big = page.locator("#choices > .main")
    expect(suggested).to_have_text([re.compile(f"^{table.active()} hit DRON3$")])
    expect(big).not_to_have_class(re.compile("suggested"))
    assert not table.view()["mechas"]["DRON3"]["damaged"]
    suggested.first.click()
    expect(big).to_have_class(re.compile("suggested"))  # Done is not said twice
    expect(suggested).to_have_count(0)
    assert table.view()["mechas"]["DRON3"]["damaged"]
    # Another page may say what it likes
    page.evaluate("postMessage({arena: 'suggest', commands: [{do: 'outside', piece: 'BUBO'}]}, '*')")
    page.wait_for_timeout(200)
    expect(suggested).to_have_count(0)
    table.stop()
    server.shutdown()


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1024, 768), (1366, 768), (1920, 1080)])
def test_nothing_is_cut_off_at_the_side(table: LiveTable, screen: BrowserContext, width: int, height: int) -> None:
    page = screen.new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.goto(table.page_of(TABLE))
    expect(page.locator("#link")).to_have_text("Live")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for part in ("#turn", "#arena", "#act", "#teams", "#log"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    if width >= 1366:  # the whole arena in one view
        picture = page.locator(".level.lower").bounding_box()
        assert picture is not None
        assert picture["y"] + picture["height"] <= height
