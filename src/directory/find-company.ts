import { Field, ID, ObjectType } from 'type-graphql';
import { allow } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import { poolOf } from '../platform/database/sql.ts';
import { Missing } from '../platform/errors.ts';

/** What companies that have nothing to do with each other yet may know: enough to see that the six digits were the right ones. */
@ObjectType({ simpleResolvers: true })
export class CompanyName {
  @Field(() => ID) id!: string;
  @Field(() => String) legalName!: string;
}

/** Any company by its platform id, in either case. @throws Denied, Missing */
export async function companyByPlatformId(ctx: Context, platformId: string): Promise<CompanyName> {
  allow(ctx, 'connect_companies');
  const wanted = platformId.toUpperCase();
  if (!/^[0-9A-F]{6}$/.test(wanted)) throw new Missing();
  const pool = await poolOf(ctx.em);
  const { rows } = await pool.query<CompanyName>({
    name: 'company-by-platform-id',
    text: 'select id, legal_name as "legalName" from company where platform_id = $1 and discarded_at is null',
    values: [wanted],
  });
  const [found] = rows;
  if (!found) throw new Missing();
  return found;
}
