import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installEmulator } from '../../../local/python-packages.ts';

/** Runs a script with the emulator's packages. @returns the last line that it prints */
async function python(script: string): Promise<string | undefined> {
  const program = await installEmulator({ log: () => {} });
  const path = "import sys; sys.path.insert(0, 'local')\n";
  const { stdout } = await promisify(execFile)(program, ['-B', '-c', path + script]);
  return stdout.trim().split('\n').at(-1);
}

test('the head and the body of an answer are sent at once, in two packets if necessary', async () => {
  // The delay by Nagle's algorithm depends on the kernel, so the test checks the socket option, not the time.
  const printed = await python(`
import asyncio, socket
from emulator import __main__ as launcher
launcher.apply_corrections()
async def main():
    accepted = asyncio.get_running_loop().create_future()
    connect = lambda reader, writer: accepted.set_result(writer.get_extra_info('socket'))
    listening = socket.socket()  # made as the server makes it
    listening.bind(('127.0.0.1', 0))
    server = await asyncio.start_server(connect, sock=listening)
    await asyncio.open_connection(*listening.getsockname())
    print((await accepted).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
asyncio.run(main())`);
  expect(Number(printed)).toBeGreaterThan(0);
});

test('a batch is taken from the head of a queue, whatever waits behind it', async () => {
  const printed = await python(`
import json, time
from emulator import deep_queues
from ministack.services import sqs
deep_queues.receive_from_the_head()
now = time.time()
def queue(name, messages=(), **attributes):
    arn = f'arn:aws:sqs:us-east-1:000000000000:{name}'
    made = {'attributes': {'QueueArn': arn, **attributes}, 'messages': list(messages), 'is_fifo': False}
    sqs._queues[sqs._queue_url(name)] = made
    return made
def message(id, **fields):
    return {'id': id, 'body': id, 'sent_at': now, 'visible_at': now, 'receive_count': 0, **fields}
dead = queue('dead')
redrive = json.dumps({'deadLetterTargetArn': dead['attributes']['QueueArn'], 'maxReceiveCount': 5})
# None replaces messages that must not be examined.
deep = queue('deep', [
    message('hidden', visible_at=now + 60), message('old', sent_at=now - 601), message('tried', receive_count=5),
    message('a'), message('b'), message('c'), None,
], RedrivePolicy=redrive, MessageRetentionPeriod='600', VisibilityTimeout='30')
url = sqs._queue_url('deep')
taken = [sqs._receive_messages_for_esm(url, 2), sqs._receive_messages_for_esm(url, 1)]
sqs._delete_messages_for_esm(url, {message['receipt_handle'] for message in taken[0]})
ids = lambda messages: [message and message['id'] for message in messages]
print(json.dumps([*map(ids, taken), ids(deep['messages']), ids(dead['messages']), taken[0][0]['receive_count']]))`);
  expect(JSON.parse(printed ?? '')).toEqual([['a', 'b'], ['c'], ['hidden', 'c', null], ['tried'], 1]);
});

test('the requests of workers wait for open requests to an API, but not forever', async () => {
  const printed = await python(`
import asyncio
from emulator import api_first
async def main():
    done = []
    open_requests = api_first._OpenRequests()
    async def work(name):
        await open_requests.pass_by()
        done.append(name)
    api_first.MAX_SECONDS_BEHIND_APIS = 3600
    with open_requests:
        works = [asyncio.create_task(work(name)) for name in ('first', 'second')]
        await asyncio.sleep(0.05)
        done.append('API')
    await asyncio.gather(*works)
    api_first.MAX_SECONDS_BEHIND_APIS = 0.01
    with open_requests:
        await work('beside')
        open_requests.pass_by_in_thread()
    open_requests.pass_by_in_thread()
    print(' '.join(done))
asyncio.run(main())`);
  expect(printed).toBe('API first second beside');
});

test.each([
  ['with several processors, but not on the first', '{4, 5, 7}', '[5, 7]'],
  ['with one processor', '{4}', 'null'],
])('an idle worker runs on a machine %s', async (_machine, processors, expected) => {
  const printed = await python(`
import json, os
from emulator import api_first
os.setpriority = lambda *_: None
taken = []
os.sched_setscheduler = lambda pid, policy, _param: taken.append(policy == os.SCHED_IDLE)
os.sched_getaffinity = lambda _pid: ${processors}
os.sched_setaffinity = lambda pid, allowed: taken.append(allowed)
api_first._make_patient(1, True)
idle = [*taken, None][:2]
taken.clear()
api_first._make_patient(1, False)
print(json.dumps([*idle, *taken]))`);
  expect(printed).toBe(`[true, ${expected}, false]`);
});

test('the log of an invocation has the lines that arrive long after the answer', async () => {
  const printed = await python(`
import json, threading, time
from emulator import lambda_runtime as corrections
from ministack.core import lambda_runtime
corrections.mark_the_end_of_each_log()
worker = lambda_runtime.Worker('f', {'Runtime': 'nodejs24.x'}, b'')
def write():
    for line in ('first', 'last', corrections.END_OF_LOG, 'of the next'):
        time.sleep(0.1)
        worker._stderr_queue.put(line)
worker._proc = threading.Thread(target=write)
worker._proc.start()
log = worker._drain_stderr_bounded()
worker._proc.join()
worker._proc = None
print(json.dumps([log, worker._drain_stderr_bounded()]))`);
  expect(JSON.parse(printed ?? '')).toEqual(['first\nlast', 'of the next']);
});

test('a moved clock ends no worker that has just become idle', async () => {
  const printed = await python(`
import time
from emulator import worker_starts
from ministack.core import lambda_runtime
worker_starts.end_idle_workers_by_the_machines_clock()
config = {'FunctionArn': 'arn:aws:lambda:us-east-1:000000000000:function:f'}
for worker in [lambda_runtime.acquire_worker('f', config, b'')[0] for _ in range(2)]:
    lambda_runtime.release_worker(worker)
machine_time = time.time
time.time = lambda: machine_time() + 86_400
ended = lambda_runtime.reap_idle_workers()
print(ended, lambda_runtime.reap_idle_workers(ttl=0))`);
  expect(printed).toBe('0 1');
});

test("an emulator that unpacks a package later than another one in the same folder uses the other's copy", async () => {
  const script = `
import io, json, os, shutil, tempfile, zipfile
shared = os.environ["EMULATOR_PACKAGES"] = tempfile.mkdtemp()
from emulator import worker_starts
package = io.BytesIO()
with zipfile.ZipFile(package, "w") as files:
    files.writestr("index.js", "mine")
move = os.rename
def move_late(source, target):
    shutil.copytree(source, target)
    (target / "index.js").write_text("of the other")
    move(source, target)
os.rename = move_late
folder = worker_starts._unpacked(package.getvalue())
assert worker_starts._unpacked(package.getvalue()) == folder
used = open(folder + "/index.js").read()
print(json.dumps([used, os.listdir(shared) == [os.path.basename(folder)]]))
shutil.rmtree(shared)`;
  expect(JSON.parse((await python(script)) ?? '')).toEqual(['of the other', true]);
});

test('the CloudFront functions of a page that loads many files at once run in one process', async () => {
  const printed = await python(`
import concurrent.futures, json
from emulator import worker_starts
from ministack.core import cloudfront_js, node_pool
worker_starts.run_edge_functions_in_one_process()
started = []
class Popen(node_pool.subprocess.Popen):
    def __init__(self, *args, **kwargs):
        started.append(args)
        super().__init__(*args, **kwargs)
node_pool.subprocess.Popen = Popen
code = b'function handler(event) { return { uri: event.uri + "!" }; }'
with concurrent.futures.ThreadPoolExecutor(8) as threads:
    answers = list(threads.map(lambda uri: cloudfront_js.evaluate(code, {'uri': uri}), 'abcdefgh'))
cloudfront_js.reset()
print(json.dumps([[answer['uri'] for answer in answers], len(started)]))`);
  expect(JSON.parse(printed ?? '')).toEqual([['a!', 'b!', 'c!', 'd!', 'e!', 'f!', 'g!', 'h!'], 1]);
});
