import { perApplication } from '../../platform/application.ts';
import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { dayBounds, isDate, localDate, localToInstant, nextInstant } from '../../platform/time.ts';

/** Time zones of companies. They change once in years, and a stale one for a minute moves no record. */
const zonesByCompany = perApplication('zones of companies', () => new Map<string, { zone: string; until: number }>());

/** Returns a company's IANA time zone. */
export async function zoneOf(ctx: Context, companyId: string): Promise<string> {
  const zones = zonesByCompany.of(ctx.em);
  const known = zones.get(companyId);
  if (known && known.until > Date.now()) return known.zone;
  const [company] = await queryOf<{ time_zone: string }>(ctx, 'select time_zone from company where id = $1', [companyId]);
  const zone = company?.time_zone ?? 'UTC';
  if (zones.size > 10_000) zones.clear();
  zones.set(companyId, { zone, until: Date.now() + 60_000 });
  return zone;
}

/** Returns the start of a day in the company's time zone, or the instant given: `filter[start_date]` (DOMAIN section 7: inclusive). */
export const startOfDay = async (given: unknown, ctx: Context, companyId: string): Promise<Date> =>
  instantOf(given) ?? dayBounds(String(given), await zoneOf(ctx, companyId)).start;

/** Returns the first instant after a day in the company's time zone, or after the instant given: `filter[end_date]`, inclusive, too. */
export async function endOfDay(given: unknown, ctx: Context, companyId: string): Promise<Date> {
  const instant = instantOf(given);
  return instant ? nextInstant(instant) : dayBounds(String(given), await zoneOf(ctx, companyId)).end;
}

/** Returns the day of a DateOrInstant in the company's time zone, for columns that are dates. */
export const dayIn = async (given: unknown, ctx: Context, companyId: string): Promise<string> =>
  dayAt(String(given), await zoneOf(ctx, companyId));

/** Returns the day of a DateOrInstant in a time zone. */
export function dayAt(given: string, zone: string): string {
  const instant = instantOf(given);
  return instant ? localDate(instant, zone) : given;
}

/** Returns the instant of a DateOrInstant; undefined for a day. */
const instantOf = (given: unknown): Date | undefined => (isDate(String(given)) ? undefined : localToInstant(String(given), 'UTC'));
