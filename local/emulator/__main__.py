"""Apply the corrections and start MiniStack in this process."""

import os
import pathlib
import sys
from importlib.metadata import version

if not __package__:
    here = pathlib.Path(__file__).resolve().parent
    sys.path[0] = str(here.parent)
    __package__ = here.name
    __import__(__package__)

from . import TESTED_VERSION, clock, lifetime

# MiniStack's own settings for this service; the environment overrides them.
SETTINGS = {
    "AUTH": "true",  # enforce IAM policies
    "BIND_HOST": "127.0.0.1",
    "LAMBDA_EXECUTOR": "local",  # Node.js child processes, no Docker
    "IOT_MTLS_ENABLED": "0",
    "SFTP_ENABLED": "0",
}


def apply_corrections():
    """Apply every correction."""
    from . import (
        access,
        api_first,
        cloudformation,
        cross_stack,
        custom_resources,
        deep_queues,
        event_sources,
        event_targets,
        foreign_requests,
        http_api,
        http_server,
        lambda_runtime,
        loops,
        meter,
        moved_clock,
        reuse,
        rights,
        schedules,
        under_way,
        user_pool,
        worker_starts,
    )

    http_server.serve_with_a_compiled_server()
    lambda_runtime.mark_the_end_of_each_log()
    lambda_runtime.keep_the_worker_after_an_error()
    http_api.hide_function_errors()
    http_api.pass_cookies_on()
    cloudformation.update_global_tables_in_place()
    cloudformation.refuse_two_index_changes()
    cloudformation.apply_time_to_live()
    cloudformation.apply_settings_of_replicas()
    cloudformation.tell_restorable_times()
    cloudformation.tell_what_was_restored()
    cloudformation.import_global_tables()
    cloudformation.keep_protected_resources()
    cloudformation.create_schedules_with_all_properties()
    cloudformation.take_alarms_on_metric_math()
    cloudformation.take_queries_of_logs()
    cloudformation.take_budgets()
    cross_stack.refuse_changes_of_exports_in_use()
    # Before refuse_names_in_use, which wraps the creation of a queue.
    cross_stack.refuse_names_of_deleted_queues()
    cross_stack.refuse_names_in_use()
    cross_stack.refuse_stacks_that_never_worked()
    cross_stack.remember_what_failed_stacks_left()
    cross_stack.refuse_second_routes_of_one_key()
    cross_stack.refuse_second_mappings_of_one_function()
    custom_resources.upload_bucket_deployments()
    event_sources.poll_each_stream_on_its_own_thread()
    event_sources.expire_each_record_once()
    event_sources.handle_failed_stream_batches()
    loops.end_recursive_loops()
    loops.apply_recursive_loop()
    event_targets.sweep_rules_each_second()
    event_targets.complete_target_delivery()
    schedules.sweep_schedules_each_second()
    schedules.evaluate_expressions_in_their_time_zone()
    schedules.check_new_schedules()
    schedules.keep_deleted_groups_for_a_while()
    access.take_loopback_for_tls()
    access.take_batches_for_their_action()
    access.accept_signatures_of_any_time()
    access.name_the_group_of_a_schedule()
    access.authorize_an_alias_as_its_key()
    access.authorize_an_email_as_its_sender()
    foreign_requests.refuse_foreign_pages()
    foreign_requests.know_one_root_key()
    rights.tell_which_rights_were_used()
    user_pool.renew_first_passwords()
    under_way.tell_what_is_under_way()
    moved_clock.deliver_at_once_what_a_moved_clock_makes_due()
    moved_clock.tell_the_clock()
    reuse.use_one_botocore_session()
    reuse.parse_each_policy_once()
    reuse.name_callers_without_their_policies()
    reuse.read_each_expression_once()
    reuse.compare_keys_directly()
    deep_queues.receive_from_the_head()
    api_first.serve_apis_first()
    api_first.collect_garbage_seldom()
    worker_starts.end_idle_workers_by_the_machines_clock()
    worker_starts.compile_each_package_once()
    worker_starts.wait_for_a_free_worker()
    worker_starts.run_one_background_thread_per_worker()
    worker_starts.run_edge_functions_in_one_process()
    # Last, so that it sees each request after the other corrections.
    meter.meter_what_is_charged()


def main():
    """Check the version, apply the corrections and run MiniStack until it is stopped."""
    installed = version("ministack")
    if installed != TESTED_VERSION:
        sys.exit(f"emulator: its corrections fit MiniStack {TESTED_VERSION}, installed is {installed}")
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    lifetime.end_with_the_starting_program()
    clock.follow_offset_file()
    apply_corrections()
    from ministack.app import main as run_ministack
    run_ministack()


if __name__ == "__main__":
    main()
