import { deepStrictEqual } from 'node:assert/strict';
import { median } from '../drive.ts';
import type { Measuring } from './measuring.ts';
import { backendsOf, processorTime, timeOfEnded } from './processor-time.ts';

/** Groups of a page over REST. */
const PAGE = 100;

/**
 * Completed loads and what they delivered, by day and by the site of their pickup: the first page of groups, by day and name, as somebody writes it who
 * knows that each load has one stop of each kind and one unit. Groups of loads of which none is completed are there, too, as the metric has them.
 */
const BY_HAND = `with g as (
    select (j.job_start_at at time zone c.time_zone)::date as day, ps.site_id as site,
      case when k.id is null then coalesce(l.unit_of_measure, j.load_unit_of_measure, j.unit_of_measure) else k.unit_of_measure end as unit,
      count(*) filter (where l.state = 'completed') as loads, sum(coalesce(k.quantity, l.quantity)) filter (where l.state = 'completed') as delivered
    from company c join job j on j.company_id = c.id join load l on l.job_id = j.id
      left join ticket k on k.load_id = l.id and k.voided_at is null and k.quantity is not null
      left join waypoint ps on ps.route_id = l.route_id and ps.type = 'pickup'
    where c.id = $1 group by 1, 2, 3)
  select g.day::text as day, s.name as site, sum(g.loads)::text as loads, max(g.delivered)::text as delivered from g left join site s on s.id = g.site
  group by g.day, g.site, s.name order by g.day, lower(s.name), g.site limit ${PAGE}`;

interface Group {
  keys: { value: string | null; label: string | null }[];
  values: { measure: string; value: string | null }[];
}

/** Asks for a metric over all loads of a company by day and site, in turns with SQL that was written by hand. Both answer the same. */
export async function measureMetric({ pool, base, child, token, companyId, rounds, say }: Measuring): Promise<void> {
  const path = `/v1/companies/${companyId}/metrics?measures[]=loads&measures[]=delivered_quantity&group_by[]=day&group_by[]=pickup_site&page[limit]=${PAGE}`;
  const ask = async (): Promise<Group[]> => {
    const answer = await fetch(new URL(path, base), { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`metrics answer ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: Group[] }).data;
  };
  const byHand = async () => (await pool.query<{ day: string; site: string; loads: string; delivered: string }>(BY_HAND, [companyId])).rows;
  // Both once, so that each has what it keeps.
  const [shown, written] = [await ask(), await byHand()];
  const numberOf = ({ values }: Group, measure: string) => Number(values.find((one) => one.measure === measure)?.value ?? 0);
  deepStrictEqual(
    shown.map((group) => [group.keys[0]!.value, group.keys[1]!.label, numberOf(group, 'loads'), numberOf(group, 'delivered_quantity')]),
    written.map(({ day, site, loads, delivered }) => [day, site, Number(loads), Number(delivered)]),
    'the metric is another one than by hand',
  );
  const took: { product: number; hand: number; cpu: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const [{ pid }] = (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows as [{ pid: number }];
    const own = processorTime([pid]) + timeOfEnded(pid);
    let began = performance.now();
    await byHand();
    const hand = performance.now() - began;
    const handUsed = processorTime([pid]) + timeOfEnded(pid) - own;
    const others = [child.pid!, ...(await backendsOf(pool))];
    const before = processorTime(others) + timeOfEnded(pid);
    began = performance.now();
    await ask();
    const product = performance.now() - began;
    const used = processorTime(others) + timeOfEnded(pid) - before;
    took.push({ product, hand, cpu: used / handUsed });
    say(`  metric ${product.toFixed(0)} ms (${used} ms of processor time), by hand ${hand.toFixed(0)} ms (${handUsed} ms)`);
  }
  const [{ count }] = (await pool.query<{ count: number }>('select count(*)::int as count from load where company_id = $1', [companyId]))
    .rows as [{ count: number }];
  const ratio = median(took.map((one) => one.product / one.hand)).toFixed(2);
  say(
    `a metric over ${count} loads by day and site: ${ratio} times the SQL by hand (target 1.2); in processor time, with parallel workers, ${median(took.map(({ cpu }) => cpu)).toFixed(2)} times`,
  );
}
