import { Field, ID, ObjectType } from 'type-graphql';
import { allow, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { Missing } from '../../platform/errors.ts';
import { type Limit, LimitReached, refundAttempt, takePoint } from '../../platform/http/attempt-limits.ts';

/** Finds strangers' companies by their six digits, and reads nothing of them but the name. */
export const PLATFORM_IDS = definePurpose('platform_ids', { company: ['select (id, legal_name, platform_id, discarded_at)'] });

/** The fields of a company that one which is not connected to it may read: enough to see that the six digits were right. */
@ObjectType({ simpleResolvers: true })
export class CompanyName {
  @Field(() => ID) id!: string;
  @Field(() => String) legalName!: string;
}

/**
 * Platform ids that one company may try without a hit in a quarter of an hour. A caller who knows the company needs few, and one who tries
 * ids one by one would find strangers.
 */
export const GUESSES: Limit = { name: 'platform_id', points: 300, seconds: 900 };

/** Any company by its platform id, in either case; undefined when there is none in the caller's world: sandboxes are apart. @throws TooMany for a caller who guesses */
export async function ofPlatform(ctx: Context, platformId: string): Promise<CompanyName | undefined> {
  const wanted = platformId.toUpperCase();
  if (!/^[0-9A-F]{6}$/.test(wanted)) return undefined;
  const { companyId } = viewerOf(ctx);
  await takePoint(ctx.em, GUESSES, companyId).catch((error) => {
    if (ctx.rate && error instanceof LimitReached) ctx.rate.taken = error.taken;
    throw error;
  });
  const pool = await poolOf(ctx.em);
  const { rows } = await runAsPurpose(PLATFORM_IDS, () =>
    pool.query<CompanyName>({
      name: 'company-by-platform-id',
      text: 'select id, legal_name as "legalName" from company where platform_id = $1 and discarded_at is null and world_of(id) is not distinct from world_of($2::uuid)',
      values: [wanted, companyId],
    }),
  );
  if (rows[0]) await refundAttempt(ctx.em, GUESSES, companyId);
  return rows[0];
}

/** The same for a caller who may connect companies. @throws Denied, Missing, TooMany */
export async function companyByPlatformId(ctx: Context, platformId: string): Promise<CompanyName> {
  allow(ctx, 'connect_companies');
  const found = await ofPlatform(ctx, platformId);
  if (!found) throw new Missing();
  return found;
}
