"""The form of scripts as a JSON Schema, for editors that check while one writes; `fixgw certify --schema`.

It knows keys, verbs and options. Names of messages, fields and templates are checked by reading a script."""

from __future__ import annotations

from typing import Any

from acceptance.grammar import BY_HAND, OUTPUTS, ROLE, TOP, VERBS, Verb
from acceptance.matching import CONDITIONS
from acceptance.script import VERSIONS

Schema = dict[str, Any]
TEXT: Schema = {"type": ["string", "number", "integer", "boolean"]}
SECONDS: Schema = {"type": ["string", "number"]}
ONE_OF: Schema = {"$ref": "#/$defs/one of"}
ROLES: Schema = {"type": "string", "pattern": f"^{ROLE.pattern}$"}


def schema() -> Schema:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A certification script of fixgw",
        "type": "object",
        "required": ["title"],
        "oneOf": [{"required": ["steps"]}, {"required": ["matrix"]}],
        "properties": {
            **{name: {"description": text} for name, text in TOP.items()},
            "title": _said("title", {"type": "string"}),
            "proves": _said("proves", _one_or_more(TEXT)),
            "versions": _said("versions", _one_or_more({"enum": list(VERSIONS)})),
            "sessions": _said("sessions", _one_or_more(ROLES)),
            "needs": _said("needs", _one_or_more({"type": "string"})),
            "venue": _said("venue", {"type": "object"}),
            "by hand": _said("by hand", _one_or_more({"enum": list(BY_HAND)})),
            "alone": _said("alone", {"enum": ["yes", "no", True, False]}),
            "steps": _said("steps", {"$ref": "#/$defs/steps"}),
            "matrix": {"type": ["object", "array"]},
        },
        "$defs": {
            "steps": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/step"}},
            "step": {"type": "object", "anyOf": [*map(_step, VERBS, VERBS.values()), _template()]},
            "fields": {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}},
            "value": {"anyOf": [TEXT, {"$ref": "#/$defs/conditions"}, _groups()]},
            "conditions": {
                "type": "object",
                "minProperties": 1,
                "properties": {
                    name: {"description": text, **_operand(name)} for name, text in CONDITIONS.items()
                },
                "additionalProperties": False,
            },
            "one of": {
                "type": "array",
                "minItems": 1,
                "items": {"anyOf": [TEXT, {"$ref": "#/$defs/conditions"}]},
            },
        },
    }


def _said(name: str, form: Schema) -> Schema:
    return {"description": TOP[name], **form}


def _one_or_more(form: Schema) -> Schema:
    return {"anyOf": [form, {"type": "array", "items": form}]}


def _operand(condition: str) -> Schema:
    if condition == "one of":
        return ONE_OF
    if condition == "not":
        alone: Schema = {
            "properties": {"one of": ONE_OF},
            "required": ["one of"],
            "additionalProperties": False,
        }
        return {"anyOf": [TEXT, {"type": "object", **alone}]}
    return TEXT


def _groups() -> Schema:
    return {"type": "array", "items": {"$ref": "#/$defs/fields"}}


def _step(name: str, verb: Verb) -> Schema:
    taken = {
        "role": ROLES,
        "steps": {"$ref": "#/$defs/steps"},
        "numbers": {"type": "object"},
        "restart": {"enum": ["stop", "kill"]},
        "expected": {"anyOf": [{"type": "string"}, {"type": "object", "required": ["one of"]}]},
    }
    options: Schema = {
        "on": ROLES,
        "fields": {"$ref": "#/$defs/fields"},
        "within": SECONDS,
        "after": SECONDS,
        "for": SECONDS,
        "skip": _one_or_more({"type": "string"}),
        "over": {"enum": ["tls", *OUTPUTS]},
        "certificate": {"type": "string"},
        "refused": {"type": "string", "minLength": 1},
    }
    return {
        "required": [name],
        "properties": {
            name: {"description": verb.help, **taken.get(verb.takes, {"type": "string"})},
            **{option: options[option] for option in sorted(verb.options)},
        },
        "additionalProperties": False,
    }


def _template() -> Schema:
    """A step whose name is that of a template: which there are, only their files say. It takes parameters."""
    return {
        "minProperties": 1,
        "not": {"anyOf": [{"required": [name]} for name in VERBS]},
        "anyOf": [
            {"maxProperties": 1, "additionalProperties": {"enum": ["yes", True, "", None]}},
            {"additionalProperties": {"type": "object"}, "maxProperties": 1},
            {"minProperties": 2},
        ],
    }
