"""Corrections that make the emulator do the same work once."""

import functools

import botocore.session

from ministack.core import iam_evaluator

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
