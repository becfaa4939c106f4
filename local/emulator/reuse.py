"""Corrections that make the emulator do the same work once."""

import functools
import operator
import re

import botocore.session

from ministack.core import iam_evaluator
from ministack.services import dynamodb

from .patching import replace_function


def use_one_botocore_session():
    """MiniStack makes a session, which takes long, for each service whose description it reads."""
    patch = use_one_botocore_session
    replace_function(botocore.session, "get_session", ("env_vars",), patch, lambda stock: functools.cache(stock))


def parse_each_policy_once():
    """MiniStack parses the policies of a role for each request. It does not change what it has parsed."""

    def make_parse(stock):
        @functools.lru_cache(maxsize=1024)
        def parse_text(text):
            return stock(text)

        def parse(doc):
            return parse_text(doc) if isinstance(doc, str) else stock(doc)
        return parse

    replace_function(iam_evaluator, "parse_policy_document", ("doc",), parse_each_policy_once, make_parse)


def read_each_expression_once():
    """MiniStack reads and checks the expression of a query anew for each item of its partition."""
    patch = read_each_expression_once

    def make_tokenize(stock):
        cached = functools.lru_cache(maxsize=4096)(lambda expr: tuple(stock(expr)))
        return lambda expr: list(cached(expr))

    def make_check(stock):
        cached = functools.lru_cache(maxsize=4096)(stock)
        return lambda tokens, *slot: cached(tuple(tokens), *slot)

    replace_function(dynamodb, "_tokenize", ("expr",), patch, make_tokenize)
    replace_function(dynamodb, "_check_redundant_parens", ("tokens", "slot"), patch, make_check)
    replace_function(dynamodb, "_check_reserved_keyword_usage", ("tokens",), patch, make_check)
    replace_function(dynamodb, "_condition_syntax_error", ("expr", "slot"), patch, functools.lru_cache(maxsize=4096))


_NAME, _VALUE = r"(#?\w+)", r"(:\w+)"
_CLAUSE = re.compile(
    rf"{_NAME}\s*(=|<=|>=|<|>)\s*{_VALUE}|{_NAME}\s+BETWEEN\s+{_VALUE}\s+AND\s+{_VALUE}"
    rf"|begins_with\s*\(\s*{_NAME}\s*,\s*{_VALUE}\s*\)"
)
_COMPARE = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _key_predicate(expr, values, names):
    """Return a function that checks an item's keys, or None for what is no condition on keys that are strings."""
    checks, position = [], 0
    while position <= len(expr):
        clause = _CLAUSE.match(expr, position)
        if not clause:
            return None
        name, sign, value, between, low, high, beginning, prefix = clause.groups()
        texts = {ref: values.get(ref, {}).get("S") for ref in (value, low, high, prefix) if ref}
        attribute = names.get(name or between or beginning, name or between or beginning)
        if None in texts.values() or attribute.startswith("#"):
            return None
        if sign:
            checks.append((attribute, lambda text, sign=_COMPARE[sign], to=texts[value]: sign(text, to)))
        elif between:
            checks.append((attribute, lambda text, low=texts[low], high=texts[high]: low <= text <= high))
        else:
            checks.append((attribute, lambda text, prefix=texts[prefix]: text.startswith(prefix)))
        if clause.end() == len(expr):
            break
        if not expr.startswith(" AND ", clause.end()):
            return None
        position = clause.end() + len(" AND ")

    def matches(item):
        return all("S" in item.get(name, ()) and check(item[name]["S"]) for name, check in checks)

    return matches


def compare_keys_directly():
    """MiniStack interprets a query's condition on keys for each item of the partition, although one answer needs few."""

    def make_evaluate(stock):
        known = (None, None, None, None)

        def evaluate(expr, item, attr_values, attr_names, slot="ConditionExpression"):
            nonlocal known
            if slot != "KeyConditionExpression":
                return stock(expr, item, attr_values, attr_names, slot)
            of, values, names, matches = known
            if of == expr and values is attr_values and names is attr_names and matches:
                return matches(item)
            # The first item of a query also checks the expression itself.
            result = stock(expr, item, attr_values, attr_names, slot)
            known = (expr, attr_values, attr_names, _key_predicate(expr, attr_values, attr_names))
            return result

        return evaluate

    parameters = ("expr", "item", "attr_values", "attr_names", "slot")
    replace_function(dynamodb, "_evaluate_condition", parameters, compare_keys_directly, make_evaluate)
