import { Field, ID, ObjectType } from 'type-graphql';
import { allow } from '../platform/authz/fences.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import type { Context } from '../platform/context.ts';
import { across, definePurpose } from '../platform/database/scope.ts';
import { poolOf, queryIn } from '../platform/database/sql.ts';
import { Missing } from '../platform/errors.ts';

/** Asking who has six digits, of companies that are strangers: their names and nothing else of them. */
export const PLATFORM_IDS = definePurpose('platform_ids', { company: ['select (id, legal_name, platform_id, discarded_at)'] });

/** What companies that have nothing to do with each other yet may know: enough to see that the six digits were the right ones. */
@ObjectType({ simpleResolvers: true })
export class CompanyName {
  @Field(() => ID) id!: string;
  @Field(() => String) legalName!: string;
}

/** The id of the company with these six digits, in either case; undefined when there is none. */
export async function idOfPlatform(tx: TxContext, platformId: string): Promise<string | undefined> {
  const text = 'select id from company where platform_id = $1 and discarded_at is null';
  const [found] = await across(PLATFORM_IDS, () => queryIn<{ id: string }>(tx.em, text, [platformId.toUpperCase()]));
  return found?.id;
}

/** Any company by its platform id, in either case. @throws Denied, Missing */
export async function companyByPlatformId(ctx: Context, platformId: string): Promise<CompanyName> {
  allow(ctx, 'connect_companies');
  const wanted = platformId.toUpperCase();
  if (!/^[0-9A-F]{6}$/.test(wanted)) throw new Missing();
  const pool = await poolOf(ctx.em);
  const { rows } = await across(PLATFORM_IDS, () =>
    pool.query<CompanyName>({
      name: 'company-by-platform-id',
      text: 'select id, legal_name as "legalName" from company where platform_id = $1 and discarded_at is null',
      values: [wanted],
    }),
  );
  const [found] = rows;
  if (!found) throw new Missing();
  return found;
}
