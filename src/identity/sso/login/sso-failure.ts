/**
 * Why a sign-in by a provider did not work, in words for the page: `expired` (too late, or not begun in this browser), `refused` (what
 * the provider says does not hold), `no_account` (nobody of the company), `unavailable` (the provider cannot be asked).
 */
export type SsoReason = 'expired' | 'refused' | 'no_account' | 'unavailable';

/** The message and cause are for the log, never for the browser. */
export class SsoFailure extends Error {
  constructor(
    readonly reason: SsoReason,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** What a sign-in ends with if the answer of the provider is not verified. @throws SsoFailure with what is wrong with it, for the log */
export function answerDoesNotHold(error: unknown): never {
  throw new SsoFailure('refused', "the provider's answer does not hold", error);
}
