import { Logger } from '@aws-lambda-powertools/logger';

/**
 * One JSON line per fact. Ids, outcomes and numbers only: no phone number, token, transcript or body ever goes in.
 * The function's name and the log level come from the environment (POWERTOOLS_SERVICE_NAME, POWERTOOLS_LOG_LEVEL).
 */
export const logger = new Logger();
