// Loads a bundle and handles one event in a fresh process. Prints both times and the
// processor time of both in ms, and the status of the answer.
const [, , path, event] = process.argv;
const context = { awsRequestId: 'cold', functionName: 'cold', getRemainingTimeInMillis: () => 25_000 };

const before = process.cpuUsage();
const begun = performance.now();
const { handler } = await import(path);
const loaded = performance.now();
const { statusCode } = await handler(JSON.parse(event), context);
const handled = performance.now();
const { user, system } = process.cpuUsage(before);
const times = { init: loaded - begun, first: handled - loaded, cpu: (user + system) / 1_000 };
process.stdout.write(`\n@${JSON.stringify({ ...times, status: statusCode })}`);
process.exit(0);
