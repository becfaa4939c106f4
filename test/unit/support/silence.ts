/**
 * Import this before any module that logs or counts, because they read these variables on creation and tests share
 * them.
 */
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
process.env.POWERTOOLS_METRICS_NAMESPACE = 'CallingService/test';
