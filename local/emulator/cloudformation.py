"""Corrections to the resources that CloudFormation creates."""

import json
import re
import time
import uuid
from datetime import datetime, timezone

from ministack.core.responses import get_region
from ministack.services import budgets, cognito, dynamodb, scheduler
from ministack.services.cloudformation import changesets, provisioners

from .patching import apply_after_create_and_update, replace_function, require, require_attributes

HANDLERS = provisioners._RESOURCE_HANDLERS

# Ids of metrics begin with a lower-case letter; names of functions are in capitals (CloudWatch guide, "Metric math
# syntax").
METRIC_ID = re.compile(r"\b[a-z]\w*")

# CloudWatch Logs API, "StartQuery".
MAX_LOGS_OF_A_QUERY = 50

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


def refuse_two_index_changes():
    """MiniStack creates, deletes and replaces any number of a table's indexes in one update of a stack. CloudFormation
    refuses more than one (DynamoDB API, "UpdateTable"), and an index with another key or projection under the same
    name."""
    for resource_type in ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"):
        handlers = HANDLERS.get(resource_type, {})
        require("update" in handlers, refuse_two_index_changes, f"{resource_type} with update")
        handlers["update"] = _refusing_index_changes(handlers["update"])


def _refusing_index_changes(stock):
    def indexes(props):
        return {
            index["IndexName"]: (index.get("KeySchema"), index.get("Projection"))
            for index in props.get("GlobalSecondaryIndexes", [])
        }

    def update(physical_id, old_props, new_props, stack_name, logical_id=None):
        old, new = indexes(old_props), indexes(new_props)
        if any(old[name] != new[name] for name in old.keys() & new.keys()):
            raise ValueError("Cannot update GSI's properties other than Provisioned Throughput and Contributor Insights "
                             "Specification. You can create a new GSI with a different name.")
        if len(old.keys() ^ new.keys()) > 1:
            raise ValueError("Cannot perform more than one GSI creation or deletion in a single update")
        return stock(physical_id, old_props, new_props, stack_name, logical_id)

    return update


def apply_time_to_live():
    """MiniStack ignores a table's TimeToLiveSpecification. AWS applies it."""
    require(hasattr(dynamodb, "_update_ttl"), apply_time_to_live, "dynamodb._update_ttl")
    for resource_type in ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"):
        handlers = HANDLERS.get(resource_type, {})
        wanted = {"create", "update", "update_with_logical_id"}
        require(wanted <= handlers.keys(), apply_time_to_live, f"{resource_type} with {sorted(wanted)}")
        apply_after_create_and_update(handlers, _apply_time_to_live)


def _apply_time_to_live(table_name, props):
    lifetime = props.get("TimeToLiveSpecification")
    if lifetime:
        dynamodb._update_ttl({"TableName": table_name, "TimeToLiveSpecification": lifetime})


def apply_settings_of_replicas():
    """MiniStack ignores the replicas of a GlobalTable (CDK's TableV2). The replica in the stack's region has the
    table's deletion protection and point-in-time recovery (template reference, "AWS::DynamoDB::GlobalTable
    ReplicaSpecification"). The emulator has no replicas in other regions."""
    patch = apply_settings_of_replicas
    handlers = HANDLERS.get("AWS::DynamoDB::GlobalTable", {})
    require({"create", "update"} <= handlers.keys(), patch, "AWS::DynamoDB::GlobalTable with create and update")
    require(hasattr(dynamodb, "_update_continuous_backups"), patch, "dynamodb._update_continuous_backups")

    def apply(name, props):
        replicas = [replica for replica in props.get("Replicas", []) if replica.get("Region") == get_region()]
        for replica in replicas:
            dynamodb._tables[name]["DeletionProtectionEnabled"] = replica.get("DeletionProtectionEnabled", False)
            recovery = replica.get("PointInTimeRecoverySpecification", {})
            dynamodb._update_continuous_backups(
                {"TableName": name, "PointInTimeRecoverySpecification": recovery})

    apply_after_create_and_update(handlers, apply)


def tell_restorable_times():
    """MiniStack names the current second as the earliest time to which a table can be restored. AWS names the time
    since which backups are on, 35 days at most (DynamoDB guide, "Point-in-time recovery"). This correction names the
    table's creation. Whichever time is requested, MiniStack restores the present items."""
    patch = tell_restorable_times

    def make_describe(stock):
        def describe(data):
            status, headers, body = stock(data)
            answer = json.loads(body)
            recovery = answer.get("ContinuousBackupsDescription", {}).get("PointInTimeRecoveryDescription", {})
            if "EarliestRestorableDateTime" in recovery:
                table = dynamodb._tables[dynamodb._normalize_table_name(data["TableName"])]
                recovery["EarliestRestorableDateTime"] = int(table["CreationDateTime"])
                body = json.dumps(answer).encode()
            return status, headers, body
        return describe

    replace_function(dynamodb, "_describe_continuous_backups", ("data",), patch, make_describe)


def tell_what_was_restored():
    """MiniStack does not describe the source and the time of a restored table. AWS does, also after the restore
    (DynamoDB API, "RestoreSummary")."""
    patch = tell_what_was_restored

    def make_restore(stock):
        def restore(data):
            status, headers, body = stock(data)
            if status != 200:
                return status, headers, body
            name = data["TargetTableName"]
            source = dynamodb._tables[data.get("SourceTableName") or dynamodb._normalize_table_name(data["SourceTableArn"])]
            dynamodb._tables[name]["RestoreSummary"] = {
                "SourceTableArn": source["TableArn"],
                "RestoreDateTime": data.get("RestoreDateTime", int(time.time())),
                "RestoreInProgress": False,
            }
            return dynamodb.json_response({"TableDescription": dynamodb._table_description(name)})
        return restore

    def make_description(stock):
        def describe(name):
            description = stock(name)
            summary = dynamodb._tables[name].get("RestoreSummary")
            return {**description, "RestoreSummary": summary} if summary else description
        return describe

    require(callable(getattr(dynamodb, "json_response", None)), patch, "dynamodb.json_response")
    replace_function(dynamodb, "_table_description", ("name",), patch, make_description)
    replace_function(dynamodb, "_restore_table_to_point_in_time", ("data",), patch, make_restore)


def import_global_tables():
    """MiniStack imports an existing Table, but creates an existing GlobalTable (CDK's TableV2) again. CloudFormation
    imports both."""
    patch = import_global_tables
    table, global_table = (HANDLERS.get(f"AWS::DynamoDB::{kind}", {}) for kind in ("Table", "GlobalTable"))
    lookups = getattr(changesets, "_IMPORT_LOOKUPS", {})
    require("import" in table and "AWS::DynamoDB::Table" in lookups, patch, "the import of a Table")
    lookups["AWS::DynamoDB::GlobalTable"] = lookups["AWS::DynamoDB::Table"]
    global_table["import"] = table["import"]


def keep_protected_resources():
    """MiniStack deletes a table or a user pool with deletion protection together with its stack, or when its stack is
    rolled back. On AWS the deletion fails."""
    patch = keep_protected_resources
    require(hasattr(cognito, "_user_pools"), patch, "cognito._user_pools")
    kinds = (
        ("AWS::DynamoDB::Table", _is_protected_table),
        ("AWS::DynamoDB::GlobalTable", _is_protected_table),
        ("AWS::Cognito::UserPool", _is_protected_pool),
    )
    for resource_type, is_protected in kinds:
        handlers = HANDLERS.get(resource_type, {})
        require("delete" in handlers, patch, f"{resource_type} with delete")
        handlers["delete"] = _refusing_protected(handlers["delete"], is_protected)


def _is_protected_table(name):
    return dynamodb._tables.get(name, {}).get("DeletionProtectionEnabled")


def _is_protected_pool(pool_id):
    return cognito._user_pools.get(pool_id, {}).get("DeletionProtection") == "ACTIVE"


def _refusing_protected(stock, is_protected):
    def delete(physical_id, props):
        if is_protected(physical_id):
            raise ValueError(f"{physical_id} cannot be deleted because deletion protection is activated")
        stock(physical_id, props)

    return delete


def create_schedules_with_all_properties():
    """MiniStack ignores the time zone, start, end and completion action of a template's schedule, and reports a
    refused schedule as created. AWS applies these properties, and fails the stack for a refused schedule.
    Dates are text in templates and numbers in the scheduler's API."""
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


def take_alarms_on_metric_math():
    """MiniStack refuses an alarm on metric math. AWS takes it if one entry of `Metrics` returns data and all names in
    its expressions are ids. The emulator stores the alarm and never evaluates it."""
    patch = take_alarms_on_metric_math

    def with_metric_math(stock):
        def record(name, props):
            metrics = props.get("Metrics")
            if not metrics:
                return stock(name, props)
            _check_metric_math(props, metrics)
            plain = {key: value for key, value in props.items() if key != "Metrics"}
            alarm = stock(name, {**plain, "MetricName": "none", "Namespace": "none"})
            for key in ("MetricName", "Namespace", "Statistic", "Period"):
                del alarm[key]
            return {**alarm, "Metrics": metrics}
        return record

    replace_function(provisioners, "_cw_metric_alarm_record", ("name", "props"), patch, with_metric_math)


def _check_metric_math(props, metrics):
    ids = {metric["Id"] for metric in metrics}
    returning = [metric for metric in metrics if metric.get("ReturnData", True)]
    named = {word for metric in metrics for word in METRIC_ID.findall(metric.get("Expression", ""))}
    problem = (
        "MetricName and Metrics exclude each other" if props.get("MetricName")
        else "ids must differ" if len(ids) < len(metrics)
        else "an entry has either Expression or MetricStat"
        if any(("Expression" in metric) == ("MetricStat" in metric) for metric in metrics)
        else "exactly one entry returns data" if len(returning) != 1
        else f"no entry has the id {', '.join(sorted(named - ids))}" if named - ids
        else None
    )
    if problem:
        raise ValueError(f"AWS::CloudWatch::Alarm Metrics: {problem}")


def take_queries_of_logs():
    """MiniStack does not know saved queries of CloudWatch Logs. AWS takes one with a name, a query and at most 50 log
    groups. The emulator checks and forgets it: it runs no queries."""
    patch = take_queries_of_logs
    require("AWS::Logs::QueryDefinition" not in HANDLERS, patch, "no AWS::Logs::QueryDefinition")

    def answer(query_id, props):
        missing = [name for name in ("Name", "QueryString") if not props.get(name)]
        if missing:
            raise ValueError(f"AWS::Logs::QueryDefinition requires {', '.join(missing)}")
        if len(props.get("LogGroupNames", [])) > MAX_LOGS_OF_A_QUERY:
            raise ValueError(f"AWS::Logs::QueryDefinition has at most {MAX_LOGS_OF_A_QUERY} log groups")
        return query_id, {"QueryDefinitionId": query_id}

    HANDLERS["AWS::Logs::QueryDefinition"] = {
        "create": lambda logical_id, props, stack_name: answer(str(uuid.uuid4()), props),
        "update": lambda physical_id, old_props, new_props, stack_name: answer(physical_id, new_props),
        "delete": lambda physical_id, props: None,
    }


def take_budgets():
    """MiniStack creates none of a template's budgets. CloudFormation replaces a budget whose name or notices change
    (template reference, "AWS::Budgets::Budget"). It creates the new one first, so the new one needs another name."""
    patch = take_budgets
    require("AWS::Budgets::Budget" not in HANDLERS, patch, "no AWS::Budgets::Budget")
    require_attributes([(budgets, f"_{verb}_budget") for verb in ("create", "update", "delete")], patch)
    require(hasattr(provisioners, "_delete_predecessor"), patch, "provisioners._delete_predecessor")

    def call(operation, data):
        status, _headers, body = operation(data)
        if status >= 400:
            raise ValueError(f"AWS::Budgets::Budget: {body!r}")

    def create(logical_id, props, stack_name):
        call(budgets._create_budget, props)
        return props["Budget"]["BudgetName"], {}

    def update(physical_id, old_props, new_props, stack_name):
        notices = "NotificationsWithSubscribers"
        if old_props.get(notices) == new_props.get(notices) and new_props["Budget"]["BudgetName"] == physical_id:
            call(budgets._update_budget, {"NewBudget": new_props["Budget"]})
            return physical_id, {}
        created = create(None, new_props, stack_name)
        provisioners._delete_predecessor(delete, physical_id, old_props)
        return created

    def delete(physical_id, props):
        call(budgets._delete_budget, {"BudgetName": physical_id})

    HANDLERS["AWS::Budgets::Budget"] = {"create": create, "update": update, "delete": delete}


def _epoch_seconds(text):
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
