import { aHelpDeskConnection, anAnalysis, aTicketCall, queueTicket } from '../connections/help-desk.ts';
import { anOrg, stores, untilCall } from '../organizations/orgs.ts';
import { aPhoneNumber } from '../rest/rest.ts';
import { crmB, helpDesk } from '../stack/stack.ts';
import type { Scene } from './logged-scene.ts';

const settings = {
  description_template: '{issue_summary} {transcript} {note}',
  attach_call_recording: true,
  attach_full_transcript: true,
  tags: ['canary-tag'],
  classification_mapping: { field: 'product', values: { canary: 'Canary classification' } },
};

/** Makes the service create tickets, some of which the help desk refuses, with a canary in every text field. */
export async function loggedHelpDesk(): Promise<Scene> {
  await helpDesk.reset();
  const org = await anOrg();
  const { connection_id } = await aHelpDeskConnection(org, settings);
  const phones = [aPhoneNumber(), aPhoneNumber(), aPhoneNumber()] as const;
  const transcript_key = await stores.files.putTranscript(
    { org_id: org.orgId, call_id: 'canary' },
    'Asha: canary in the transcript',
  );
  const texts = {
    transcript_key,
    recording: { state: 'none' as const },
    request_metadata: { name: 'Canarymira', note: 'canary in the metadata' },
  };
  const analysis = (product: string) =>
    anAnalysis({ issue_summary: 'canary in the summary', structured_data: { product } });

  await helpDesk.settings({ allowedTags: [] });
  const made = await aTicketCall(org, { ...texts, phone_number: phones[0], analysis: analysis('tap') });
  await untilCall(made.call_id, ({ ticket_tags }) => ticket_tags?.state === 'failed');
  await helpDesk.settings({ allowedTags: null });
  const refused = await aTicketCall(org, { ...texts, phone_number: phones[1], analysis: analysis('canary') });
  await untilCall(refused.call_id, ({ ticket_work }) => ticket_work === 'done');
  await helpDesk.fault({ route: 'POST /api/v1/contacts', kind: 'too-many-requests', containing: phones[2] });
  const waiting = await aTicketCall(org, { ...texts, phone_number: phones[2], analysis: analysis('tap') });
  await untilCall(waiting.call_id, ({ ticket_error, ticket }) => ticket_error !== undefined || ticket !== undefined);

  const tokens = (await crmB.grants()).flatMap(({ token, access }) =>
    [token, ...access.map((each) => each.token)].filter((each) => each !== null),
  );
  return {
    secrets: [...phones.flatMap((phone) => [phone, phone.slice(3)]), ...tokens, 'canary', 'Canary'],
    expected: [
      ['create-ticket', made.call_id, 'waiting_for_refresh'],
      ['create-ticket', connection_id, made.call_id, 'ticket_tags', 'INVALID_DATA'],
      ['create-ticket', connection_id, refused.call_id, 'refuses', 'INVALID_DATA'],
      ['create-ticket', connection_id, waiting.call_id, 'ticket_contact', 'TOO_MANY_REQUESTS'],
    ],
    again: async () => {
      await queueTicket(made.call_id);
    },
  };
}
