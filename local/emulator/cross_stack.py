"""The refusals of CloudFormation that concern several stacks, or several resources of one API."""

from ministack.services import apigateway, cloudformation, cloudwatch, iam, lambda_svc
from ministack.services.cloudformation import handlers, provisioners, stacks

from .patching import replace_function, require

HANDLERS = provisioners._RESOURCE_HANDLERS
GONE = ("DELETE_COMPLETE", "REVIEW_IN_PROGRESS")


def refuse_changes_of_exports_in_use():
    """MiniStack lets an update remove or change an exported value that another stack imports, and never forgets a
    removed export. CloudFormation fails the update ("After another stack imports an output value, you can't delete
    the stack that is exporting the output value or modify the exported output value", Template reference,
    "Fn::ImportValue"), and forgets a removed export."""
    patch = refuse_changes_of_exports_in_use
    for module, name in ((cloudformation, "_exports"), (cloudformation, "_stacks"),
                         (handlers, "_imported_export_names")):
        require(hasattr(module, name), patch, f"{module.__name__}.{name}")

    def make_resolve(stock):
        def resolve(outputs_defs, conditions, resources, param_values, mappings, stack_name, stack_id):
            outputs, exports = stock(
                outputs_defs, conditions, resources, param_values, mappings, stack_name, stack_id)
            former = {name: export["Value"] for name, export in cloudformation._exports.items()
                      if export["StackId"] == stack_id}
            for name, value in former.items():
                if name not in exports or exports[name]["Value"] != value:
                    change = "updated" if name in exports else "deleted"
                    if users := _importers(name):
                        raise ValueError(f"Export {name} cannot be {change} as it is in use by {', '.join(users)}")
            for name in former.keys() - exports.keys():
                del cloudformation._exports[name]
            return outputs, exports
        return resolve

    parameters = ("outputs_defs", "conditions", "resources", "param_values", "mappings", "stack_name", "stack_id")
    replace_function(stacks, "_resolve_stack_outputs", parameters, patch, make_resolve)


def _importers(export):
    """The names of the stacks that import a value."""
    existing = [(name, stack) for name, stack in cloudformation._stacks.items()
                if stack.get("StackStatus") not in GONE]
    return [name for name, stack in existing if export in handlers._imported_export_names(stack, name)]


def refuse_names_in_use():
    """MiniStack replaces a function, a role or an alarm that has the name of a new one. CloudFormation refuses the new
    one, also while the former is still to be removed by the same update (user guide, "Name type")."""
    patch = refuse_names_in_use
    kinds = (
        ("AWS::Lambda::Function", "FunctionName", lambda_svc, "_functions"),
        ("AWS::IAM::Role", "RoleName", iam, "_roles"),
        ("AWS::CloudWatch::Alarm", "AlarmName", cloudwatch, "_alarms"),
    )
    for resource_type, property_name, service, existing in kinds:
        handlers_of_type = HANDLERS.get(resource_type, {})
        require("create" in handlers_of_type, patch, f"{resource_type} with create")
        require(hasattr(service, existing), patch, f"{service.__name__}.{existing}")
        handlers_of_type["create"] = _refusing_name_in_use(
            handlers_of_type["create"], property_name, service, existing)


def _refusing_name_in_use(stock, property_name, service, existing):
    def create(logical_id, props, stack_name):
        name = props.get(property_name)
        if name and name in getattr(service, existing):
            raise ValueError(f"{name} already exists")
        return stock(logical_id, props, stack_name)

    return create


def refuse_second_routes_of_one_key():
    """MiniStack keeps several routes of one key in an API. API Gateway refuses the second one, also while the first
    is still to be removed by the same update (API Gateway v2 reference, "CreateRoute": ConflictException)."""
    patch = refuse_second_routes_of_one_key
    routes = HANDLERS.get("AWS::ApiGatewayV2::Route", {})
    require({"create", "update"} <= routes.keys(), patch, "AWS::ApiGatewayV2::Route with create and update")
    require(hasattr(apigateway, "_routes"), patch, "apigateway._routes")
    stock_create, stock_update = routes["create"], routes["update"]

    def check(api_id, key, own_id=None):
        others = apigateway._routes.get(api_id, {}).values()
        if any(other["routeKey"] == key and other["routeId"] != own_id for other in others):
            raise ValueError(f"Route with key {key} already exists for this API")

    def create(logical_id, props, stack_name):
        check(props.get("ApiId", ""), props.get("RouteKey", "$default"))
        return stock_create(logical_id, props, stack_name)

    def update(physical_id, old_props, new_props, stack_name, logical_id=None):
        check(new_props.get("ApiId", ""), new_props.get("RouteKey", "$default"), physical_id.partition("/")[2])
        return stock_update(physical_id, old_props, new_props, stack_name, logical_id)

    routes.update(create=create, update=update)
