"""The server alone: who may do what, what is refused and how, and what a stream carries."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from arena.web import Keys, KeysError
from arena.words import TABLE
from live_table import ANN_AND_BEN, SEED, LiveTable


def done(number: int) -> dict[str, Any]:
    return {"command": {"do": "done"}, "id": f"id{number}"}


def test_a_command_of_the_table_changes_the_game(table: LiveTable) -> None:
    status, answer, _ = table.ask("api/command", {"command": {"do": "hit", "piece": "WH33L"}, "id": "a"}, seat=TABLE)
    assert (status, answer["ok"]) == (200, True)
    assert table.view()["mechas"]["WH33L"]["damaged"]


def test_a_command_given_twice_with_one_id_counts_once(table: LiveTable) -> None:
    first = table.ask("api/command", done(1), seat=TABLE)[1]
    mecha = table.active()
    assert table.ask("api/command", done(1), seat=TABLE)[1]["seq"] == first["seq"]
    assert table.view()["step"] == 4
    assert table.active() == mecha


def test_an_undo_given_twice_with_one_id_takes_back_one_step(table: LiveTable) -> None:
    table.tap("hit", piece="WH33L")
    table.tap("hit", piece="DRON3")
    for _ in range(2):
        assert table.ask("api/undo", {"steps": 1, "id": "u"}, seat=TABLE)[1]["ok"]
    mechas = table.view()["mechas"]
    assert (mechas["WH33L"]["damaged"], mechas["DRON3"]["damaged"]) == (True, False)


def test_a_new_game_asked_for_twice_begins_once(table: LiveTable) -> None:
    wishes = {"players": [{"name": "Cy", "team": "iron_force"}, {"name": "Di", "team": "animal_clans"}], "id": "g"}
    first = table.ask("api/game", wishes, seat=TABLE)[1]
    assert table.ask("api/game", wishes, seat=TABLE)[1] == first
    assert [player["name"] for player in table.view()["players"]] == ["Cy", "Di"]


def test_an_illegal_command_is_refused_with_reason_and_section(table: LiveTable) -> None:
    status, answer, _ = table.ask("api/command", {"command": {"do": "hit", "piece": "NOBODY"}, "id": "a"}, seat=TABLE)
    assert status == 409
    assert "NOBODY" in answer["error"]
    assert "section" in answer


def test_a_spectator_may_not_command(table: LiveTable) -> None:
    for path in ("command", "undo", "strike", "insert", "answer", "game", "boards/release", "boards/resume"):
        status, answer, _ = table.ask(f"api/{path}", done(1))
        assert status == 403, path
        assert "Spectators watch" in answer["error"]
    assert table.view()["step"] == 2


def test_a_players_phone_acts_for_its_seat_only(table: LiveTable) -> None:
    status, answer, _ = table.ask("api/command", done(1), seat="P2")
    assert (status, answer["ok"]) == (409, False)
    assert table.ask("api/command", done(2), seat="P1")[0] == 200
    assert table.ask("api/undo", {"steps": 1, "id": "u"}, seat="P1")[0] == 403


def test_a_wrong_key_is_refused_and_not_taken_for_a_spectator(table: LiveTable) -> None:
    status, answer, _ = table.ask("api/events", headers={"Authorization": "Bearer nonsense"})
    assert status == 401
    assert "key opens no seat" in answer["error"]


def test_a_page_of_another_name_is_refused(table: LiveTable) -> None:
    status, answer, _ = table.ask("api/map", headers={"Host": f"evil.example:{table.port}"})
    assert status == 421
    assert "evil.example" in answer["error"]
    assert table.ask("api/map", headers={"Host": "ARENA.local:80"})[0] == 200


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[1]", "object was expected"),
        (b'{"command": 3, "id": "a"}', '"command" must be an object'),
        (b'{"command": {"do": "hit", "piece": {}}, "id": "a"}', "must be a word or a number"),
        (b'{"command": {"do": "done"}}', '"id" must be a text'),
        (b'{"command": {"do": "done"}, "id": ""}', 'needs an "id"'),
        (b'{"command": {"do": "%s"}, "id": "a"}' % (b"x" * 20_000), "longer than any command"),
    ],
)
def test_nonsense_is_answered_with_a_sentence(table: LiveTable, body: bytes, says: str) -> None:
    status, answer, _ = table.ask("api/command", body, seat=TABLE)
    assert 400 <= status < 500
    assert says in answer["error"]
    assert "Traceback" not in json.dumps(answer)


def test_an_unknown_address_is_answered_with_a_sentence(table: LiveTable) -> None:
    assert table.ask("api/nothing")[1]["error"] == "There is nothing at this address."
    assert table.ask("static/../server.py")[0] == 404


def test_every_answer_carries_a_strict_content_policy(tmp_path: Path) -> None:
    table = LiveTable(tmp_path, toy_url="http://127.0.0.1:9/toy/")
    for path in ("api/map", "api/nothing"):
        policy = table.ask(path)[2]["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "frame-src http://127.0.0.1:9;" in policy
        assert "unsafe" not in policy
    table.stop()


def test_only_seats_are_told_of_the_toy_table_and_only_the_referee_of_the_phones_keys(tmp_path: Path) -> None:
    table = LiveTable(tmp_path, toy_url="http://127.0.0.1:9/")
    spectator, player, referee = (table.ask("api/me", seat=seat)[1] for seat in (None, "P1", TABLE))
    assert spectator["seat"] == "spectator"
    assert "toy_url" not in spectator
    assert player["toy_url"] == referee["toy_url"] == "http://127.0.0.1:9/"
    assert "keys" not in player
    assert referee["keys"]["P1"] == table.keys.of("P1")
    assert TABLE not in referee["keys"]
    assert referee["hosts"] == ["arena.local"]  # where a phone finds the table
    table.stop()


def test_a_stream_begins_with_the_whole_page_whatever_was_seen_last(table: LiveTable) -> None:
    table.tap("hit", piece="WH33L")
    for last in (None, 0, 1, 10_000):
        with table.stream(TABLE, last) as events:
            first = next(events)
            assert first["data"]["view"] == table.view()
            assert first["id"] == str(first["data"]["seq"])
            assert first["data"]["boards"] == table.boards


def test_a_stream_tells_each_change_and_the_boards_health(table: LiveTable) -> None:
    with table.stream(TABLE) as events:
        before = next(events)["data"]["seq"]
        table.tap("hit", piece="WH33L")
        page = next(events)["data"]
        assert page["seq"] > before
        assert page["view"]["mechas"]["WH33L"]["damaged"]
        table.boards = [{"name": "lower", "state": "gone", "words": "The board lower is gone."}]
        told = next(events)
        assert told["event"] == "boards"
        assert told["data"] == table.boards


def test_a_spectators_stream_holds_nothing_hidden(table: LiveTable) -> None:
    # A Mecha that is KO'd in its own turn gives the two of the other team a card that only they look at
    table.begin(players=[*ANN_AND_BEN, {"name": "Cy", "team": "animal_clans"}, {"name": "Di", "team": "iron_force"}])
    while not table.view()["power_ups"]["waiting"]:
        if table.view()["active"]["team"] == "animal_clans":
            table.tap("outside", piece=table.active())
        table.tap("done")
        assert table.view()["turn"] < 20
    with table.stream() as watching, table.stream(TABLE) as judging:
        seen, known = next(watching)["data"], next(judging)["data"]
    assert known["view"]["power_ups"]["seen"]
    assert seen["view"]["power_ups"]["seen"] == []
    assert seen["legal"] == []
    assert "console" not in seen["boards"][0]
    for secret in (str(SEED), table.keys.of(TABLE), table.keys.of("P1"), "seed"):
        assert secret not in json.dumps(seen)


def test_a_preview_changes_nothing_and_says_what_it_would(table: LiveTable) -> None:
    table.tap("hit", piece="WH33L")
    seq = table.ask("api/health")[1]["seq"]
    answer = table.ask("api/undo", {"steps": 1, "preview": True}, seat=TABLE)[1]
    assert "WH33L: Damaged → undamaged." in answer["changes"]
    assert table.ask("api/health")[1]["seq"] == seq


def test_the_boards_are_let_go_and_taken_back(table: LiveTable) -> None:
    assert table.ask("api/boards/release", {"seconds": 60, "id": "a"}, seat=TABLE)[0] == 200
    assert table.ask("api/boards/release", {"seconds": 0, "id": "b"}, seat=TABLE)[0] == 400
    assert table.ask("api/boards/resume", {}, seat=TABLE)[0] == 200
    assert table.released == [60, None]


def test_a_setup_that_makes_no_game_is_refused_in_words(table: LiveTable) -> None:
    one_sided = [{"name": "Cy", "team": "iron_force"}, {"name": "Di", "team": "iron_force"}]
    status, answer, _ = table.ask("api/game", {"players": one_sided, "id": "g"}, seat=TABLE)
    assert status == 400
    assert "players" in answer["error"]
    assert [player["name"] for player in table.view()["players"]] == ["Ann", "Ben"]


def test_keys_are_kept_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    keys = Keys.open(tmp_path)
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len({keys.of(seat) for seat in keys.seats()}) == 5
    again = Keys.open(tmp_path)
    assert [again.seat(keys.of(seat)) for seat in keys.seats()] == list(keys.seats())
    assert again.seat("") is None
    assert again.seat("é") is None


def test_a_spoilt_key_file_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text('{"table": "x"}')
    with pytest.raises(KeysError, match="Delete the file"):
        Keys.open(tmp_path)


def test_a_tap_that_another_page_has_overtaken_is_refused(table: LiveTable) -> None:
    """Two pages show the same Activation and both tap Done: the second tap does not end the next Mecha's."""
    seen_in = table.do(lambda: table.table.page(TABLE))["activation"]
    taps = [{"command": {"do": "done"}, "activation": seen_in, "id": each} for each in ("host", "phone", "host")]
    first, second, again = (table.ask("api/command", tap, seat=TABLE) for tap in taps)
    assert (first[0], second[0]) == (200, 409)
    assert "look again" in second[1]["error"]
    assert again[:2] == first[:2]
    assert table.do(lambda: table.table.page(TABLE))["activation"] == seen_in + 1


def test_brackets_without_end_are_refused_in_a_sentence(table: LiveTable) -> None:
    status, answer, _ = table.ask("api/command", b"[" * 3000, seat=TABLE)
    assert status == 400
    assert "JSON" in answer["error"]
