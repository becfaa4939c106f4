"""Corrections that keep the cost of a message low, however many messages its queue has."""

import json
import time

from ministack.core.responses import new_uuid
from ministack.services import sqs
from ministack.services.lambda_svc import esm_wake

from .patching import replace_function, require_attributes


def receive_from_the_head():
    """MiniStack scans every message of a queue four times to hand out one batch, and once to delete it, while it
    holds the lock that senders wait for. This correction reads from the head until the batch is complete."""
    patch = receive_from_the_head
    require_attributes(((sqs, "_queues_lock"), (sqs, "_ensure_msg_fields"), (sqs, "_queue_by_arn")), patch)

    def make_receive(stock):
        def receive(queue_url, max_number):
            queue = sqs._get_q(queue_url)
            if queue["is_fifo"]:
                return stock(queue_url, max_number)
            with sqs._queues_lock:
                return _take(queue, min(int(max_number or 1), 10))
        return receive

    def make_delete(stock):
        def delete(queue_url, receipt_handles):
            with sqs._queues_lock:
                messages = sqs._get_q(queue_url)["messages"]
                left = set(receipt_handles)
                place = 0
                while left and place < len(messages):
                    handle = messages[place].get("receipt_handle")
                    if handle in left:
                        left.discard(handle)
                        del messages[place]
                    else:
                        place += 1
        return delete

    replace_function(sqs, "_receive_messages_for_esm", ("queue_url", "max_number"), patch, make_receive)
    replace_function(sqs, "_delete_messages_for_esm", ("queue_url", "receipt_handles"), patch, make_delete)


def _take(queue, most):
    """Hand out the first visible messages, and remove those that are too old or were received too often."""
    attributes, messages = queue["attributes"], queue["messages"]
    now = time.time()
    hidden_until = now + int(attributes.get("VisibilityTimeout", "30"))
    oldest = now - int(attributes.get("MessageRetentionPeriod", "345600"))
    most_receives, dead_letters = _redrive(attributes)
    batch, place = [], 0
    while len(batch) < most and place < len(messages):
        message = messages[place]
        sqs._ensure_msg_fields(message)
        if message.get("enqueued_at", message["sent_at"]) <= oldest:
            del messages[place]
            continue
        if message["visible_at"] > now:
            place += 1
            continue
        if dead_letters is not None and message["receive_count"] >= most_receives:
            del messages[place]
            dead_letters["messages"].append(_dead(message, attributes, now))
            esm_wake.set()
            continue
        message["receipt_handle"] = new_uuid()
        message["visible_at"] = hidden_until
        message["receive_count"] += 1
        if message.get("first_receive_at") is None:
            message["first_receive_at"] = now
        batch.append(message)
        place += 1
    return batch


def _redrive(attributes):
    policy = json.loads(attributes.get("RedrivePolicy") or "{}")
    most, arn = int(policy.get("maxReceiveCount") or 0), policy.get("deadLetterTargetArn")
    return (most, sqs._queue_by_arn(arn)) if most and arn else (0, None)


def _dead(message, attributes, now):
    return {
        **message,
        "receipt_handle": None,
        "visible_at": now,
        "sys": {"DeadLetterQueueSourceArn": attributes.get("QueueArn", ""), **message["sys"]},
    }
