/** Import this before any module that logs: the logger reads its level on creation. */
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
