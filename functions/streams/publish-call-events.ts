import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import * as z from 'zod/mini';
import { leaveTombstone } from '../../shared/operations/calls/leave-tombstone.ts';
import { publishCallEvents } from '../../shared/operations/calls/publish-call-events.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { takeMeasure } from '../../shared/runtime/metrics.ts';
import { streamWorker } from '../../shared/runtime/stream-worker.ts';
import { callErasures } from '../../shared/stores/calls/call-erasures.ts';
import { parseToShowUnlessErased, parseUnlessErased } from '../../shared/stores/calls/call-item.ts';
import { eventBus } from '../../shared/stores/calls/event-bus.ts';

const config = readConfig({ CALLS_BUS_NAME: z.string(), CALLS_TABLE: z.string() });

const deps = {
  ...eventBus(new EventBridgeClient(bounded()), config.CALLS_BUS_NAME),
  erasures: callErasures(documentClient(), config.CALLS_TABLE),
  now: clock,
  measure: takeMeasure,
};

export const handler = streamWorker(
  parseUnlessErased,
  (changes) => publishCallEvents(deps, changes),
  async (item) => {
    const removed = parseToShowUnlessErased(item);
    if (removed) await leaveTombstone(deps, removed);
  },
);
