import { expect, test } from '@jest/globals';
import { localDate } from '../../../src/platform/time.ts';
import { newSandboxId } from '../../../src/platform/worlds/sandbox-ids.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { app, follow, sql, tenant } from './following.ts';

const ZONE = 'America/Chicago';

test('a day board without a date goes on to the next day, although nothing on it has changed', async () => {
  // A company with a clock of its own, which is moved over midnight.
  const id = newSandboxId();
  const at = await makeTenant(app, { company: { id, timeZone: ZONE } });
  await sql(
    `insert into sandbox (id, company_id, name, administrator, client_id, ends_at) values (?, ?, 'Night', 'night@example.com', ?, now() + interval '1 day')`,
    [id, tenant.company.id, `hg_${id}`],
  );
  const today = await follow('subscription { dayBoardChanged { date } }', {}, at.token);
  const first = localDate(new Date(), ZONE);
  const fixed = await follow('subscription ($date: Date) { dayBoardChanged(date: $date) { date } }', { date: first }, at.token);
  const dates = ({ got }: typeof today): string[] => got.map(({ data }) => data.dayBoardChanged.date);
  await until(() => dates(today).length > 0 && dates(fixed).length > 0);
  await sql('select move_sandbox_clock(?, ?)', [id, 86_400]);
  const next = localDate(new Date(Date.now() + 86_400_000), ZONE);
  await until(() => dates(today).at(-1) === next);
  // Nothing else brought it: one of a date stays as it is.
  expect(new Set(dates(fixed))).toEqual(new Set([first]));
});
