import type { TestApp } from '../helpers/app.ts';

/** Days by which positions become older. */
const AGED = 40;

/**
 * Makes the positions that a company got during the last day {@link AGED} days older, and keeps their months, which nobody else may have
 * positions of on that day of the year.
 * @returns how many there are
 */
export async function agePositions(app: TestApp, companyId: string): Promise<number> {
  const em = app.orm.em.fork();
  for (const days of [AGED, AGED + 1]) await em.execute(`select keep_part('location_history', now() - ? * interval '1 day')`, [days]);
  const aged = await em.execute<object[]>(
    `update location_history set occurred_at = occurred_at - ? * interval '1 day'
     where company_id = ? and occurred_at > now() - interval '1 day' returning id`,
    [AGED, companyId],
  );
  return aged.length;
}
