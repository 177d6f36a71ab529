import type { EntityMetadata } from '@mikro-orm/core';
import type { Query } from '../../database/sql.ts';
import type { Run } from '../run.ts';
import { logArchivedOf, type Past, PRESENT, PRESENT_TIME, type Present, refusal, refuseFuture, rewoundAll } from './as-of.ts';
import { lastValuesSql } from './past-sql.ts';

type Meta = EntityMetadata<unknown>;

const deletedSql = (meta: Meta): string => `select ${PRESENT('t')}, ${PRESENT_TIME('d.company_id')} as now
  from (select r.company_id, r.subject_id as id, r.made_at as created_at, r.deleted_at, r.entry_id from deleted_record r
    where r.company_id = any($2::uuid[]) and r.subject_type = $3 and r.subject_id = $1::uuid and r.deleted_at > $4) d ${lastValuesSql(meta, 't')}`;

/**
 * Finds a record that was deleted after an instant, as lists of the past have it.
 * @returns as it was last, and the values that it had at the instant where they were others; undefined if the companies had no such record then
 * @throws Invalid with the field `asOf` where the log does not say
 */
export async function rewoundDeleted(
  ask: Query,
  meta: Meta,
  { id, companyIds, at }: Past,
): Promise<Required<Pick<Run, 'was' | 'last'>> | undefined> {
  // A company has no company, and nobody deletes one.
  if (!meta.properties['company' as never]) return undefined;
  const [found] = await ask<Present & { now: number }>(deletedSql(meta), [id, companyIds, meta.className, at]);
  if (!found || at.getTime() < Math.floor(found.made)) return undefined;
  refuseFuture(meta, at, found.now);
  const { was, unknown } = (await rewoundAll(ask, meta, [found], at, await logArchivedOf(ask, [found.company]))).get(found.id)!;
  if (was && unknown.length > 0) throw refusal(meta, 'as_of_untold', { columns: unknown.join(', ') });
  return was && { was, last: found.row };
}
