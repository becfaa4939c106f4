import { Logger } from '@aws-lambda-powertools/logger';

/**
 * Logs one JSON line per fact: ids, outcomes and numbers, never a phone number, token, transcript or body.
 * The function's name and the log level come from the environment (POWERTOOLS_SERVICE_NAME, POWERTOOLS_LOG_LEVEL).
 */
export const logger = new Logger();
