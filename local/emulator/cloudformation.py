"""Corrections to the resources that CloudFormation creates."""

from datetime import datetime, timezone

from ministack.services import dynamodb, scheduler
from ministack.services.cloudformation import provisioners

from .patching import require

HANDLERS = provisioners._RESOURCE_HANDLERS

GLOBAL_TABLE_ONLY = (
    "Replicas", "MultiRegionConsistency", "GlobalTableWitnesses", "GlobalTableSourceArn", "WarmThroughput",
    "WriteOnDemandThroughputSettings", "ReadOnDemandThroughputSettings",
    "WriteProvisionedThroughputSettings", "ReadProvisionedThroughputSettings",
)


def update_global_tables_in_place():
    """MiniStack replaces a changed GlobalTable (CDK's TableV2) by a new, empty table with another name. AWS
    updates it in place."""
    patch = update_global_tables_in_place
    handlers = HANDLERS.get("AWS::DynamoDB::GlobalTable", {})
    fits = "update" in handlers and "update_with_logical_id" not in handlers
    require(fits, patch, "an update without logical id")
    require(hasattr(provisioners, "_ddb_update"), patch, "provisioners._ddb_update")

    def as_table(props):
        return {name: value for name, value in props.items() if name not in GLOBAL_TABLE_ONLY}

    def update(physical_id, old_props, new_props, stack_name, logical_id=None):
        old_table, new_table = as_table(old_props), as_table(new_props)
        return provisioners._ddb_update(physical_id, old_table, new_table, stack_name, logical_id)

    handlers.update(update=update, update_with_logical_id=True)


def apply_time_to_live():
    """MiniStack ignores a table's TimeToLiveSpecification. AWS applies it."""
    require(hasattr(dynamodb, "_update_ttl"), apply_time_to_live, "dynamodb._update_ttl")
    for resource_type in ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"):
        handlers = HANDLERS.get(resource_type, {})
        wanted = {"create", "update", "update_with_logical_id"}
        require(wanted <= handlers.keys(), apply_time_to_live, f"{resource_type} with {sorted(wanted)}")
        _with_time_to_live(handlers)


def _with_time_to_live(handlers):
    stock_create, stock_update = handlers["create"], handlers["update"]

    def apply(table_name, props):
        lifetime = props.get("TimeToLiveSpecification")
        if lifetime:
            dynamodb._update_ttl({"TableName": table_name, "TimeToLiveSpecification": lifetime})

    def create(logical_id, props, stack_name):
        created = stock_create(logical_id, props, stack_name)
        apply(created[0], props)
        return created

    def update(physical_id, old_props, new_props, stack_name, logical_id=None):
        updated = stock_update(physical_id, old_props, new_props, stack_name, logical_id)
        apply(updated[0], new_props)
        return updated

    handlers.update(create=create, update=update)


def keep_protected_tables():
    """MiniStack deletes a table with deletion protection together with its stack, or when its stack is rolled back.
    On AWS the deletion fails."""
    for resource_type in ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"):
        handlers = HANDLERS.get(resource_type, {})
        require("delete" in handlers, keep_protected_tables, f"{resource_type} with delete")
        handlers["delete"] = _refusing_protected(handlers["delete"])


def _refusing_protected(stock):
    def delete(physical_id, props):
        if dynamodb._tables.get(physical_id, {}).get("DeletionProtectionEnabled"):
            raise ValueError(f"Resource cannot be deleted as it is currently protected against deletion: {physical_id}")
        stock(physical_id, props)

    return delete


def create_schedules_with_all_properties():
    """MiniStack ignores the time zone, start, end and completion action of a template's schedule, and reports a
    refused schedule as created. AWS applies these properties, and fails the stack for a refused schedule.
    Templates have dates as text; the service has them as numbers."""
    patch = create_schedules_with_all_properties
    handlers = HANDLERS.get("AWS::Scheduler::Schedule", {})
    require({"create", "update"} <= handlers.keys(), patch, "AWS::Scheduler::Schedule with create and update")

    def apply(call, name, props):
        dates = {key: _epoch_seconds(props[key]) for key in ("StartDate", "EndDate") if props.get(key)}
        answer = call(name, {**props, **dates})
        if answer[0] >= 400:
            raise ValueError(f"AWS::Scheduler::Schedule: {answer[2]!r}")
        return name, {"Arn": scheduler._schedule_arn(props.get("GroupName", "default"), name)}

    def create(logical_id, props, stack_name):
        name = props.get("Name") or provisioners._physical_name(stack_name, logical_id, max_len=64)
        return apply(scheduler._create_schedule, name, props)

    def update(physical_id, old_props, new_props, stack_name):
        moved = any(old_props.get(key) != new_props.get(key) for key in ("Name", "GroupName"))
        if moved:
            return create(physical_id, new_props, stack_name)
        return apply(scheduler._update_schedule, physical_id, new_props)

    handlers.update(create=create, update=update)


def _epoch_seconds(text):
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
