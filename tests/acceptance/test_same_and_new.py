"""`same` and `new`: values that must come again, and values that must not."""

from decimal import Decimal

from acceptance.matching import Matching
from acceptance.script import Values
from acceptance.standard import standard
from acceptance.values import Variables


class Telling:
    """Compares messages one after the other, as a play does."""

    def __init__(self) -> None:
        self.variables = Variables({}, Decimal("0.01"), lambda name: name)

    def right(self, fields: list[tuple[int, str]], expected: Values) -> bool:
        matching = Matching(standard("FIX.4.4"), self.variables, {})
        matching.compare(fields, expected)
        if matching.right:
            for name, value in matching.remembered.items():
                self.variables.remember(name, value)
            for name, value in matching.used:
                self.variables.use(name, value)
        return matching.right


def test_same_keeps_the_first_value_and_refuses_another() -> None:
    telling = Telling()
    expected: Values = {"OrderID": {"same": "A order"}}
    assert not telling.right([], expected)
    assert telling.right([(37, "7")], expected)
    assert telling.right([(37, "7")], expected)
    assert not telling.right([(37, "8")], expected)
    assert telling.right([(37, "7")], {"OrderID": "$a order"})


def test_new_refuses_a_value_that_came_before_under_its_name() -> None:
    telling = Telling()
    expected: Values = {"ExecID": {"new": "executions", "remember": "last"}}
    assert telling.right([(17, "1")], expected)
    assert not telling.right([(17, "1")], expected)
    assert telling.right([(17, "2")], expected)
    assert telling.right([(17, "1")], {"ExecID": {"new": "others"}})
    assert telling.variables.known("last") == "2"


def test_one_of_may_have_absent() -> None:
    telling = Telling()
    assert telling.right([], {"LastQty": {"one of": ["absent", "0"]}})
    assert telling.right([(32, "0")], {"LastQty": {"one of": ["absent", "0"]}})
    assert not telling.right([(32, "1")], {"LastQty": {"one of": ["absent", "0"]}})
