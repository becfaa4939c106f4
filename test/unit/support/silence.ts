/**
 * Import this before any module that logs or counts, because they read these variables on creation and tests share
 * them.
 */
process.env.LOG_LEVEL = 'SILENT';
process.env.METRICS_NAMESPACE = 'CallingService/test';
