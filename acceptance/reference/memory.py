"""Numbers, reports and orders on disk, in one SQLite file: they survive kill -9 (not the loss of power, which
no script can cause)."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

from acceptance.reference.book import Order
from acceptance.reference.desk import Desk
from acceptance.reference.history import History, Sent

_TABLES = """
create table if not exists sessions (name text primary key, history text);
create table if not exists sent (session text, number integer, message text, primary key (session, number));
create table if not exists orders (id text primary key, terms text);
create table if not exists ids (client text, cl_ord_id text, order_id text, primary key (client, cl_ord_id));
create table if not exists venue (name text primary key, value text);
"""
_DECIMALS = ("quantity", "price", "filled", "money")


class Memory:
    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(directory / "reference.sqlite", isolation_level=None)
        self._db.execute("pragma synchronous = off")
        self._db.executescript(_TABLES)
        self._saved: dict[str, str] = {}
        self.killed = self._value("running", "no") == "yes"
        """the venue before this one did not end in good order"""
        self._set("running", "yes")

    def history(self, name: str) -> History:
        history = History()
        row = self._db.execute("select history from sessions where name = ?", (name,)).fetchone()
        if row is not None:
            history.sender, history.target, history.proven, history.away = json.loads(row[0])
        query = "select number, message from sent where session = ?"
        for number, text in self._db.execute(query, (name,)):
            msg_type, time, body = json.loads(text)
            history.sent[number] = Sent(msg_type, time, [(tag, value) for tag, value in body])
        return history

    def load(self, desk: Desk) -> None:
        for (text,) in self._db.execute("select terms from orders order by cast(id as integer)"):
            terms = json.loads(text)
            desk.book.restore(Order(**terms | {name: Decimal(terms[name]) for name in _DECIMALS}))
        for client, cl_ord_id, order_id in self._db.execute("select * from ids"):
            desk.ids[client, cl_ord_id] = order_id
        desk.last_id = int(self._value("last_id", "0"))
        desk.book.last_match = int(self._value("last_match", "0"))
        desk.cancel_only = set(json.loads(self._value("cancel_only", "[]")))

    def save(self, histories: dict[str, History], desk: Desk) -> None:
        """All that has changed, in one transaction."""
        self._db.execute("begin")
        for name, history in histories.items():
            self._save_history(name, history)
        for order_id in desk.touched:
            terms = asdict(desk.book.orders[order_id])
            terms |= {name: str(terms[name]) for name in _DECIMALS}
            self._db.execute("replace into orders values (?, ?)", (order_id, json.dumps(terms)))
        for key in desk.new_ids:
            self._db.execute("replace into ids values (?, ?, ?)", (*key, desk.ids[key]))
        desk.touched.clear()
        desk.new_ids.clear()
        self._set("last_id", str(desk.last_id))
        self._set("last_match", str(desk.book.last_match))
        self._set("cancel_only", json.dumps(sorted(desk.cancel_only)))
        self._db.execute("commit")

    def close(self) -> None:
        """In good order."""
        self._set("running", "no")
        self._db.close()

    def _save_history(self, name: str, history: History) -> None:
        if history.begun_again:
            self._db.execute("delete from sent where session = ?", (name,))
            history.begun_again = False
        for number in history.new:
            sent = history.sent[number]
            text = json.dumps([sent.msg_type, sent.sending_time, sent.body])
            self._db.execute("replace into sent values (?, ?, ?)", (name, number, text))
        history.new.clear()
        text = json.dumps([history.sender, history.target, history.proven, history.away])
        if self._saved.get(f"session {name}") != text:
            self._saved[f"session {name}"] = text
            self._db.execute("replace into sessions values (?, ?)", (name, text))

    def _value(self, name: str, default: str) -> str:
        row = self._db.execute("select value from venue where name = ?", (name,)).fetchone()
        return default if row is None else str(row[0])

    def _set(self, name: str, value: str) -> None:
        if self._saved.get(name) != value:
            self._saved[name] = value
            self._db.execute("replace into venue values (?, ?)", (name, value))
