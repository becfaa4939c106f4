"""A correction to Cognito user pools."""

from ministack.services import cognito

from .patching import replace_function, require


def renew_first_passwords():
    """MiniStack resends an invitation with the former first password. AWS replaces it (API reference,
    AdminCreateUser)."""
    patch = renew_first_passwords
    require(hasattr(cognito, "_resolve_user"), patch, "cognito._resolve_user")

    def make_create(stock):
        def create(data):
            answer = stock(data)
            password = data.get("TemporaryPassword")
            if data.get("MessageAction") == "RESEND" and password and answer[0] == 200:
                user, _ = cognito._resolve_user(cognito._user_pools[data["UserPoolId"]], data["Username"])
                user["_password"] = password
            return answer
        return create

    replace_function(cognito, "_admin_create_user", ("data",), patch, make_create)
