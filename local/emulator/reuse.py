"""Corrections that avoid repeated work in the emulator."""

import functools
import operator
import re

import botocore.session

from ministack.core import iam_evaluator, responses
from ministack.core.router import extract_access_key_id
from ministack.services import dynamodb

from .patching import replace_function, require_attributes


def use_one_botocore_session():
    """MiniStack creates a session, which takes long, for each service whose description it reads."""
    patch = use_one_botocore_session
    replace_function(botocore.session, "get_session", ("env_vars",), patch, lambda stock: functools.cache(stock))


def parse_each_policy_once():
    """MiniStack parses a role's policies for each request, and never changes the result."""

    def make_parse(stock):
        @functools.lru_cache(maxsize=1024)
        def parse_text(text):
            return stock(text)

        def parse(doc):
            return parse_text(doc) if isinstance(doc, str) else stock(doc)
        return parse

    replace_function(iam_evaluator, "parse_policy_document", ("doc",), parse_each_policy_once, make_parse)


def name_callers_without_their_policies():
    """MiniStack gathers all policies of a request's caller to learn its ARN, and once more to authorize the request."""
    patch = name_callers_without_their_policies
    require_attributes(((iam_evaluator, "resolve_credential"), (responses, "_account_from_sts_session")), patch)

    def make_caller(stock):
        def caller(headers, query_params=None):
            key = extract_access_key_id(headers or {}, query_params or {})
            account = responses._account_from_sts_session(key) if key else None
            credential = iam_evaluator.resolve_credential(key, account) if account else None
            arn = getattr(credential, "principal_arn", "")
            return arn or stock(headers, query_params)
        return caller

    replace_function(iam_evaluator, "request_caller_arn", ("headers", "query_params"), patch, make_caller)


def read_each_expression_once():
    """MiniStack reparses and checks the expression of a query for each item of its partition."""
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
    """Return a function that checks an item's keys, or None if the text is not a condition on string keys."""
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
    """MiniStack interprets a query's key condition again for each item of the partition. This correction translates it
    once into comparisons."""

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
