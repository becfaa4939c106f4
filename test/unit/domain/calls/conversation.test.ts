import { describe, expect, it } from '@jest/globals';
import { conversationOf } from '../../../../shared/domain/calls/conversation.ts';
import type { Assistant } from '../../../../shared/domain/organizations/assistant.ts';
import { aCall } from '../../support/call.ts';

const assistant: Assistant = {
  assistant_id: 'asst_1',
  org_id: 'org1',
  name: 'Asha',
  prompt: 'Speak to {{First_Name|the customer}} about {{order}}.',
  first_message: 'Hello {{First_Name|there}}!',
  voice: 'Elliot',
  language: 'hi',
  transfer_number: '+919812300000',
  max_duration_seconds: 300,
  knowledge_base: [],
  created_at: '2026-03-01T06:00:00.000Z',
};

describe('the conversation of a call', () => {
  it("uses the client's metadata", () => {
    const call = aCall({ request_metadata: { First_Name: 'Ravi', order: 17, nested: { order: 18 } } });
    expect(conversationOf(call, assistant, [])).toMatchObject({
      prompt: 'Speak to Ravi about 17.',
      firstMessage: 'Hello Ravi!',
    });
  });

  it("uses the lead's fields and not the metadata, and describes the lead to the assistant", () => {
    const lead = {
      crm: 'crm-a' as const,
      connection_id: 'conn_1',
      lead_id: 'lead-1',
      event_id: 'evt_1',
      event: 'new_lead' as const,
      test: false,
      fields: { FirstName: 'Ravi', mx_City: 'Pune' },
    };
    const { prompt, firstMessage } = conversationOf(aCall({ lead, request_metadata: { order: 17 } }), assistant, []);
    expect(firstMessage).toBe('Hello Ravi!');
    expect(prompt).toMatch(/^Speak to Ravi about \.\n/);
    expect(prompt).toContain('<lead>\nFirstName: Ravi\nmx_City: Pune\n</lead>');
  });

  it('adds the knowledge base to the prompt', () => {
    const knowledge = [{ filename: 'prices.txt', text: 'A lamp costs 300 rupees.' }];
    expect(conversationOf(aCall(), assistant, knowledge).prompt).toContain('A lamp costs 300 rupees.');
  });

  it('uses the maximum duration from the placement, even if the assistant has changed', () => {
    const call = aCall({ max_duration_seconds: 600 });
    expect(conversationOf(call, assistant, [])).toMatchObject({
      callId: call.call_id,
      phoneNumber: call.phone_number,
      assistantName: 'Asha',
      voice: 'Elliot',
      language: 'hi',
      transferNumber: '+919812300000',
      maxDurationSeconds: 600,
    });
  });
});
