"""Corrections to the event source mappings from DynamoDB streams to Lambda functions."""

import json
import threading
import time
import types

from ministack.services import dynamodb, lambda_svc

from .patching import replace_function, require, require_attributes

# The wait between a write and the poll that follows, in which a batch gathers further records.
GATHER_SECONDS = 0.05
# The longest wait between two polls: records expire even if nothing is written.
POLL_SECONDS = 1
FIRST_RETRY_SECONDS = 0.1
LONGEST_RETRY_SECONDS = 2.0
UNLIMITED = -1

_polled = threading.local()
# Maps the id of each polled mapping to an event that is set when a stream is written.
_written = {}


def poll_each_stream_on_its_own_thread():
    """MiniStack runs the functions of all streams one after the other on the thread that also polls the
    queues, so that one slow function delays everything, and each write polls all queues. AWS polls each mapping
    independently."""
    patch = poll_each_stream_on_its_own_thread
    require_attributes(((dynamodb, "esm_wake"),), patch)
    all_mappings = lambda_svc._iter_all_esms

    def make_mappings(stock):
        def mappings():
            wanted = getattr(_polled, "mapping_id", None)
            return (entry for entry in stock() if wanted in (None, entry[2]["UUID"]))
        return mappings

    def make_poll(stock):
        def run(mapping_id, written):
            _polled.mapping_id = mapping_id
            _polled.started_at = time.time()
            while _find(all_mappings, mapping_id) is not None:
                written.clear()
                try:
                    advanced = stock()
                except Exception:
                    lambda_svc.logger.exception("stream mapping %s", mapping_id)
                    advanced = False
                if not advanced and written.wait(POLL_SECONDS):
                    time.sleep(GATHER_SECONDS)
            _written.pop(mapping_id, None)

        def start_missing_threads():
            for _account, _region, mapping in all_mappings():
                mapping_id = mapping["UUID"]
                if ":dynamodb:" in mapping.get("EventSourceArn", "") and mapping_id not in _written:
                    _written[mapping_id] = threading.Event()
                    threading.Thread(target=run, args=(mapping_id, _written[mapping_id]), daemon=True).start()
            return False
        return start_missing_threads

    def tell_the_threads():
        for written in list(_written.values()):
            written.set()

    dynamodb.esm_wake = types.SimpleNamespace(set=tell_the_threads)
    replace_function(lambda_svc, "_iter_all_esms", (), patch, make_mappings)
    replace_function(lambda_svc, "_poll_dynamodb_streams", (), patch, make_poll)


def _find(all_mappings, mapping_id):
    return next((entry[2] for entry in all_mappings() if entry[2]["UUID"] == mapping_id), None)


def expire_each_record_once():
    """MiniStack removes the records of a stream that are older than 24 hours whenever a thread reads the stream. Two
    threads that do so at once remove and count them twice, so that later records are lost and the stream seems to have
    changes that no mapping can read. With this correction, only one thread reads at a time."""
    of_table = ("table_name", "account_id", "region")
    reading = threading.RLock()

    def make_alone(stock):
        def alone(*args, **kwargs):
            with reading:
                return stock(*args, **kwargs)
        return alone

    for name, parameters in (
        ("_trim_stream_records", of_table),
        ("stream_start_position", of_table),
        ("stream_end_position", of_table),
        ("stream_live_records", of_table),
        ("stream_records_since", ("table_name", "position", "limit", "account_id", "region")),
    ):
        replace_function(dynamodb, name, parameters, expire_each_record_once, make_alone)


def handle_failed_stream_batches():
    """MiniStack retries a failed batch of a stream endlessly, and delivers records of any age. AWS bisects it,
    respects partial batch responses, the number of retries and the age of the records, and sends a batch that it gives
    up to the on-failure destination."""
    patch = handle_failed_stream_batches
    sender = "_send_ddb_stream_failure_record"
    require(hasattr(lambda_svc, sender), patch, f"lambda_svc.{sender}")

    def make_execute(stock):
        def execute(func, event):
            mapping_id = getattr(_polled, "mapping_id", None)
            if mapping_id is None or getattr(_polled, "delivering", False):
                return stock(func, event)
            mapping = _find(lambda_svc._iter_all_esms, mapping_id)
            if mapping is None:
                return {"error": True, "body": {}}
            _polled.delivering = True
            try:
                done = _Delivery(stock, func, mapping).begin(event["Records"])
            finally:
                _polled.delivering = False
            return {"body": None} if done else {"error": True, "body": {}}
        return execute

    replace_function(lambda_svc, "_execute_function", ("func", "event"), patch, make_execute)


class _Delivery:
    """The delivery of one batch of a stream to one function."""

    def __init__(self, execute, func, mapping):
        self.execute = execute
        self.func = func
        self.mapping = mapping

    def begin(self, records):
        """Deliver the records, except those that were too old when the mapping was created: AWS gives them up without
        an invocation (Lambda guide: "The maximum age of a record that Lambda sends to your function"). Records that
        become too old later are delivered once, because tests move the clock while records wait."""
        longest_age = self._limit("MaximumRecordAgeInSeconds")
        oldest = 0 if longest_age == UNLIMITED else _polled.started_at - longest_age
        expired = [record for record in records if float(record["dynamodb"]["ApproximateCreationDateTime"]) < oldest]
        if expired:
            self._give_up(expired, {}, "RecordAgeExceeded")
        others = records[len(expired):]
        return not others or self.deliver(others)

    def deliver(self, records):
        """Deliver the records or give them up. Return False if the mapping was removed or disabled
        meanwhile."""
        retries = self._limit("MaximumRetryAttempts")
        pause = FIRST_RETRY_SECONDS
        while self._is_live():
            result = self.execute(self.func, {"Records": records})
            failed_at = self._first_failure(result, records)
            if failed_at is None:
                return True
            records = records[failed_at:]
            condition = self._reason_to_give_up(records, retries)
            if self.mapping.get("BisectBatchOnFunctionError"):
                # An error halves the batch; a partial batch response splits it at the first record that it names.
                # Neither split counts as a retry.
                if result.get("error") and len(records) > 1:
                    middle = len(records) // 2
                    return self.deliver(records[:middle]) and self.deliver(records[middle:])
                if failed_at > 0:
                    continue
            if condition:
                self._give_up(records, result, condition)
                return True
            if retries != UNLIMITED:
                retries -= 1
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_RETRY_SECONDS)
        return False

    def _give_up(self, records, result, condition):
        source = self.mapping["EventSourceArn"]
        lambda_svc._send_ddb_stream_failure_record(self.mapping, self.func, records, source, result, condition)

    def _is_live(self):
        mapping = _find(lambda_svc._iter_all_esms, self.mapping["UUID"])
        return mapping is not None and mapping.get("Enabled", True)

    def _limit(self, name):
        value = self.mapping.get(name)
        return UNLIMITED if value is None else int(value)

    def _first_failure(self, result, records):
        if result.get("error"):
            return 0
        if "ReportBatchItemFailures" not in (self.mapping.get("FunctionResponseTypes") or []):
            return None
        failures = _batch_item_failures(result.get("body"))
        if not failures:
            return None
        failed = {failure.get("itemIdentifier") for failure in failures}
        numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
        return next((index for index, number in enumerate(numbers) if number in failed), 0)

    def _reason_to_give_up(self, records, retries):
        longest_age = self._limit("MaximumRecordAgeInSeconds")
        oldest = min(float(record["dynamodb"]["ApproximateCreationDateTime"]) for record in records)
        if longest_age != UNLIMITED and time.time() - oldest > longest_age:
            return "RecordAgeExceeded"
        return "RetryAttemptsExhausted" if retries == 0 else None


def _batch_item_failures(body):
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError:
            return []
    return (body.get("batchItemFailures") or []) if isinstance(body, dict) else []
