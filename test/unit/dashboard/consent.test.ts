import { readFileSync } from 'node:fs';
import { pageAfterConsent, rememberConsent } from '../../../dashboard/app/url/begun-consent.ts';
import { consentFailures } from '../../../dashboard/words/connections/consent.ts';

const ID = 'conn_0123456789abcdef01234567';

/** The storage of a tab. */
function aTab(): Pick<Storage, 'getItem' | 'setItem'> {
  const stored = new Map<string, string>();
  return {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, value) => void stored.set(name, value),
  };
}

it('a consent returns to the page of its connection, even if it failed', () => {
  const tab = aTab();
  expect(pageAfterConsent({ connected: ID, channel: 'failed' }, tab)).toBe(
    `/connections/${ID}?connected=${ID}&channel=failed`,
  );
  rememberConsent(ID, tab);
  expect(pageAfterConsent({ error: 'access_denied' }, tab)).toBe(`/connections/${ID}?error=access_denied`);
  // The person reloads the vendor's page.
  expect(pageAfterConsent({ error: 'invalid_state' }, tab)).toBe(`/connections/${ID}?error=invalid_state`);
  // Applies only to the consent that this tab has begun.
  expect(pageAfterConsent({ error: 'access_denied' }, aTab())).toBeUndefined();
});

it('a made-up address opens no page', () => {
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

it('every failure of a consent has a text', () => {
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
