/** Imported before what logs: the logger reads its level when it is made. */
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
