import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { parse } from 'yaml';
import { type StackPart, stackParts } from '../../bin/admin/cloud/failed-stacks.ts';
import { bundleFolder } from '../../lib/bundle.ts';
import { DeployerStack } from '../../lib/stacks/deployer.ts';
import { canaryMinutesOf } from '../../lib/stage.ts';
import { storeSourceMaps } from '../../lib/stored-source-maps.ts';
import { filesBelow, read } from './support/sources.ts';
import { aStage, haveBundles, unchecked } from './support/synthesize.ts';

type Step = {
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
  if?: string;
  'working-directory'?: string;
};
type Job = {
  steps?: Step[];
  uses?: string;
  needs?: string | string[];
  if?: string;
  environment?: string;
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
};
type Workflow = {
  permissions: Record<string, string>;
  concurrency?: { group: string; 'cancel-in-progress': boolean };
  jobs: Record<string, Job>;
};

const files = filesBelow('.github/workflows', '.yml');
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`));
const jobsOf = (path: string) => Object.entries((parse(read(path)) as Workflow).jobs);
const stepsOf = ({ steps = [] }: Job) => steps;
const commandsOf = (job: Job): string[] => stepsOf(job).flatMap(({ run }) => run ?? []);

it('.ci/run skips no check that CI runs: it sets CI before the first one', () => {
  const lines = read('.ci/run').split('\n');
  const exported = lines.findIndex((line) => /^export CI="\$\{CI:-true\}"$/.test(line));
  expect(exported).toBeGreaterThan(0);
  expect(lines.findIndex((line) => line.startsWith('npm '))).toBeGreaterThan(exported);
});

describe('the workflows', () => {
  it.each(files)('%s runs with read rights, actions of a fixed commit, time limits and existing commands', (path) => {
    const { permissions } = parse(read(path)) as Workflow;
    expect(permissions).toEqual({ contents: 'read' });
    const { scripts } = JSON.parse(read('package.json'));
    for (const [name, job] of jobsOf(path)) {
      if (!job.uses) expect([name, job['timeout-minutes']]).toEqual([name, expect.any(Number)]);
      for (const { uses } of stepsOf(job)) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      const named = commandsOf(job).flatMap((run) => [...run.matchAll(/npm run (?:--silent )?([\w:]+)/g)]);
      for (const [, script = ''] of named) expect(scripts).toHaveProperty([script]);
    }
  });

  it('name the release of an action beside its commit, one for all jobs', () => {
    const released = files.flatMap((path) => [...read(path).matchAll(/uses: ([\w-]+\/[\w-]+)@(.*)$/gm)]);
    const pins = new Map<string, Set<string>>();
    for (const [, action = '', pin = ''] of released) pins.set(action, (pins.get(action) ?? new Set()).add(pin));
    expect(pins.size).toBeGreaterThan(3);
    for (const [action, found] of pins)
      expect([action, ...found]).toEqual([action, expect.stringMatching(/^[0-9a-f]{40} # v\d+\.\d+\.\d+$/)]);
  });

  it.each(files)(
    '%s gets credentials of AWS through OpenID Connect, in an environment, and contains no key',
    (path) => {
      expect(read(path)).not.toMatch(/access-key|ACCESS_KEY|SESSION_TOKEN/i);
      for (const [name, { environment, permissions, ...job }] of jobsOf(path)) {
        const signsIn = stepsOf(job).some(({ uses }) => uses?.startsWith('aws-actions/configure-aws-credentials'));
        expect([name, permissions?.['id-token']]).toEqual([name, signsIn ? 'write' : undefined]);
        if (signsIn) expect([name, environment]).toEqual([name, expect.any(String)]);
      }
    },
  );

  it('deploy the tested and reviewed templates, after an approval if a stack with state differs, list the remaining steps, and place a call', () => {
    const { test, plan, approve, deploy } = workflow('deploy').jobs as Record<string, Job>;
    expect(test?.uses).toBe('./.github/workflows/ci.yml');
    expect([plan?.needs, approve?.needs, deploy?.needs]).toEqual(['test', 'plan', ['plan', 'approve']]);
    // Another deployment replaces these five without a loss. Every further stack waits for an approval.
    const replaceable: StackPart[] = ['workers', 'api', 'dashboard', 'pages', 'observability'];
    const commandsOfPlan = commandsOf(plan as Job).join('\n');
    expect(commandsOfPlan).toContain('cdk diff $watched --app cdk.out --fail');
    const [, watched = ''] = /watched="([a-z -]+)"/.exec(commandsOfPlan) ?? [];
    expect(watched.split(' ').sort()).toEqual(stackParts.filter((part) => !replaceable.includes(part)).sort());
    expect(approve?.environment).toMatch(/-data$/);
    expect([test?.if, plan?.if, approve?.if]).toEqual([
      undefined,
      undefined,
      "needs.plan.outputs.touches_data == 'true'",
    ]);
    // A rejected approval fails, and one that is not needed is skipped.
    const isApproved = "(needs.approve.result == 'success' || needs.approve.result == 'skipped')";
    expect(deploy?.if).toBe(`\${{ !cancelled() && needs.plan.result == 'success' && ${isApproved} }}`);
    const commands = commandsOf(deploy as Job);
    expect(commands.slice(-3)).toEqual([
      'npx cdk deploy --all --app cdk.out --require-approval never',
      expect.stringMatching(/admin -- doctor --stage \$STAGE.*GITHUB_STEP_SUMMARY/),
      'npm run smoke',
    ]);
    expect(commands.join('\n')).not.toContain('cdk synth');
  });

  it('call the stage by an address that the runbook of its change names', () => {
    const variables = files.flatMap((path) => [...read(path).matchAll(/vars\.(\w+_URL)\b/g)].map(([, name]) => name));
    expect(variables).toContain('SMOKE_URL');
    for (const name of variables) expect(read('docs/runbooks/change-public-url.md')).toContain(`\`${name}\``);
  });

  it('change a stage one at a time, and never cancel a deployment that has begun', () => {
    const group = (stage: string) => ({ group: `deploy-${stage}`, 'cancel-in-progress': false });
    expect(workflow('deploy').concurrency).toEqual(group(`\${{ inputs.stage }}`));
    expect(workflow('nightly').concurrency).toEqual(group('nightly'));
  });

  it.each([
    ['fuzz every route', 'fuzz', 'npm run fuzz'],
    ['apply every fault', 'faults', 'npm run test:matrix'],
    ['simulate other worlds', 'simulate', 'npm run simulate -- --from "$((GITHUB_RUN_NUMBER * 3000))"'],
    ['try other numbers', 'destinations', 'npm run bench:destinations -- 1000000 "$GITHUB_RUN_NUMBER"'],
    ['mutate the central rules', 'mutate', 'npm run mutate'],
  ])('%s each night, without an account', (_what, name, run) => {
    const { [name]: job } = workflow('nightly').jobs as Record<string, Job>;
    expect(stepsOf(job as Job).at(-1)).toEqual({ run, env: { CI: 'true' } });
    expect(job).not.toHaveProperty('if');
  });

  it('run each night what docs/deploy.md lists, and nothing else without an account', () => {
    const run = (text: string) => /npm run ([\w:]+)/g.exec(text)?.[1] ?? [];
    const withoutAccount = jobsOf('.github/workflows/nightly.yml').filter(([, job]) => !job.if);
    const [, described = ''] = /The other jobs always run(.*?)The other benchmarks/s.exec(read('docs/deploy.md')) ?? [];
    const documented = [...described.matchAll(/`npm run ([\w:]+)`/g)].map(([, script]) => script);
    expect(documented.sort()).toEqual(withoutAccount.flatMap(([, job]) => commandsOf(job).flatMap(run)).sort());
  });

  it('remove the nightly stage even after a failure, but never their own role', () => {
    const { nightly } = workflow('nightly').jobs as Record<string, Job>;
    const last = stepsOf(nightly as Job).at(-1);
    expect(last).toMatchObject({ if: 'always()', run: expect.stringContaining('cdk destroy') });
    const stacks = (verb: string) =>
      commandsOf(nightly as Job)
        .flatMap((run) => new RegExp(`cdk ${verb} ([a-z ]+) -c`).exec(run)?.[1] ?? [])
        .map((list) => list.split(' ').sort());
    const all = ['api', 'dashboard', 'data', 'edge', 'messaging', 'observability', 'pages', 'workers'];
    expect([stacks('deploy'), stacks('destroy')]).toEqual([[all], [all, all]]);
    expect(JSON.parse(read('stages/nightly.json'))).toMatchObject({ isRetained: false });
  });

  it('first remove what a failed night has left, or name the repair, and wait until SQS accepts the names again', () => {
    const { nightly } = workflow('nightly').jobs as Record<string, Job>;
    const [removal = '', deployment] = commandsOf(nightly as Job).filter((run) => run.includes('npx cdk '));
    const [destroy, error, failure, , wait] = removal.split('\n').map((line) => line.trim());
    expect(destroy).toMatch(/^if ! npx cdk destroy .* --force; then$/);
    expect(error).toMatch(/^echo "::error::.*npm run --silent admin -- stage repair --stage nightly --aws-region /);
    expect([failure, wait]).toEqual(['exit 1', 'sleep 60']);
    expect(deployment).toContain('cdk deploy');
  });
});

describe('the nightly update on AWS', () => {
  const { nightly } = workflow('nightly').jobs as Record<string, Job>;
  const steps = stepsOf(nightly as Job);
  const indexOf = (command: string | RegExp, folder?: string): number =>
    steps.findIndex((step) => RegExp(command).test(step.run ?? '') && step['working-directory'] === folder);

  it('begins with a deployment of the last release from nothing, or of the version of the day before', () => {
    const [checkout] = steps;
    expect(checkout?.with).toMatchObject({ 'fetch-depth': 0 });
    const { run = '' } = steps[indexOf('git worktree add former')] ?? {};
    expect(run).toMatch(
      /describe --tags .*--match 'v\*' HEAD\^ 2>\/dev\/null \|\| git rev-list -1 --before='1 day ago' HEAD/,
    );
    expect(run).toMatch(/cd former\nnpm ci\nstacks=.*\nnpx cdk deploy \$stacks -c stage=nightly/);
  });

  it('places a call before and after the update, for the organization of the former version', () => {
    const order = [
      indexOf('git worktree add former'),
      indexOf(/admin org create/, 'former'),
      indexOf('^npm run smoke$', 'former'),
      indexOf('^npx cdk deploy data '),
      indexOf('^npm run smoke$'),
    ];
    expect(order).not.toContain(-1);
    expect(order.toSorted((one, other) => one - other)).toEqual(order);
    const ids = steps.flatMap(({ run, env }) => (run === 'npm run smoke' ? [env?.SMOKE_ID] : []));
    expect(new Set(ids).size).toBe(2);
  });

  it('is a canary, like that of a stage with data', () => {
    const { canaryMinutes } = JSON.parse(read('stages/nightly.json'));
    expect(canaryMinutes).toBe(canaryMinutesOf(aStage('prod', { isRetained: true })));
  });

  it('removes the stage with new credentials, because the first ones may have expired', () => {
    const [renewal, removal] = steps.slice(-2);
    expect(renewal).toMatchObject({ if: 'always()', uses: expect.stringContaining('configure-aws-credentials') });
    expect(removal?.run).toContain('cdk destroy');
  });
});

describe('a stage that a repository deploys', () => {
  const deployerOf = (name: string, isRetained: boolean, deployFrom = 'acme/calls'): Template => {
    const stage = aStage(name, { deployFrom, isRetained });
    return Template.fromStack(
      new DeployerStack(new App(unchecked), 'deployer', { stage, from: stage.deployFrom ?? '' }),
    );
  };
  const [retained, disposable] = [deployerOf('prod', true), deployerOf('nightly', false)];
  const rightsOf = (template: Template): { Action: string | string[]; Resource: unknown; Condition?: unknown }[] =>
    Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement,
    );

  it('trusts only the jobs of that repository in the environment of that stage', () => {
    const [role, ...others] = Object.values(retained.findResources('AWS::IAM::Role'));
    expect(others).toEqual([]);
    expect(role?.Properties.RoleName).toBe('calling-service-prod-deployer');
    expect(role?.Properties.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRoleWithWebIdentity',
        Principal: { Federated: expect.anything() },
        Condition: {
          StringEquals: {
            'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
            'token.actions.githubusercontent.com:sub': 'repo:acme/calls:environment:prod',
          },
        },
      },
    ]);
  });

  // GitHub guide, "OpenID Connect reference", "Immutable subject claims".
  it('trusts the jobs of a repository whose identity contains the ids of its owner and its own', () => {
    const [role] = Object.values(deployerOf('prod', true, 'acme@123456/calls@456789').findResources('AWS::IAM::Role'));
    expect(role?.Properties.AssumeRolePolicyDocument.Statement[0].Condition.StringEquals).toMatchObject({
      'token.actions.githubusercontent.com:sub': 'repo:acme@123456/calls@456789:environment:prod',
    });
    for (const half of ['acme@123456/calls', 'acme/calls@456789', 'acme@*/calls@*'])
      expect(() => deployerOf('prod', true, half)).toThrow('OWNER/REPOSITORY');
  });

  it('lets them use the roles of a cdk bootstrap with its own qualifier', () => {
    const context = { '@aws-cdk/core:bootstrapQualifier': 'acme' };
    const stage = aStage('prod', { deployFrom: 'acme/calls' });
    const own = new DeployerStack(new App({ ...unchecked, context }), 'deployer', { stage, from: 'acme/calls' });
    expect(JSON.stringify(rightsOf(Template.fromStack(own)))).toMatch(/cdk-acme-deploy-role.*cdk-acme-lookup-role/);
  });

  it('lets them use the roles of cdk bootstrap, and change data only of a disposable stage', () => {
    expect(rightsOf(retained)).toEqual([
      { Effect: 'Allow', Action: 'sts:AssumeRole', Resource: Array(3).fill(expect.anything()) },
    ]);
    expect(JSON.stringify(rightsOf(retained))).toMatch(/cdk-hnb659fds-deploy-role.*file-publishing-role.*lookup-role/);
    const [, ...more] = rightsOf(disposable);
    expect(more.flatMap(({ Action }) => Action)).toEqual([
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:ConditionCheckItem',
      'secretsmanager:PutSecretValue',
      'kms:Encrypt',
      'cloudformation:DescribeStacks',
    ]);
    for (const { Resource, Condition } of more)
      expect(JSON.stringify([Resource, Condition])).toMatch(/calling-service[-/]nightly[-/](\*|callback-secrets")/);
  });
});

describe('the source maps of a deployment', () => {
  const name = 'schedule-release';
  const folder = mkdtempSync(join(tmpdir(), 'source-maps-'));
  const maps = join(folder, 'maps');
  beforeAll(haveBundles, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Synthesizes an app with only this function. */
  async function deployed(stage: string, packages?: string): Promise<string> {
    const outdir = join(folder, stage);
    const app = new App({ ...unchecked, outdir });
    const code = Code.fromAsset(bundleFolder(name));
    new LambdaFunction(new Stack(app, 'workers'), name, {
      code,
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
    });
    await storeSourceMaps(app, aStage(stage), [name], { maps, ...(packages && { packages }) });
    app.synth();
    return outdir;
  }

  it('are not created for the local cloud, because they take time', async () => {
    await deployed('local');
    expect(existsSync(maps)).toBe(false);
  });

  it('are refused if the package contains another bundle', async () => {
    const packages = join(folder, 'packages');
    mkdirSync(join(packages, name), { recursive: true });
    writeFileSync(join(packages, name, 'index.mjs'), `1;\n//# sourceURL=${name}/index.0123456789ab.mjs\n`);
    await expect(deployed('other', packages)).rejects.toThrow(
      `${name}/index.mjs is packaged, but is not ${name}/index.`,
    );
  });

  it('are stored in the assets bucket under the names of their bundles, which no function may read', async () => {
    const assembly = await deployed('prod');
    const packaged = readFileSync(join(bundleFolder(name), 'index.mjs'), 'utf8');
    const [, bundle = ''] = /sourceURL=(\S+)\.mjs\n$/.exec(packaged) ?? [];
    const { files } = JSON.parse(readFileSync(join(assembly, 'workers.assets.json'), 'utf8'));
    const { source, destinations } = files[`source-maps/${bundle}.json`];
    // A path in the assembly, which another machine may deploy.
    expect(readFileSync(join(assembly, source.path))).toEqual(readFileSync(join(maps, `${bundle}.json.gz`)));
    const [{ bucketName, objectKey }] = Object.values(destinations) as [{ bucketName: string; objectKey: string }];
    expect([source.packaging, objectKey]).toEqual(['file', `source-maps/${bundle}.json.gz`]);
    const template = Template.fromJSON(JSON.parse(readFileSync(join(assembly, 'workers.template.json'), 'utf8')));
    template.hasOutput('SourceMapsBucket', { Value: { 'Fn::Sub': bucketName } });
    template.resourceCountIs('AWS::IAM::Policy', 0);
    expect(JSON.stringify(template.toJSON())).not.toContain('source-maps/');
  });
});
