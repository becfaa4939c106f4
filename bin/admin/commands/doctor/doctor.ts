import { Option } from 'commander';
import type { Cloud } from '../../cloud/cloud.ts';
import { type Answer, verb } from '../../verb.ts';

type Flags = { tryModel?: boolean };

/** Examines a stage before and after its deployment. Read-only. */
export const doctor = verb<Flags>({
  usage: 'doctor',
  summary: 'Checks that a stage has what it needs, before and after its deployment, and names the command for each fix',
  options: [new Option('--try-model', 'also request one word of the language model, which costs a fraction of a cent')],
  act: examine,
});

async function examine(cloud: Cloud, { tryModel }: Flags): Promise<Answer> {
  // Loaded here, because no other command needs these clients.
  const { examination } = await import('./examination.ts');
  const findings = await examination(cloud, { tryModel: tryModel ?? false });
  const count = (wanted: string) => findings.filter(({ status }) => status === wanted).length;
  const [failures, warnings] = [count('failed'), count('warning')];
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.map(
    ({ check, status, message, fix }) =>
      `${status.padEnd(7)}  ${check.padEnd(width)}  ${message}${fix ? ` Fix: ${fix}` : ''}`,
  );
  const { stage, region } = cloud.place;
  return {
    json: { stage, region: region ?? null, failed: failures, warnings, findings },
    people: [...lines, `${findings.length} findings: ${failures} failed, ${warnings} warnings.`].join('\n'),
    isFailure: failures > 0,
  };
}
