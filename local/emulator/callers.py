"""The caller of a request."""

from ministack.core.router import extract_access_key_id
from ministack.services import sts


def function_that_signed(headers, query_params):
    """Return the name of the function whose role signed a request, or None."""
    session = sts._sessions.get(extract_access_key_id(headers, query_params))
    return session["Arn"].rsplit("/", 1)[-1] if session else None
