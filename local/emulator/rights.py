"""The rights that functions used."""

import collections
import json

from ministack import app
from ministack.core import iam_evaluator
from ministack.services import iam, lambda_svc

from .patching import replace_function, require_attributes

PATH = "/_ministack/rights"

_allowed = collections.Counter()


def tell_which_rights_were_used():
    """MiniStack forgets which rights a role has used. GET /_ministack/rights returns the rights of each function: every
    action with every resource, in the order of its role's policies, with the conditions of the statement and the number
    of requests that it allowed."""
    patch = tell_which_rights_were_used
    wanted = (
        (iam_evaluator, "_gather_role_policies"),
        (iam_evaluator, "_role_name_from_assumed_arn"),
        (iam_evaluator, "fnmatch_iam"),
        (iam_evaluator, "fnmatch_iam_cs"),
        (iam, "_roles"),
        (lambda_svc, "_functions"),
    )
    require_attributes(wanted, patch)

    def make_evaluate(stock):
        def evaluate(ctx, policies, *limits):
            result = stock(ctx, policies, *limits)
            if result.decision == "Allow":
                _allowed[ctx.principal_arn, ctx.action, ctx.resource_arn] += 1
            return result
        return evaluate

    def make_health(stock):
        def health(path, request_id):
            if path != PATH:
                return stock(path, request_id)
            headers = {"Content-Type": "application/json", "x-amzn-requestid": request_id}
            return 200, headers, json.dumps(_rights_of_functions()).encode()
        return health

    replace_function(iam_evaluator, "evaluate", ("ctx", "policies", "limits"), patch, make_evaluate)
    replace_function(app, "_handle_health_request", ("path", "request_id"), patch, make_health)


def _rights_of_functions():
    requests = collections.defaultdict(collections.Counter)
    for (principal, action, resource), times in list(_allowed.items()):
        requests[iam_evaluator._role_name_from_assumed_arn(principal)][action, resource] += times
    return {name: _rights(role, account, requests[role]) for name, role, account in _functions()}


def _functions():
    for function in list(lambda_svc._functions.to_dict().values()):
        config = function["config"]
        account, role = config["Role"].split(":")[4], config["Role"].rsplit("/", 1)[-1]
        yield config["FunctionName"], role, account


def _rights(role, account, requests):
    statements = [one for policy in iam_evaluator._gather_role_policies(role, account) for one in policy]
    return [
        {
            "action": action,
            "resource": resource,
            "conditions": statement.conditions,
            "uses": _uses(requests, action, resource),
        }
        for statement in statements if statement.effect == "Allow"
        for action in statement.actions
        for resource in statement.resources
    ]


def _uses(requests, action, resource):
    return sum(
        times for (asked, of), times in requests.items()
        if iam_evaluator.fnmatch_iam(asked, action) and iam_evaluator.fnmatch_iam_cs(of, resource)
    )
