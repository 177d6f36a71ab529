import type { Pool } from 'pg';
import { Field, ID, ObjectType } from 'type-graphql';
import { RateOwnerType as Owners, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { RateType } from '../../directory/master-data/units.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Missing } from '../../platform/errors.ts';
import { isOwnersSide } from '../access/job.policy.ts';
import { Job } from '../model/job.entity.ts';
import { JOB_FINISHED } from '../model/states.ts';
import { notedRates } from './rate-source.ts';
import { type RateRow, RateSource, rateStatement } from './rate-statement.ts';

@ObjectType({ description: 'The rate that applies to a side of a job, and its source.' })
export class AppliedRate {
  @Field(() => RateSource) source!: RateSource;
  @Field(() => ID, { nullable: true, description: 'The rate card; null for a bare value.' }) rateId?: string | null;
  @Field(() => String, { nullable: true }) rateName?: string | null;
  @Field(() => RateType, { nullable: true }) rateType?: RateType | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'The value of the rate card, or the bare value, which takes precedence.' })
  value?: Decimal | null;
  @Field(() => [String], {
    description: 'The conditions by which a rate card was chosen, apart from its side: account, driver, project, primary, and so on.',
  })
  matched!: string[];
}

@ObjectType({ description: 'The rate that applies to each side of a job; null if there is none, or if the viewer may not see it.' })
export class AppliedRates {
  @Field(() => AppliedRate, { nullable: true }) customer?: AppliedRate | null;
  @Field(() => AppliedRate, { nullable: true }) vendor?: AppliedRate | null;
  @Field(() => AppliedRate, { nullable: true }) driver?: AppliedRate | null;
}

/** Returns the rates of a job, with the source of each. They are visible to the owner's side only: a vendor gets none. @throws Missing */
export async function appliedRates(ctx: Context, jobId: string, companyId?: string | null): Promise<AppliedRates> {
  const viewer = viewerOf(ctx);
  const job = await find(ctx, Job, jobId, { companyId });
  if (!isOwnersSide(viewer, job)) throw new Missing();
  const pool = await poolOf(ctx.em);
  // The price is fixed when the work is done (DOMAIN 3.3).
  const noted = JOB_FINISHED.includes(job.state) ? await notedRates(pool, job.id) : undefined;
  const found: AppliedRates = {};
  for (const side of Object.values(Owners)) {
    const ownPay = side === 'driver' && job.driver?.id === viewer.id && viewer.can('view_driver_rates:own');
    if (!viewer.can(`view_${side}_rates`) && !ownPay) continue;
    const row = noted ? noted[side] : await workedOut(pool, side, job.id);
    found[side] = row ? toApplied(row) : null;
  }
  return found;
}

async function workedOut(pool: Pool, side: RateOwnerType, jobId: string): Promise<RateRow | undefined> {
  const { rows } = await pool.query<RateRow>({ name: `applied_${side}_rate`, text: STATEMENTS[side], values: [jobId] });
  return rows[0];
}

const STATEMENTS = Object.fromEntries(Object.values(Owners).map((side) => [side, rateStatement(side, '$1')])) as Record<
  RateOwnerType,
  string
>;

const toApplied = ({ source, rate_id, rate_name, rate_type, value, matched }: RateRow): AppliedRate => ({
  source,
  rateId: rate_id,
  rateName: rate_name,
  rateType: rate_type,
  value: value ? new Decimal(value) : null,
  matched,
});
