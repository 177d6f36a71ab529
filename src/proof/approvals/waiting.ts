import { Job } from '../../dispatch/model/job.entity.ts';
import { receivesIn, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { grammarOf, NO_COMPANIES, termsOf } from '../../platform/read/grammar.ts';
import { guardedSearch } from '../../platform/read/partner-fields.ts';
import type { Where } from '../../platform/read/reader.ts';
import { APPROVABLE_JOB } from './approve.ts';
import { asWhat } from './flags.ts';

/**
 * Finished work that the caller can approve: nobody of their company has approved it in their category, and the order is running or over (DOMAIN
 * 1.4). A caller who approves only own records gets only those.
 */
export function waitingFor(ctx: Context, model: 'Job' | 'Load'): Where[] {
  const viewer = viewerOf(ctx);
  const permission = model === 'Job' ? 'approve_job' : 'approve_load';
  const column = { driver: 'driver_approved', foreman: 'field_approved_at' }[asWhat(viewer, {}) as 'driver'] ?? 'billing_approved_at';
  const receives = receivesIn(viewer, viewer.companyIds);
  const job = (t: string) => (model === 'Job' ? t : 'j');
  const finished = model === 'Job' ? `in ('${APPROVABLE_JOB.join("', '")}')` : `= 'completed'`;
  const approved = (t: string) => (column === 'driver_approved' ? `${t}.${column}` : `${t}.${column} is not null`);
  const own = (t: string, p: string) => `(${job(t)}.driver_id = ${p} or ${p} = any(${job(t)}.foreman_ids))`;
  const reach = (t: string, p: string) => (viewer.can(permission) ? `${p} is not null` : own(t, p));
  return [
    {
      key: `waiting ${model} ${viewer.can(permission)}`,
      sql: (t, p) =>
        `${t}.state ${finished} and ` +
        (model === 'Job'
          ? `exists (select 1 from orders o where o.id = ${t}.order_id and o.state in ('in_progress', 'completed')) and ${reach(t, p)}`
          : `exists (select 1 from job j join orders o on o.id = j.order_id where j.id = ${t}.job_id and o.state in ('in_progress', 'completed') and ${reach(t, p)})`),
      cast: 'uuid',
      value: viewer.id,
    },
    {
      key: `unapproved ${model} ${column} ${receives}`,
      // Work that the caller's companies own is found by an index on it.
      sql: (t, p) =>
        `(${t}.company_id = any(${p}) and not (${approved(t)})${
          receives
            ? ` or ${t}.company_id <> all(${p}) and not exists (
        select 1 from approval_state s where s.approvable_id = ${t}.id and s.approvable_type = '${model}' and s.company_id = any(${p}) and ${approved('s')})`
            : ''
        })`,
      cast: 'uuid[]',
      value: viewer.companyIds,
    },
  ];
}

/** Loads of jobs that a search for jobs finds. Of jobs that were passed on to the caller only what is passed on is searched, as in their list. */
export function ofJobsFound(ctx: Context, text: string | null | undefined): Where[] {
  const { companyIds } = viewerOf(ctx);
  return termsOf(text, { model: 'Job', field: 'search.job.datagrid' }).map((word) => ({
    key: 'job found',
    sql(t, p) {
      const [term, own] = [`(${p})[1]`, () => `(j.company_id = any((${p})[2:]::uuid[]))`];
      const found = guardedSearch(
        { entity: Job, t: 'j', own, companies: NO_COMPANIES },
        term,
        grammarOf(Job).search!('j', term, NO_COMPANIES),
      );
      return `exists (select 1 from job j where j.id = ${t}.job_id and (${found}))`;
    },
    cast: 'text[]',
    value: [word, ...companyIds],
  }));
}
