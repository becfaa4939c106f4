import { conversationOf } from '../../../../shared/domain/calls/conversation.ts';
import { aCall, aCalledLead } from '../../support/call.ts';
import { anAssistant } from '../../support/items.ts';

const assistant = anAssistant({
  prompt: 'Speak to {{First_Name|the customer}} about {{order}}.',
  first_message: 'Hello {{First_Name|there}}!',
  voice: 'Elliot',
  language: 'hi',
  transfer_number: '+919812300000',
  max_duration_seconds: 300,
});

describe('the conversation of a call', () => {
  it("uses the client's metadata", () => {
    const call = aCall({ request_metadata: { First_Name: 'Ravi', order: 17, nested: { order: 18 } } });
    expect(conversationOf(call, assistant, [])).toMatchObject({
      prompt: 'Speak to Ravi about 17.',
      firstMessage: 'Hello Ravi!',
    });
  });

  it("uses the lead's fields and not the metadata, and describes the lead to the assistant", () => {
    const lead = aCalledLead({ fields: { FirstName: 'Ravi', mx_City: 'Pune' } });
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
