import type { Context } from '../platform/context.ts';
import { Invalid } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import { flatten, grammarOf } from '../platform/read/grammar.ts';
import type { Where } from '../platform/read/reader.ts';
import { Job } from './job.entity.ts';
import './job.filters.ts';
import type { PeopleFacetFilter } from './people.lists.ts';

/**
 * People who are part of a job that meets the whole filter: one job, not a different one for every condition.
 * @param on condition between the job `j` and the person's alias
 * @throws Invalid when an id is none
 */
export async function ofJobsThat(
  on: (job: string, person: string) => string,
  filter: PeopleFacetFilter | null | undefined,
  ctx: Context,
  companyId: string,
): Promise<Where> {
  const given = flatten({ ...filter?.job, 'order.dispatchNumberIds': filter?.dispatchNumberIds });
  const conditions: ((p: string) => string)[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, value] of given) {
    const spec = grammarOf(Job).filters[name];
    if (!spec) continue;
    if (spec.cast.startsWith('uuid') && ![value].flat().every(isUuid))
      throw new Invalid([{ model: 'Job', field: `filter.job.${name}`, key: 'not_a_uuid' }]);
    values[name] = spec.value ? await spec.value(value, ctx, companyId) : value;
    // All values travel as one JSON parameter; each is taken out as the type its condition expects.
    const taken = (p: string) =>
      spec.cast.endsWith('[]')
        ? `(array(select jsonb_array_elements_text(${p} -> '${name}')))::${spec.cast}`
        : `(${p} ->> '${name}')::${spec.cast}`;
    conditions.push((p) => spec.sql('j', taken(p)));
  }
  return {
    key: `jobs(${given.map(([name]) => name).join()})`,
    sql: (t, p) =>
      `exists (select 1 from job j where ${on('j', t)} and ${p} is not null ${conditions.map((write) => `and ${write(p)}`).join(' ')})`,
    cast: 'jsonb',
    value: JSON.stringify(values),
  };
}
