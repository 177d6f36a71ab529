import type { Context } from '../../platform/context.ts';
import { foldEmail } from '../../platform/email.ts';
import {
  type Limit,
  LimitReached,
  networkOf,
  refundAttempt,
  requirePoint,
  resetPoints,
  type Taken,
  takePoint,
  tightestLimit,
} from '../../platform/http/attempt-limits.ts';
import { identitySettings } from '../settings.ts';

const MINUTE = 60;
/** Limits by action, for one account from one place, and for one account from anywhere. */
const LIMITS = {
  // The second is wider, so that a stranger who knows an address cannot lock its owner out with a few guesses.
  login: { here: { points: 10, seconds: 5 * MINUTE }, anywhere: { points: 50, seconds: 15 * MINUTE } },
  // Each request sends something to somebody.
  request: { here: { points: 5, seconds: 15 * MINUTE }, anywhere: { points: 10, seconds: 60 * MINUTE } },
  code: { here: { points: 10, seconds: 10 * MINUTE }, anywhere: { points: 10, seconds: 10 * MINUTE } },
} as const;

/**
 * Slows down callers who guess secrets or have mails sent. It runs before anything is looked up, and so equally for accounts that exist and
 * that do not. Attempts are counted for the client's network and, where there is one, for the account.
 * @param account e-mail address, telephone number or id as the client wrote it
 * @throws TooMany
 */
export async function consumeAttempt(ctx: Context, kind: keyof typeof LIMITS | 'token', account = ''): Promise<void> {
  await refusing(ctx, async () => {
    const address = networkOf(ctx.client?.address ?? '');
    const limits = [networkLimit(ctx, address)];
    if (kind !== 'token') limits.push(...accountLimits(kind, address, account));
    const taken: Taken[] = [];
    for (const [limit, key] of limits) taken.push(await takePoint(ctx.em, limit, key));
    if (ctx.rate) ctx.rate.taken = tightestLimit(taken);
  });
}

/**
 * Called after a successful sign-in: it was no guess, and the failures of the account from this network are forgotten. Of many people
 * behind one address, such as telephones of one carrier, none is kept out because the others signed in or went on.
 */
export async function resetAttempts(ctx: Context, kind: keyof typeof LIMITS | 'token', account = ''): Promise<void> {
  if (!identitySettings.of(ctx.em).limitSignIns) return;
  const address = networkOf(ctx.client?.address ?? '');
  if (kind !== 'token') {
    const [here, anywhere] = accountLimits(kind, address, account);
    await resetPoints(ctx.em, ...here!);
    await refundAttempt(ctx.em, ...anywhere!);
  }
  await refundAttempt(ctx.em, ...networkLimit(ctx, address));
}

/**
 * Counts a code before it is compared: over all codes that were sent to its number, from wherever they are tried, and over all numbers that
 * are tried from one network. Six digits are few, and limits by minutes alone would allow twenty times as many tries in a day.
 * @param number to which the code was sent, or would be if it belonged to somebody
 * @throws TooMany
 */
export function consumeCodeAttempt(ctx: Context, number: string): Promise<void> {
  return refusing(ctx, async () => {
    for (const [limit, key] of codeLimits(ctx, number)) await takePoint(ctx.em, limit, key);
  });
}

/** The code was the right one: it does not count. */
export async function refundCodeAttempt(ctx: Context, number: string): Promise<void> {
  if (!identitySettings.of(ctx.em).limitSignIns) return;
  for (const [limit, key] of codeLimits(ctx, number)) await refundAttempt(ctx.em, limit, key);
}

/** Refuses to send a code to a number that takes none any more today. @throws TooMany */
export function refuseLocked(ctx: Context, number: string): Promise<void> {
  return refusing(ctx, () => requirePoint(ctx.em, WRONG_CODES, number));
}

const DAY = 86_400;
const WRONG_CODES: Limit = { name: 'wrong_codes_number', points: 20, seconds: DAY };

function codeLimits(ctx: Context, number: string): [Limit, string][] {
  const network: Limit = { name: 'wrong_codes_network', points: identitySettings.of(ctx.em).wrongCodesPerAddress, seconds: DAY };
  return [
    [network, networkOf(ctx.client?.address ?? '')],
    [WRONG_CODES, number],
  ];
}

/** Does what may meet a limit; the answer's headers say which. */
async function refusing(ctx: Context, work: () => Promise<void>): Promise<void> {
  if (!identitySettings.of(ctx.em).limitSignIns) return;
  try {
    await work();
  } catch (error) {
    if (ctx.rate && error instanceof LimitReached) ctx.rate.taken = error.taken;
    throw error;
  }
}

function networkLimit({ em }: Context, address: string): [Limit, string] {
  return [{ name: 'sign_in', points: identitySettings.of(em).signInsPerAddress, seconds: 5 * MINUTE }, address];
}

function accountLimits(kind: keyof typeof LIMITS, address: string, account: string): [Limit, string][] {
  // In the form in which accounts are looked up: one account there is one key here, so that no other spelling of an address allows further
  // guesses.
  const name = foldEmail(account);
  return [
    [{ name: `${kind}_here`, ...LIMITS[kind].here }, `${address} ${name}`],
    [{ name: `${kind}_anywhere`, ...LIMITS[kind].anywhere }, name],
  ];
}
