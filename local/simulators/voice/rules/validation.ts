import type * as z from 'zod';
import { type CreateCall, createCallSchema, updateCallSchema } from '../create-call.ts';
import { problem } from './problems.ts';

/** Members of the vendor's API that are not simulated. They are refused, so that they do not appear to work. */
const notSimulated = [
  'customers',
  'customerId',
  'schedulePlan',
  'squadId',
  'squad',
  'squadOverrides',
  'workflowId',
  'workflow',
  'workflowOverrides',
] as const;

/** Reads the body of POST /call. @throws Problem if the vendor would refuse it */
export function readCreateCall(body: unknown): CreateCall {
  const value = read(createCallSchema, body);
  const unsupported = notSimulated.find((key) => value[key] !== undefined);
  if (unsupported) throw problem(501, `${unsupported} is not simulated`);
  if (value.assistantId === undefined && value.assistant === undefined)
    throw problem(400, "Couldn't Get Assistant. Need Either `assistant` Or `assistantId`.");
  if (value.assistantVersion != null && value.assistantId === undefined)
    throw problem(400, 'assistantVersion is only supported with assistantId');
  if (value.phoneNumberId === undefined && value.phoneNumber === undefined)
    throw problem(400, "Couldn't Get Phone Number. Need Either `phoneNumber` Or `phoneNumberId`.");
  if (value.customer?.number === undefined)
    throw problem(400, "Couldn't Get Customer. Need Either `customer` Or `customerId`.");
  return value;
}

/** Reads the body of PATCH /call/{id}, which changes only the name. @throws Problem if it is invalid */
export const readUpdateCall = (body: unknown): { name?: string | undefined } => read(updateCallSchema, body);

function read<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const result = schema.safeParse(body);
  if (!result.success) throw problem(400, result.error.issues.flatMap(messagesOf));
  return result.data;
}

function messagesOf(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${path && `${path}.`}property ${key} should not exist`);
  return [issue.message.startsWith('each value') ? issue.message : `${path} ${issue.message}`.trim()];
}
