import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { reportSwitchOff } from '../../shared/operations/leads/report-switch-off.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { streamWorker } from '../../shared/runtime/stream-worker.ts';
import { parseConnection } from '../../shared/stores/connections/connections.ts';
import { switchOffQueue } from '../../shared/stores/leads/switch-off-queue.ts';

const config = readConfig({ SWITCH_OFFS_QUEUE_URL: z.string() });

const deps = { switchOffs: switchOffQueue(new SQSClient(bounded()), config.SWITCH_OFFS_QUEUE_URL) };

export const handler = streamWorker(parseConnection, (changes) => reportSwitchOff(deps, changes));
