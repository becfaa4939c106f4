import * as z from 'zod/mini';
import { checkDeliveries } from '../../shared/operations/connections/check-deliveries.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { scheduledTask } from '../../shared/runtime/scheduled-task.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';

const config = readConfig({ CONNECTIONS_TABLE: z.string() });
const connections = connectionStore(documentClient(), config.CONNECTIONS_TABLE);

export const handler = scheduledTask(({ now, timeLeftMs }) =>
  checkDeliveries({
    connections,
    now,
    timeLeftMs,
    random: Math.random,
    count,
    warn: (message, facts) => logger.warn(message, facts),
  }),
);
