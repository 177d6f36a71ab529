import type { GraphQLResolveInfo } from 'graphql';
import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { limitsOn } from '../../platform/model/limits.ts';
import type { Connection, PageArgs } from '../../platform/read/connection.ts';
import { flatten, grammarOf, NO_COMPANIES, termsOf } from '../../platform/read/grammar.ts';
import type { PageOptions } from '../../platform/read/options.ts';
import { type GuardedRows, guarded, guardedSearch } from '../../platform/read/partner-fields.ts';
import type { Where } from '../../platform/read/reader.ts';
import type { PeopleFacetFilter } from '../drivers/people.lists.ts';
import { Job } from '../model/job.entity.ts';

/** The relation of a record to the job of which it is a part. */
export interface PartOfJob {
  /** Identifies it in a plan's key. */
  key: string;
  /** SQL of the record's id, or of one row for each of several. */
  id: (job: string) => string;
  /** The tables between the two: ` join waypoint w on ...`. */
  through?: string;
}

/**
 * Returns the condition for records that are part of a job of the company which meets the whole filter; a single job has to meet all of it.
 * @param datagrid words that the job must contain, as in its list
 * @throws Invalid for an id that is no uuid
 */
export async function ofJobsThat(
  { key, id: idOf, through = '' }: PartOfJob,
  filter: PeopleFacetFilter | null | undefined,
  ctx: Context,
  companyId: string,
  datagrid?: string | null,
): Promise<Where> {
  const given = flatten({ ...filter?.job, 'order.dispatchNumberIds': filter?.dispatchNumberIds });
  const conditions: ((p: string) => string)[] = [(p) => `(j.company_id = (${p} ->> 'company')::uuid or ${SUBCONTRACTED(p)})`];
  const { id, siteIds, ownRecordsOnly } = viewerOf(ctx);
  const values: Record<string, unknown> = { company: companyId, ...(siteIds && { siteIds }), ...(ownRecordsOnly && { viewerId: id }) };
  // Of jobs that were passed on, only the passed fields are compared.
  const rowsOf = (p: string, companies: () => string): GuardedRows => ({
    entity: Job,
    t: 'j',
    own: () => `(j.company_id = (${p} ->> 'company')::uuid)`,
    companies,
  });
  const { search } = grammarOf(Job);
  const terms = search ? termsOf(datagrid, { model: 'Job', field: 'search.job.datagrid' }) : [];
  for (const [at, term] of terms.entries()) {
    values[`term${at}`] = term;
    const word = (p: string) => `(${p} ->> 'term${at}')`;
    conditions.push((p) => `(${guardedSearch(rowsOf(p, NO_COMPANIES), word(p), search!('j', word(p), NO_COMPANIES))})`);
  }
  for (const [name, value] of given) {
    const spec = grammarOf(Job).filters[name];
    if (!spec) continue;
    if (spec.cast.startsWith('uuid') && ![value].flat().every(isUuid))
      throw new Invalid([{ model: 'Job', field: `filter.job.${name}`, key: 'not_a_uuid' }]);
    values[name] = spec.value ? await spec.value(value, ctx, companyId) : value;
    // All values travel as one JSON parameter; each is read as the type that its condition expects.
    const taken = (p: string) =>
      spec.cast.endsWith('[]')
        ? `(array(select jsonb_array_elements_text(${p} -> '${name}')))::${spec.cast}`
        : `(${p} ->> '${name}')::${spec.cast}`;
    const limits = () => '';
    conditions.push((p) => {
      const companies = () => `array[(${p} ->> 'company')::uuid]`;
      return guarded(rowsOf(p, companies), { name, p: taken(p), limits }, spec.sql('j', taken(p), limits, companies));
    });
  }
  const limits = (p: string): string[] =>
    limitsOn(Job, 'j', {
      sites: siteIds && (() => `array(select jsonb_array_elements_text(${p} -> 'siteIds'))::uuid[]`),
      person: ownRecordsOnly ? () => `(${p} ->> 'viewerId')::uuid` : undefined,
    });
  return {
    key: `${key}(${given.map(([name]) => name).join()};${terms.length})`,
    // The jobs are read once, not once for each record.
    sql: (t, p) =>
      `${t}.id in (select ${idOf('j')} from job j${through} where ${[...conditions.map((write) => write(p)), ...limits(p)].join(' and ')})`,
    cast: 'jsonb',
    value: JSON.stringify(values),
  };
}

interface FacetArgs extends PageArgs {
  companyId?: string | null;
  filter?: PeopleFacetFilter | null;
  facet?: { search?: { query?: string | null } | null } | null;
}

/**
 * Returns a page of the records that are part of jobs which meet the filter, by name.
 * @param words that the jobs must contain, as in their list
 */
export async function facetPage<T extends object>(
  ctx: Context,
  info: GraphQLResolveInfo,
  entity: new () => T,
  part: PartOfJob,
  args: FacetArgs,
  { words, where = [], ...more }: Pick<PageOptions, 'ranked' | 'shared' | 'where'> & { words?: string | null } = {},
): Promise<Connection<T>> {
  const { filter, facet, ...of } = args;
  const { updatedSince, ...meant } = filter ?? {};
  const jobs = await ofJobsThat(part, meant, ctx, companyOf(ctx, of.companyId), words);
  const search = facet?.search ?? null;
  return ctx.read.page(entity, info, { ...of, sort: { name: 'asc' }, search, filter: { updatedSince }, ...more, where: [...where, jobs] });
}

/** The condition for work that was passed on to the company of the list. */
const SUBCONTRACTED = (p: string): string =>
  `exists (select 1 from job_assignment a where a.job_id = j.id and a.vendor_company_id = (${p} ->> 'company')::uuid)`;
