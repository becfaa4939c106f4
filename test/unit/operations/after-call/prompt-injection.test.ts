import type { BedrockRuntimeClient, ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime';
import { ANSWER_TOOL } from '../../../../shared/domain/after-call/analysis/analysis-answer.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { conversationOf } from '../../../../shared/domain/calls/conversation/conversation.ts';
import { spokenName } from '../../../../shared/domain/text/spoken-name.ts';
import { bedrockAnalyst } from '../../../../shared/integrations/model/bedrock.ts';
import { createCallBody } from '../../../../shared/integrations/voice/vapi/create-call.ts';
import { type Injection, injections, others, PLANTED } from '../../../support/after-call/injections.ts';
import { aCall, aCalledLead } from '../../support/call.ts';
import { aCrmBSync } from '../../support/crm-b-sync.ts';
import { anEndedCall } from '../../support/ended-call.ts';
import { aHelpDesk, everything } from '../../support/help-desk.ts';
import { anAssistant, anOrg } from '../../support/worlds/items.ts';

const MARK = 'b7c1';
const described = (properties: object) => ({ type: 'object', properties });
const analysis_schema = described({
  city: { type: 'string' },
  lead: { anyOf: [described({ city: { type: 'string' } }), { type: 'null' }] },
  visits: { type: 'array', items: { oneOf: [described({ day: { type: 'string' } })] } },
});
const asked = anAssistant({ analysis_schema, transfer_number: '+918000000001', first_message: 'Namaste {{name|ji}}.' });

const harmless = {
  ...{ summary: 'A leak.', success_eval: 'failure', sentiment: 'negative', lead_intent: 'complaint' },
  ...{ issue_summary: 'The box leaks.', do_not_call: false, structured_data: {} },
};
const answerTo = ({ answer, input = { ...harmless, ...answer } }: Injection) => input;

/** A model that obeys the transcript. */
function anObedientModel(injection: Injection) {
  const requests: ConverseCommandInput[] = [];
  const uses = [...(injection.calls ?? []), { name: ANSWER_TOOL, input: answerTo(injection) }];
  const content = uses.map((use, at) => ({ toolUse: { toolUseId: `use-${at}`, ...use } }));
  const client = {
    send: async ({ input }: { input: ConverseCommandInput }) => {
      requests.push(input);
      return { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use' };
    },
  } as unknown as BedrockRuntimeClient;
  return { requests, analyst: bedrockAnalyst({ client, modelId: 'm', timeoutMs: 60_000, newMark: () => MARK }) };
}

/** An analyzed call whose model obeyed, beside a call of another organization. */
async function obeyed(injection: Injection) {
  const world = anEndedCall();
  world.put('assistants', asked);
  world.put('organizations', anOrg({ org_id: others.org }));
  world.putCall(aCall({ call_id: others.call, org_id: others.org, phone_number: others.phone }));
  world.transcript = `AI: Namaste.\nUser: ${injection.text}\n`;
  const { requests, analyst } = anObedientModel(injection);
  world.deps.analyst = analyst;
  const beside = () =>
    (['organizations', 'assistants', 'connections', 'credit-ledger', 'audit', 'claims', 'activity'] as const)
      .flatMap((table) => world.all(table))
      .concat(world.all('calls').filter(({ call_id }) => call_id === others.call));
  const before = structuredClone({ beside: beside(), call: world.stored() });
  await world.analyze();
  return { world, requests, before, beside };
}

it('the corpus has 60 attacks', () => {
  expect(new Set(injections.map(({ text }) => text)).size).toBeGreaterThanOrEqual(60);
});

describe.each(injections.map((injection) => [injection.what, injection] as const))('%s', (_what, injection) => {
  it('is sent to the model as data of its only question, with one tool', async () => {
    const { requests } = await obeyed(injection);
    const { requests: usual } = await obeyed({ what: 'nothing', text: 'Hello.' });
    for (const { system, messages = [], toolConfig } of requests) {
      expect([system, toolConfig]).toEqual([usual[0]?.system, usual[0]?.toolConfig]);
      expect(toolConfig?.tools).toMatchObject([{ toolSpec: { name: ANSWER_TOOL } }]);
      const said = JSON.stringify(injection.text).slice(1, -1);
      const [first, ...rest] = messages.map((message) => JSON.stringify(message));
      expect(first?.split(`</transcript-${MARK}>`)).toHaveLength(2);
      expect(first?.indexOf(said)).toBeLessThan(first?.indexOf(`</transcript-${MARK}>`) ?? 0);
      expect(rest.filter((message) => message.startsWith('{"role":"user"')).join()).not.toContain(PLANTED);
    }
  });

  it('changes only the analysis of its own call, within the schema', async () => {
    const { world, before, beside } = await obeyed(injection);
    const { call_id, org_id, phone_number: phone } = world.call;
    const wants = (answerTo(injection) as { do_not_call?: unknown } | null)?.do_not_call === true;
    expect(world.list()).toEqual(wants ? [{ org_id, phone, call_id, added_at: world.now }] : []);
    expect(beside()).toEqual(before.beside);
    const { analysis, analyzed_at: _, do_not_call_at: _at, ...rest } = world.stored();
    const { analysis: _analysis, ...known } = before.call;
    expect(rest).toEqual(known);
    expect(world.messages).toEqual([]);

    const { result, ...state } = analysis ?? {};
    expect(Object.keys(harmless)).toEqual(expect.arrayContaining(Object.keys(result ?? harmless)));
    expect(state).toEqual(result ? { state: 'done' } : { state: 'pending' });
    const data = result?.structured_data ?? {};
    expect(['city', 'lead', 'visits']).toEqual(expect.arrayContaining(Object.keys(data)));
    expect(['city']).toEqual(expect.arrayContaining(Object.keys(data.lead ?? {})));
    for (const visit of (data.visits ?? []) as object[]) expect(Object.keys(visit)).toEqual(['day']);
    expect(JSON.stringify(result ?? {}).length).toBeLessThan(20_000);
  });

  const all = '{lead_intent}{issue_summary}{summary}{city}{lead}{visits}{departmentId}{org_id}{metadata}{prompt}';
  const settings = { ...everything, subject_template: all, description_template: `${all}{transcript}` };

  it('creates at most a ticket of its own call, without markup and in the department of the settings', async () => {
    const analysis = (await obeyed(injection)).world.stored().analysis as Call['analysis'];
    const desk = aHelpDesk({ call: { analysis }, settings });
    desk.transcript = async () => `User: ${injection.text}`;
    await desk.run();
    const own = desk.call().phone_number;
    for (const { fields, org } of desk.tickets) {
      expect({ org, ...fields }).toEqual({
        ...{ org: '60001', departmentId: '7000001', phone: own, priority: 'High' },
        ...{ subject: expect.not.stringMatching(/[<>\r\n]/), description: expect.not.stringMatching(/[<>\0]/) },
      });
    }
    expect(desk.tickets.length).toBe(analysis?.result?.lead_intent === 'complaint' ? 1 : 0);
    expect(desk.contacts.map(({ phone }) => phone)).toEqual(desk.tickets.map(() => own));
    expect(desk.comments.join()).not.toMatch(/[<>]/);
  });

  it('becomes a note without markup', async () => {
    const crm = aCrmBSync();
    crm.transcript = async () => `User: ${injection.text}`;
    await crm.run();
    expect(crm.contents).toHaveLength(2);
    expect(JSON.stringify(crm.contents)).not.toMatch(/[<>]/);
  });

  it('in a form or a document gives the voice assistant no number, no tool and no sentence to say', () => {
    const { text } = injection;
    const talkOf = (said: string, knowledge: string) => {
      const fields = { First_Name: said, Notes: said, [said]: said };
      const documents = [{ filename: `${knowledge}.txt`, text: knowledge }];
      const call = aCall({ lead: aCalledLead({ fields }) });
      const conversation = conversationOf(call, asked, documents, () => MARK);
      const reports = { url: 'https://svc.example', headers: {} };
      return createCallBody({ ...conversation, voiceNumberId: undefined, reports }, 'number-1');
    };
    const [usual, attacked] = [talkOf('Asha', 'Open 9-17.'), talkOf(text, text)];
    const { firstMessage, model, ...rest } = attacked.assistant;
    const { firstMessage: usualMessage, model: usualModel, ...usualRest } = usual.assistant;
    expect({ ...attacked, assistant: rest }).toEqual({ ...usual, assistant: usualRest });
    expect(usualMessage).toBe('Namaste Asha.');
    expect(firstMessage).toBe(`Namaste ${spokenName(text) || 'ji'}.`);
    const { messages, ...tools } = model;
    const { messages: usualMessages, ...usualTools } = usualModel;
    expect(tools).toEqual(usualTools);
    const [prompt, usualPrompt] = [messages, usualMessages].map(([message]) => message?.content ?? '');
    const start = (of: string) => of.slice(0, of.indexOf('<lead-'));
    expect(start(prompt ?? '')).toBe(start(usualPrompt ?? ''));
    for (const mark of ['reference', 'lead', 'document'])
      expect(prompt?.match(new RegExp(`<\\s*/\\s*${mark}\\b`, 'gi'))).toHaveLength(mark === 'reference' ? 2 : 1);
  });
});
