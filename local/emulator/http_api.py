"""Corrections to API Gateway HTTP APIs."""

from ministack.services import lambda_svc

from .patching import replace_function

SERVER_ERROR = {
    "statusCode": 500,
    "headers": {"content-type": "application/json"},
    "body": '{"message":"Internal Server Error"}',
}


def hide_function_errors():
    """MiniStack reports a failed function as 502 with the text of the error. AWS answers 500, Internal Server
    Error."""
    patch = hide_function_errors

    def make_convert(stock):
        def convert(exec_result):
            if exec_result.get("error") and not exec_result.get("throttle"):
                return dict(SERVER_ERROR), None
            return stock(exec_result)
        return convert

    name = "lambda_execute_result_to_api_proxy_response"
    replace_function(lambda_svc, name, ("exec_result",), patch, make_convert)


def pass_cookies_on():
    """MiniStack passes cookies to a function as a header only. AWS moves them to the list `cookies` of the event
    (API Gateway guide, payload format 2.0)."""

    def make_execute(stock):
        def execute(func, event):
            if isinstance(event, dict) and event.get("version") == "2.0" and "cookie" in event.get("headers", {}):
                headers = dict(event["headers"])
                cookies = [one.strip() for one in headers.pop("cookie").split(";")]
                event = {**event, "headers": headers, "cookies": cookies}
            return stock(func, event)
        return execute

    name = "_execute_function_with_config_scope"
    replace_function(lambda_svc, name, ("func", "event"), pass_cookies_on, make_execute)
