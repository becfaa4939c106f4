import { readFileSync } from 'node:fs';
import { pageAfterConsent, rememberConsent } from '../../../dashboard/app/begun-consent.ts';
import { consentFailures } from '../../../dashboard/words/consent.ts';

const ID = 'conn_0123456789abcdef01234567';

/** The storage of a tab. */
function aTab(): Pick<Storage, 'getItem' | 'setItem'> {
  const stored = new Map<string, string>();
  return {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, value) => void stored.set(name, value),
  };
}

it('a consent comes back to the page of its connection, also if it failed', () => {
  const tab = aTab();
  expect(pageAfterConsent({ connected: ID, channel: 'failed' }, tab)).toBe(
    `/connections/${ID}?connected=${ID}&channel=failed`,
  );
  rememberConsent(ID, tab);
  expect(pageAfterConsent({ error: 'access_denied' }, tab)).toBe(`/connections/${ID}?error=access_denied`);
  // The vendor's page is opened once more.
  expect(pageAfterConsent({ error: 'invalid_state' }, tab)).toBe(`/connections/${ID}?error=invalid_state`);
  // Only the consent that this tab has begun.
  expect(pageAfterConsent({ error: 'access_denied' }, aTab())).toBeUndefined();
});

it('an address that somebody made up leads nowhere', () => {
  expect(pageAfterConsent({}, aTab())).toBeUndefined();
  expect(pageAfterConsent({ connected: '../sign-in' }, aTab())).toBeUndefined();
  const blocked = {
    ...aTab(),
    getItem: () => {
      throw new Error('blocked');
    },
  };
  expect(pageAfterConsent({ error: 'x' }, blocked)).toBeUndefined();
});

it('every way in which a consent can fail has words', () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const source = read('shared/operations/connections/complete-consent.ts');
  const codes = [
    ...[...source.matchAll(/failed\('(\w+)'\)/g), ...source.matchAll(/return '(\w+)';/g)].map(([, code]) => code),
    ...[...read('docs/crm-b.md').matchAll(/`\?error=(\w+)`((?:, `\w+`)*)/g)].flatMap(([, code, more = '']) => [
      code,
      ...[...more.matchAll(/`(\w+)`/g)].map(([, other]) => other),
    ]),
    'invalid_state',
  ];
  expect(codes.length).toBeGreaterThan(12);
  expect(codes.filter((code) => !Object.hasOwn(consentFailures, code ?? ''))).toEqual([]);
});
