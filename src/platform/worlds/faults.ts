/** The header by which a caller in a sandbox says what is to go wrong. */
export const FAULT_HEADER = 'X-Sandbox-Fault';
/** The faults that can be had on request. */
export const FAULTS = ['503', 'timeout', 'duplicate-webhook'] as const;

/** What is kept with an answer while it is made. */
interface Answering {
  locals: Record<string, unknown>;
}

/** Notes that an answer fails because its caller in a sandbox wants that. */
export function noteAskedFor(res: Answering): void {
  res.locals.askedFor = true;
}

/** Whether an answer fails because its caller in a sandbox wants that. */
export const isAskedFor = (res: Answering): boolean => res.locals.askedFor === true;
