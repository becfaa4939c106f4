// Loads a bundle and handles one event in a fresh process. Prints both times in ms, and the status of the answer.
const [, , path, event] = process.argv;
const context = { awsRequestId: 'cold', functionName: 'cold', getRemainingTimeInMillis: () => 25_000 };

const begun = performance.now();
const { handler } = await import(path);
const loaded = performance.now();
const { statusCode } = await handler(JSON.parse(event), context);
const handled = performance.now();
process.stdout.write(`\n@${JSON.stringify({ init: loaded - begun, first: handled - loaded, status: statusCode })}`);
process.exit(0);
