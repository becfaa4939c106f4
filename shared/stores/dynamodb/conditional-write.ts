import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';

/** @returns whether a conditional write took place; false where its condition did not hold. @throws what else went wrong. */
export async function tookPlace(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
