import fc from 'fast-check';
import {
  type ActivityEntry,
  activityEntrySchema,
  activityExpiry,
  leadEventKinds,
  leadSources,
  outcomes,
} from '../../../../shared/domain/connections/activity.ts';
import { forAll } from '../../../support/values/for-all.ts';

const entry: ActivityEntry = {
  connection_id: 'conn_1',
  event_id: 'evt_1',
  org_id: 'org1',
  at: '2026-03-02T06:00:00.000Z',
  source: 'webhook',
  event: 'new_lead',
  test: false,
  outcome: 'call queued',
  reason: 'x',
  payload_keys: [],
  expires_at: 1,
};

describe('an Activity entry', () => {
  it('expires 90 days after its event, in whole epoch seconds', () => {
    expect(activityExpiry('2026-03-02T06:00:00.000Z')).toBe(Date.parse('2026-05-31T06:00:00.000Z') / 1000);
    const instants = fc.date({ min: new Date('2020-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });
    forAll([instants], (at) => {
      expect(activityExpiry(at.toISOString())).toBe(Math.floor(at.getTime() / 1000) + 90 * 24 * 60 * 60);
    });
  });

  it('survives a round trip with every outcome, source and event', () => {
    for (const over of [
      ...outcomes.map((outcome) => ({ outcome })),
      ...([...leadSources, 'dial'] as const).map((source) => ({ source })),
      ...leadEventKinds.map((event) => ({ event })),
    ]) {
      const written = { ...entry, ...over };
      expect(activityEntrySchema.parse(JSON.parse(JSON.stringify(written)))).toEqual(written);
    }
  });

  it('is rejected with an unknown outcome or source', () => {
    for (const over of [{ outcome: 'called' }, { outcome: 'toString' }, { source: 'phone' }, { event: 'deleted' }])
      expect(() => activityEntrySchema.parse({ ...entry, ...over })).toThrow();
  });

  it('has exactly the outcomes of docs/leads.md', () => {
    expect([...outcomes].sort().join(', ')).toBe(
      'already_called, already_called_race, assistant_missing, auto_call_disabled, call queued, call scheduled, ' +
        'crm_unavailable, destination_not_allowed, do_not_call, expired, ignored, insufficient_credits, ' +
        'lead_not_found, lost, no_dialable_phone, no_lead_id_in_payload, own_platform_number, owner_mismatch, ' +
        'phone_already_called, platform_unreachable, refused_by_platform, retried_recently, spend_limit_reached',
    );
  });
});
