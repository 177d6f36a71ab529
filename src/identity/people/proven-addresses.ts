import type { Address } from '../../directory/people/proven-addresses.ts';
import type { User } from '../../directory/people/user.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';
import { mayActAs } from '../access/may-give.ts';
import type { IdentifiedViewer } from '../access/viewer.ts';

/** The column that says whether an address is proven. */
export const PROVEN = { email: 'emailProven', phone: 'phoneProven' } as const;

/** Whether the caller acts for another company that theirs manages: what it enters proves nothing. */
export const entersForAnother = (ctx: Context): boolean => (viewerOf(ctx) as IdentifiedViewer).actsAsManager === true;

/**
 * Notes what an entered address proves, after it was written: of a company that manages theirs, nothing. A person's own company vouches for
 * a new value by entering it, and for the kept one by saving it again.
 */
export async function noteEntered(ctx: Context, user: User, address: Address, before: string | null): Promise<void> {
  const column = PROVEN[address];
  if (!user[address]) user[column] = true;
  else if (user[address] !== before) user[column] = !entersForAnother(ctx);
  else if (!user[column]) user[column] = await mayConfirm(ctx, user);
}

/**
 * Programs send back what they have read, and somebody with fewer permissions must not open the way to more: neither confirms an address.
 */
async function mayConfirm(ctx: Context, user: User): Promise<boolean> {
  const viewer = viewerOf(ctx);
  if (viewer.type !== 'User' || entersForAnother(ctx)) return false;
  if (viewer.id === user.id) return true;
  try {
    await mayActAs(ctx, user);
    return true;
  } catch (error) {
    if (error instanceof Denied) return false;
    throw error;
  }
}
