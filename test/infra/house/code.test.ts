import { secretsComparedIn } from '../support/comparisons.ts';
import { codeOf, filesBelow, read } from '../support/sources.ts';

it('the domain takes the time as an argument', () => {
  const clock = /Date\.now\(|new Date\(\s*\)|performance\.now\(|process\.|setTimeout|setInterval/;
  expect(filesBelow('shared/domain', '.ts').filter((path) => clock.test(codeOf(path)))).toEqual([]);
});

// Test files share their process, so a later file would use a cloud that has stopped.
it('only local clouds that remove them again set the variables of AWS clients in tests', () => {
  const setting = /process\.env(\.AWS_\w+|\[\w+\]) = /;
  const owners = ['test/local/support/test-cloud.ts', 'test/unit/'];
  const files = filesBelow('test', '.ts').filter((path) => !owners.some((owner) => path.startsWith(owner)));
  expect(files.filter((path) => setting.test(codeOf(path)))).toEqual([]);
});

it('only input of people has strict schemas, so that a rolled-back version can read newer items', () => {
  const strict = filesBelow('shared', '.ts').filter((path) => /\bz\.strictObject\(/.test(codeOf(path)));
  const written = [
    'shared/messages/dashboard/',
    'shared/runtime/dashboard/dashboard-input.ts',
    'shared/domain/connections/connection-settings.ts',
    'shared/domain/connections/crm-b-settings.ts',
    'shared/domain/connections/help-desk-settings.ts',
    'shared/domain/connections/access/oauth-client.ts',
    'shared/domain/organizations/assistants/analysis-schema.ts',
    'shared/domain/organizations/assistants/assistant-definition.ts',
    'shared/domain/after-call/erasure/erasure-receipt.ts',
  ];
  expect(strict.filter((path) => !written.some((one) => path.startsWith(one)))).toEqual([]);
});

it('one file turns a refused conditional write into a result', () => {
  const written = ['shared', 'functions', 'bin', 'lib'].flatMap((folder) => filesBelow(folder, '.ts'));
  expect(written.filter((path) => codeOf(path).includes('ConditionalCheckFailedException'))).toEqual([
    'shared/stores/dynamodb/conditional-table.ts',
  ]);
});

it('every comparison of a secret takes constant time', () => {
  const written = ['shared', 'functions', 'bin', 'lib'].flatMap((folder) => filesBelow(folder, '.ts'));
  const compared = written.map((path) => [path, secretsComparedIn(path, read(path))] as const);
  expect(compared.filter(([, found]) => found.length > 0)).toEqual([]);
  const guess = "if (token === undefined || token === '' || given.apiToken !== stored) refuse(a.secret == b);";
  expect(secretsComparedIn('a.ts', guess)).toEqual(['given.apiToken !== stored', 'a.secret == b']);
});
