"""Outputs are started, started again, and stopped with the venue and its settings."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import yaml

from fixgw.admin.words import Reload
from tests.raw import BUY
from tests.venue.floor import NEW, Floor, logged_on, running
from tests.venue.operating import done, fixgw
from tests.venue.users import wait_for


def change(floor: Floor, **drop_copy: object) -> list[str]:
    settings = yaml.safe_load(floor.config.read_text())
    settings["drop_copy"] = drop_copy
    floor.config.write_text(yaml.safe_dump(settings))
    return done(floor, Reload())


def ready(floor: Floor) -> bool:
    return "drop-copy ready" in floor.status().get("output", "")


def process(floor: Floor) -> int:
    return int((floor.data / "drop-copy" / "lock").read_text())


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_outputs_come_change_and_go_with_the_settings(tmp_path: Path) -> None:
    with running(tmp_path) as floor:
        assert "output" not in floor.status() and not (floor.data / "drop-copy").exists()
        assert change(floor, port=0, sessions={"ALL": {}}) == [
            "~ drop_copy: port 9878 -> 0, sessions [] -> [ALL]",
            "+ output drop-copy",
        ]
        wait_for(lambda: ready(floor), "the output")
        first = process(floor)
        assert (
            change(floor, port=0, sessions={"ALL": {}, "TWO": {}})[-1]
            == "~ output drop-copy: is started again"
        )
        wait_for(lambda: ready(floor) and process(floor) != first, "the new one")
        assert not alive(first)
        second = process(floor)
        assert change(floor)[-1] == "- output drop-copy"
        wait_for(lambda: not alive(second), "its end")
        assert "output" not in floor.status()


def test_an_output_that_cannot_run_does_not_matter_to_the_venue(tmp_path: Path) -> None:
    """Its port is taken; later it is free."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with running(tmp_path, drop_copy={"port": port, "sessions": {"ALL": {}}}) as floor:
            wait_for(
                lambda: f"fixgw publish drop-copy: cannot listen on 127.0.0.1:{port}" in floor.errors, "words"
            )
            with logged_on(floor, "M0-USD", "ALPHA") as (member,):
                member.new("a", BUY, "1", "100")
                member.told("a", NEW)
            assert "is not ready" in floor.status()["output"]
            taken.close()
            wait_for(lambda: ready(floor), "the output")


def test_outputs_end_with_the_venue_however_that_ends(tmp_path: Path) -> None:
    sections = {"port": 0, "sessions": {"ALL": {}}}
    with running(tmp_path, drop_copy=sections) as floor:
        wait_for(lambda: ready(floor), "the output")
        first = process(floor)
        floor.kill9()
        wait_for(lambda: not alive(first), "its end")
        floor.start()
        wait_for(lambda: ready(floor), "another one")
        second = process(floor)
        os.kill(second, signal.SIGKILL)
        wait_for(lambda: ready(floor) and process(floor) != second, "it to be started again")
        third = process(floor)
    assert not alive(third)


def test_one_that_is_run_alone_says_what_is_wrong(tmp_path: Path) -> None:
    def refused(*words: object) -> str:
        done_ = fixgw("publish", "drop-copy", "--config", config, *words)
        assert done_.returncode == 2 and done_.stdout == "" and len(done_.stderr.splitlines()) == 1
        return done_.stderr

    config = Floor(tmp_path).config
    nothing = tmp_path / "nothing"
    assert "drop_copy.sessions: there are none" in refused("--data", nothing)
    with running(tmp_path, drop_copy={"port": 0, "sessions": {"ALL": {}}}) as floor:
        assert "nothing: holds no venue's data" in refused("--data", nothing)
        wait_for(lambda: ready(floor), "the output")
        assert "drop-copy: in use by another venue, process" in refused("--data", floor.data)
    (tmp_path / "other").mkdir()
    with running(tmp_path / "other", drop_copy={"port": 0, "sessions": {"ALL": {}}}) as other:
        wait_for(lambda: ready(other), "the output")
    os.rename(other.data / "drop-copy", tmp_path / "aside")
    os.rename(floor.data / "drop-copy", other.data / "drop-copy")
    assert "belongs to the log of other data than" in refused("--data", other.data)
