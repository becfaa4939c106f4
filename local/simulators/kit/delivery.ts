/** The receiver's status, or the reason why there is none. */
export type DeliveryAnswer = number | 'timeout' | 'unreachable';

/** Posts JSON to a receiver. @param resetSignal aborted when the simulator is reset. */
export async function deliver(
  url: string,
  body: string,
  {
    headers,
    timeoutSeconds,
    resetSignal,
  }: { headers?: Record<string, string>; timeoutSeconds: number; resetSignal: AbortSignal },
): Promise<DeliveryAnswer> {
  const timeout = AbortSignal.timeout(1000 * timeoutSeconds);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, resetSignal]),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return timeout.aborted ? 'timeout' : 'unreachable';
  }
}
