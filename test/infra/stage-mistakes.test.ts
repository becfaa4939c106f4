import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStoredStage } from '../../lib/stage.ts';
import { readStageFile, StageError } from '../../lib/stage-file.ts';

const retained = {
  region: 'eu-west-1',
  alarmEmail: 'alarms@example.com',
  publicUrl: 'https://calls.example.com',
  multiRegionKeys: false,
};

/** The error that the settings cause, in the file of a stage whose data must last. */
function mistakeIn(settings: object): unknown {
  try {
    return readStoredStage('prod', { AWS_REGION: 'us-east-1' }, () => ({ ...retained, ...settings }));
  } catch (error) {
    return error;
  }
}

function expectNamed(setting: string, value: unknown, words: string): void {
  const mistake = mistakeIn({ [setting]: value });
  expect([value, mistake]).toEqual([value, expect.any(StageError)]);
  const { message } = mistake as StageError;
  expect(message).toMatch(/^stages\/prod\.json:/);
  expect(message).toContain(setting);
  expect(message).toContain(words);
}

describe('a mistake in the settings of a stage is refused with the setting and a correct example:', () => {
  it.each(['publicUrl', 'dashboardUrl', 'helpDeskApiUrl', 'filesOrigin', 'voiceApiUrl', 'modelApiUrl'])(
    'an address without https:// in %s',
    (setting) => {
      expectNamed(setting, 'calls.example.com', 'such as https://');
      expectNamed(setting, 'ftp://calls.example.com', 'such as https://');
      expectNamed(setting, 5, 'such as https://');
    },
  );

  it.each(['publicUrl', 'dashboardUrl', 'helpDeskApiUrl', 'filesOrigin'])(
    'an address with more than a name in %s',
    (setting) => {
      for (const more of ['/v1', '?stage=prod', '#top'])
        expectNamed(setting, `https://calls.example.com${more}`, 'such as https://');
      expectNamed(setting, 'https://me:secret@calls.example.com', 'such as https://');
    },
  );

  it('an address of the API without encryption, because keys, tokens and leads are sent to it', () => {
    expectNamed('publicUrl', 'http://calls.example.com', 'https://');
    expect(mistakeIn({ publicUrl: 'https://calls.example.com/' })).not.toBeInstanceOf(Error);
  });

  it('a region that cannot be one, which would otherwise be that of the profile or fail without a reason', () => {
    for (const wrong of [null, '', 'eu-west1', 'Ireland', 1]) expectNamed('region', wrong, 'such as ap-south-1');
  });

  it.each([
    ['voiceSlots', 'a whole number'],
    ['dailySpend', 'a whole number'],
    ['monthlyBudget', 'a whole number'],
    ['costlyAtOnce', 'a whole number'],
    ['voiceTimeoutMs', 'a whole number'],
    ['logRetentionDays', 'CloudWatch Logs keeps logs for 1, 3, 5'],
    ['canaryMinutes', 'a canary takes 0, 10, 15 minutes'],
  ])('another value than a number in %s, which JavaScript would convert to one', (setting, words) => {
    for (const wrong of [true, false, null, '', [10], 'ten', '1e1']) expectNamed(setting, wrong, words);
  });

  it.each(['isRetained', 'multiRegionKeys', 'webFirewall'])('neither true nor false in %s', (setting) => {
    for (const wrong of [null, 0, 'maybe']) expectNamed(setting, wrong, 'true or false');
  });

  it('a list or an object of another form', () => {
    expectNamed('publicNames', 'calls.example.com', 'a list of names');
    expectNamed('hostedZones', ['example.com'], '{"example.com": "Z0123456789ABC"}');
    expectNamed('restored', 'calls', '{"calls": "r20261123093000"}');
    for (const wrong of ['', 'Desk.basic.READ, Desk.tickets.ALL', ['Desk.basic.READ']])
      expectNamed('helpDeskScopes', wrong, 'separated by commas');
  });
});

it.each([
  [
    'without a comma',
    '{\n  "region": "eu-west-1"\n  "voiceSlots": 5\n}',
    /^stages\/prod\.json is not JSON: .*\(line 3 /,
  ],
  ['of a list', '[]', /^stages\/prod\.json must contain one JSON object\.$/],
])('a file %s is refused with its name and the place', (_, content, words) => {
  const checkout = mkdtempSync(join(tmpdir(), 'stages-'));
  try {
    mkdirSync(join(checkout, 'stages'));
    writeFileSync(join(checkout, 'stages', 'prod.json'), content);
    expect(() => readStageFile('prod', checkout)).toThrow(words);
    expect(readStageFile('other', checkout)).toBeUndefined();
  } finally {
    rmSync(checkout, { recursive: true });
  }
});
