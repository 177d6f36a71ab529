import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn, queryOf } from '../../platform/database/sql.ts';
import { type Attempt, refusalOf } from '../../platform/errors.ts';
import { closedThroughSql } from '../access/closed-books.ts';

/** Milliseconds of the shortest day: clocks spring forward by one hour, in Antarctica by two. */
const SHORTEST_DAY = 22 * 3_600_000;

/** Work of a company, by the day on which it counts: a local date, or that of the start of a job or of another instant. */
export interface DatedWork {
  companyId: string;
  day?: string;
  jobId?: string | undefined;
  at?: Date | undefined;
}

/** SQL of the instant so many minutes after the end of the week of day `d.day` of company `c`; `s` are its settings. */
const minutesAfter = (setting: string): string =>
  `((d.day + 7 - (extract(dow from d.day)::int - ${settingSql('s', 'periodStartsOn')} + 7) % 7)::timestamp + ${settingSql('s', setting)} * interval '1 minute')
    at time zone c.time_zone`;

const OF = `from company c join company_settings s on s.id = c.id and s.periods_reviewed`;
const REVIEWED = (setting: string): string => `select r.since ${OF}
  cross join lateral (select coalesce($2::date, (coalesce((select j.job_start_at from job j where j.id = $3), $4::timestamptz) at time zone c.time_zone)::date) as day) d
  cross join lateral (select ${minutesAfter(setting)} as since) r
  where c.id = $1 and r.since <= $5 and d.day > coalesce(${closedThroughSql('c.id')}, '-infinity')`;

/**
 * Refuses to change work, or what is billed for it, of a week that is reviewed (BILLING B10), in companies that chose so: dispatchers change it up to one
 * hour, who bills up to a later one, and company administrators until its books are closed. What a closed week has left over counts in the open one, and
 * is free.
 * @param of the record that is changed, and what is attempted where the contract answers 409
 * @throws Invalid or Conflict
 */
export async function refuseReviewed(
  tx: TxContext,
  { model, attempt }: { model: string; attempt?: Attempt | undefined },
  { companyId, day, jobId, at }: DatedWork,
): Promise<void> {
  const { viewer } = tx;
  if (!viewer || viewer.roles.includes('company_admin')) return;
  // A review begins a day after its week at the earliest.
  if (at && !jobId && tx.tx.now.getTime() - at.getTime() < SHORTEST_DAY) return;
  const setting = viewer.can('edit_invoice') ? 'billingReviewMinutes' : 'workReviewMinutes';
  const values = [companyId, day ?? null, jobId ?? null, at ?? null, tx.tx.now];
  const [found] = await queryIn<{ since: string | Date }>(tx.em, REVIEWED(setting), values);
  if (!found) return;
  throw refusalOf({ model, field: '', key: 'period_in_review', params: { since: new Date(found.since).toISOString() } }, attempt);
}

const DEADLINES = `select ${minutesAfter('workReviewMinutes')} as work, ${minutesAfter('billingReviewMinutes')} as billing ${OF}
  cross join lateral (select $2::date as day) d where c.id = $1`;

/** Returns from when on the work of the week of a day is not changed any more by dispatchers, and by who bills; null in companies that did not choose so. */
export async function deadlinesOf(ctx: Context, companyId: string, day: string): Promise<{ work: Date; billing: Date } | null> {
  const [found] = await queryOf<{ work: string | Date; billing: string | Date }>(ctx, DEADLINES, [companyId, day]);
  return found ? { work: new Date(found.work), billing: new Date(found.billing) } : null;
}
