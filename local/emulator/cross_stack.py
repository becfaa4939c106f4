"""The refusals of CloudFormation that concern several stacks, several resources of one API, or former queues."""

import math
import time

from ministack.core.responses import get_account_id, get_region
from ministack.services import (
    apigateway, cloudformation, cloudwatch, cloudwatch_logs, dynamodb, iam, kms, lambda_svc, secretsmanager, sqs,
)
from ministack.services.cloudformation import handlers, provisioners, stacks

from .patching import replace_function, require, require_attributes

HANDLERS = provisioners._RESOURCE_HANDLERS
GONE = ("DELETE_COMPLETE", "REVIEW_IN_PROGRESS")

# SQS API, "CreateQueue": QueueDeletedRecently.
QUEUE_DELETION_SECONDS = 60

_deleted_queues = {}


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


def refuse_names_of_deleted_queues():
    """MiniStack accepts the name of a deleted queue for a new one at once. SQS refuses it for a minute, also in a stack
    (SQS API, "CreateQueue": QueueDeletedRecently). CloudFormation gives an unnamed queue a new name."""
    patch = refuse_names_of_deleted_queues
    handlers = HANDLERS.get("AWS::SQS::Queue", {})
    require_attributes([(sqs, "_queues"), (sqs, "_Err"), (sqs, "_get_q")], patch)
    of_stack = {"create": provisioners._sqs_create, "delete": provisioners._sqs_delete}
    require(of_stack.items() <= handlers.items(), patch, "AWS::SQS::Queue with create and delete of provisioners")
    of_api = {"CreateQueue": sqs._act_create_queue, "DeleteQueue": sqs._act_delete_queue}
    require(of_api.items() <= sqs._HANDLERS.items(), patch, "CreateQueue and DeleteQueue of sqs")

    def make_create_by_stack(stock):
        def create(logical_id, props, stack_name):
            _check_deletion(props.get("QueueName"))
            return stock(logical_id, props, stack_name)
        return create

    def make_delete_by_stack(stock):
        def delete(physical_id, props):
            _remember_deletion(sqs._queues.get(physical_id))
            return stock(physical_id, props)
        return delete

    def make_create(stock):
        def create(data, _u):
            _check_deletion(data.get("QueueName"))
            return stock(data, _u)
        return create

    def make_delete(stock):
        def delete(data, qurl):
            _remember_deletion(sqs._get_q(data.get("QueueUrl", qurl), "sqs:DeleteQueue"))
            return stock(data, qurl)
        return delete

    # An update that renames a queue calls these functions directly; other deployments call them through HANDLERS.
    replace_function(provisioners, "_sqs_create", ("logical_id", "props", "stack_name"), patch, make_create_by_stack)
    replace_function(provisioners, "_sqs_delete", ("physical_id", "props"), patch, make_delete_by_stack)
    handlers.update(create=provisioners._sqs_create, delete=provisioners._sqs_delete)
    replace_function(sqs, "_act_create_queue", ("data", "_u"), patch, make_create)
    replace_function(sqs, "_act_delete_queue", ("data", "qurl"), patch, make_delete)
    sqs._HANDLERS.update(CreateQueue=sqs._act_create_queue, DeleteQueue=sqs._act_delete_queue)


def _remember_deletion(queue):
    if queue:
        _deleted_queues[queue["attributes"]["QueueArn"]] = time.time()


def _check_deletion(name):
    deleted_at = _deleted_queues.get(f"arn:aws:sqs:{get_region()}:{get_account_id()}:{name}", -math.inf)
    # A test may have moved the clock back since.
    if 0 <= time.time() - deleted_at < QUEUE_DELETION_SECONDS:
        raise sqs._Err(
            "QueueDeletedRecently",
            "You must wait 60 seconds after deleting a queue before you can create another with the same name.")


def refuse_names_in_use():
    """MiniStack replaces a resource that has the name of a new one. CloudFormation refuses the new one, even if the
    same update would remove the former one later (user guide, "Name type")."""
    patch = refuse_names_in_use
    kinds = (
        ("AWS::Lambda::Function", "FunctionName", lambda_svc, "_functions"),
        ("AWS::IAM::Role", "RoleName", iam, "_roles"),
        ("AWS::CloudWatch::Alarm", "AlarmName", cloudwatch, "_alarms"),
        ("AWS::DynamoDB::Table", "TableName", dynamodb, "_tables"),
        ("AWS::DynamoDB::GlobalTable", "TableName", dynamodb, "_tables"),
        ("AWS::SecretsManager::Secret", "Name", secretsmanager, "_secrets"),
        ("AWS::SQS::Queue", "QueueName", sqs, "_queue_name_to_url"),
        ("AWS::KMS::Alias", "AliasName", kms, "_aliases"),
        ("AWS::Logs::LogGroup", "LogGroupName", cloudwatch_logs, "_log_groups"),
    )
    require(hasattr(kms, "_alias_arn"), patch, "kms._alias_arn")
    for resource_type, property_name, service, existing in kinds:
        handlers_of_type = HANDLERS.get(resource_type, {})
        require("create" in handlers_of_type, patch, f"{resource_type} with create")
        require(hasattr(service, existing), patch, f"{service.__name__}.{existing}")
        handlers_of_type["create"] = _refusing_name_in_use(
            handlers_of_type["create"], property_name, service, existing)


def _refusing_name_in_use(stock, property_name, service, existing):
    def is_in_use(name):
        if service is kms:
            return kms._alias_arn(name) in kms._aliases
        if service is cloudwatch_logs:
            # If a function's role may not create its log group, MiniStack writes the log into a group without a class.
            return "logGroupClass" in cloudwatch_logs._log_groups.get(name, {})
        return name in getattr(service, existing)

    def create(logical_id, props, stack_name):
        name = props.get(property_name)
        if name and is_in_use(name):
            raise ValueError(f"{name} already exists")
        return stock(logical_id, props, stack_name)

    return create


def refuse_stacks_that_never_worked():
    """MiniStack creates or updates a stack whose creation was rolled back. CloudFormation only allows its deletion
    (user guide, "Stack status codes": ROLLBACK_COMPLETE)."""
    patch = refuse_stacks_that_never_worked
    actions = handlers._ACTION_HANDLERS
    require({"CreateStack", "CreateChangeSet"} <= actions.keys(), patch, "CreateStack and CreateChangeSet")
    require(hasattr(cloudformation, "_stacks"), patch, "cloudformation._stacks")

    def refusing(stock, default_type):
        def act(params):
            name = handlers._p(params, "StackName")
            stack = cloudformation._stacks.get(name, {})
            if stack.get("StackStatus") in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED"):
                if handlers._p(params, "ChangeSetType", default_type) == "CREATE":
                    return handlers._error("AlreadyExistsException", f"Stack [{name}] already exists")
                return handlers._error(
                    "ValidationError",
                    f"Stack:{stack['StackId']} is in {stack['StackStatus']} state and can not be updated.")
            return stock(params)
        return act

    actions["CreateStack"] = refusing(actions["CreateStack"], "CREATE")
    actions["CreateChangeSet"] = refusing(actions["CreateChangeSet"], "UPDATE")


def remember_what_failed_stacks_left():
    """MiniStack forgets the resources that a rollback could not delete, and the template of a stack whose creation
    failed. On AWS such a resource stays in its stack (user guide, "Stack status codes": ROLLBACK_FAILED), and
    deleting the stack retains it if its DeletionPolicy says so (user guide, "DeletionPolicy attribute":
    RetainExceptOnCreate)."""
    patch = remember_what_failed_stacks_left
    actions = handlers._ACTION_HANDLERS
    require("DeleteStack" in actions, patch, "DeleteStack")
    stock_delete = actions["DeleteStack"]

    def make_roll_back(stock):
        async def roll_back(stack_name, stack_id, stack, operation, reason_override=""):
            created = dict(stack.get("_resources", {}))
            await stock(stack_name, stack_id, stack, operation, reason_override)
            if stack["StackStatus"] == "ROLLBACK_FAILED":
                stack["_template"] = operation["template"]
                for logical_id in stack["_rollback_failed"]:
                    stack["_resources"][logical_id] = {**created[logical_id], "ResourceStatus": "DELETE_FAILED"}
        return roll_back

    def delete(params):
        stack = handlers._resolve_stack(handlers._p(params, "StackName")) or {}
        if stack.get("StackStatus") == "CREATE_FAILED" and not stack.get("_template"):
            stack["_template"] = stack.get("_failed_operation", {}).get("template", {})
        return stock_delete(params)

    parameters = ("stack_name", "stack_id", "stack", "operation", "reason_override")
    replace_function(stacks, "_roll_back_operation", parameters, patch, make_roll_back)
    require(hasattr(handlers, "_roll_back_operation"), patch, "handlers._roll_back_operation")
    handlers._roll_back_operation = stacks._roll_back_operation
    actions["DeleteStack"] = delete


def refuse_second_routes_of_one_key():
    """MiniStack accepts several routes with one key in an API. API Gateway refuses the second one, even if the same
    update would remove the first one later (API Gateway v2 reference, "CreateRoute": ConflictException)."""
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


def refuse_second_mappings_of_one_function():
    """MiniStack accepts several mappings from a queue or a stream to one function. Lambda refuses the second one, even
    if the same update would remove the first one later (Lambda API, "CreateEventSourceMapping":
    ResourceConflictException)."""
    patch = refuse_second_mappings_of_one_function
    mappings = HANDLERS.get("AWS::Lambda::EventSourceMapping", {})
    require(mappings.get("create") is provisioners._lambda_esm_create, patch, "the creation of a mapping")
    require_attributes([(lambda_svc, "_esms"), (provisioners, "_lambda_function_for_cfn_ref")], patch)

    def make_create(stock):
        def create(logical_id, props, stack_name):
            _function, _name, function_arn, _qualifier = provisioners._lambda_function_for_cfn_ref(
                props.get("FunctionName", ""))
            for mapping in lambda_svc._esms.values():
                if (mapping["EventSourceArn"], mapping["FunctionArn"]) == (props.get("EventSourceArn"), function_arn):
                    raise ValueError(
                        f"An event source mapping with {mapping['EventSourceArn']} and function {function_arn} already "
                        f"exists. Please update or delete the existing mapping with UUID {mapping['UUID']}")
            return stock(logical_id, props, stack_name)
        return create

    # An update that replaces a mapping calls this function directly.
    replace_function(provisioners, "_lambda_esm_create", ("logical_id", "props", "stack_name"), patch, make_create)
    mappings["create"] = provisioners._lambda_esm_create
