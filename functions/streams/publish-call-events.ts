import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import * as z from 'zod/mini';
import { publishCallEvents } from '../../shared/operations/calls/publish-call-events.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { takeMeasure } from '../../shared/runtime/metrics.ts';
import { streamWorker } from '../../shared/runtime/stream-worker.ts';
import { parseUnlessErased } from '../../shared/stores/calls/call-item.ts';
import { eventBus } from '../../shared/stores/calls/event-bus.ts';

const config = readConfig({ CALLS_BUS_NAME: z.string() });

const deps = { ...eventBus(new EventBridgeClient(bounded()), config.CALLS_BUS_NAME), measure: takeMeasure };

export const handler = streamWorker(parseUnlessErased, (changes) => publishCallEvents(deps, changes));
