import { lackAt, lacksOf } from '../../directory/compliance/issues.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import type { Query } from '../../platform/database/sql.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import { trucksOfDay } from './subcontract.ts';
import { countAlone } from './vendor-trucks.ts';

/** A vendor to which an order is to be assigned. */
export interface Hire {
  vendorId: string;
  /** The moment until which its compliance documents must be valid: the start of its last truck. */
  until: Date;
  /** The starts of the trucks it is to send; empty if nobody is sent yet. */
  starts: readonly Date[];
  /** Set if it was checked before that this is a vendor which was not discarded. */
  isChosen?: true;
}

/** A reason that forbids assigning a vendor. */
export type Objection =
  | { key: 'not_a_vendor' }
  | { key: 'compliance_missing' | 'compliance_expired'; document: string }
  /** The number of trucks that the vendor has left on a day of the company, and of those that were to start then. */
  | { key: 'vendor_full'; date: string; wanted: number; left: number };

/**
 * Collects what forbids assigning the vendors of a company's orders to the jobs of these orders, for any number of orders in one statement.
 * The rules are those of a single assignment (DOMAIN 1.2 `assign`; validate-assignee.ts applies them to orders that people make). Orders
 * are taken one after the other: a truck that one order takes is not available to the next. For vendors with a limit, the days are counted
 * again under a lock (vendor-trucks.ts), which must be the last lock that the caller takes.
 * @param look reports without a lock, for callers that take no truck in the end
 * @returns the objections to each order, in order; empty lists where there are none
 */
export async function objectionsTo(
  query: Query,
  { companyId, zone, now, look = false }: { companyId: string; zone: string; now: Date; look?: boolean },
  hires: readonly Hire[],
): Promise<Objection[][]> {
  if (hires.length === 0) return [];
  const moments = new Map<string, [vendor: string, at: string]>();
  const days = new Map<string, [vendor: string, date: string]>();
  const asked = hires.map(({ vendorId, until, starts, isChosen }) => {
    const at = (until > now ? until : now).toISOString();
    moments.set(`${vendorId} ${at}`, [vendorId, at]);
    const byDay = Map.groupBy(starts, (start) => localDate(start, zone));
    for (const date of byDay.keys()) days.set(`${vendorId} ${date}`, [vendorId, date]);
    return { vendorId, isChosen, at, wanted: [...byDay].map(([date, { length }]) => ({ date, wanted: length })) };
  });
  const [when, which] = [[...moments.values()], [...days.values()]];
  const bounds = which.map(([, date]) => dayBounds(date, zone));
  const rows = await query<VendorRow>(VENDORS, [
    companyId,
    [...new Set(hires.map(({ vendorId }) => vendorId))],
    when.map(([vendor]) => vendor),
    when.map(([, at]) => at),
    which.map(([vendor]) => vendor),
    which.map(([, date]) => date),
    bounds.map(({ start }) => start.toISOString()),
    bounds.map(({ end }) => end.toISOString()),
  ]);
  const vendors = new Map(rows.map((row) => [row.id, row]));
  const limited = which.flatMap(([vendorId, date], at) => {
    const vendor = vendors.get(vendorId);
    return vendor && vendor.truckCount > 0 ? [{ vendor, date, day: { vendorId, ...bounds[at]! } }] : [];
  });
  const counts = look
    ? []
    : await countAlone(
        query,
        limited.map(({ day }) => day),
      );
  for (const [at, count] of counts.entries()) limited[at]!.vendor.days[limited[at]!.date] = count;
  return asked.map(({ vendorId, isChosen, at, wanted }) => {
    const vendor = vendors.get(vendorId);
    return vendor && (vendor.isVendor || isChosen) ? objectionsOf(vendor, at, wanted) : [{ key: 'not_a_vendor' }];
  });
}

interface VendorRow {
  id: string;
  /** True if it is a vendor of the company and was not discarded. */
  isVendor: boolean;
  /** 0 for no limit. */
  truckCount: number;
  lacks: { at: string; type: 'missing' | 'expired'; document: string }[];
  /** The number of trucks it has on each requested day. */
  days: Record<string, number>;
}

/** Returns the objections to a vendor. If there are none, the trucks count as taken. */
function objectionsOf(vendor: VendorRow, at: string, wanted: { date: string; wanted: number }[]): Objection[] {
  const objections = vendor.lacks.flatMap((lack): Objection[] =>
    Date.parse(lack.at) === Date.parse(at) ? [{ key: `compliance_${lack.type}`, document: lack.document }] : [],
  );
  const { days, truckCount } = vendor;
  const short = truckCount > 0 && wanted.find((day) => (days[day.date] ?? 0) + day.wanted > truckCount);
  if (short) objections.push({ key: 'vendor_full', ...short, left: Math.max(0, truckCount - (days[short.date] ?? 0)) });
  if (objections.length === 0) for (const day of wanted) days[day.date] = (days[day.date] ?? 0) + day.wanted;
  return objections;
}

/**
 * `$1` company, `$2` vendors; `$3`, `$4` vendors and the moments at which their documents must be valid; `$5` to `$8` vendors, dates and
 * bounds of days.
 */
const VENDORS =
  namedStatement(`select v.id, v.company_id = $1 and 'vendor' = any(v.account_types) and v.discarded_at is null as "isVendor", v.truck_count as "truckCount",
    coalesce((select json_agg(json_build_object('at', l.at, 'type', l.type, 'document', l.name) order by lower(l.name)) from (
      select s.at, t.name, ${lackAt('s.at')} as type, t.dispatch_gating and (d.id is null or d.expires_at <= s.at) as blocking
      from (select 'vendor' as kind, u.id, u.at from unnest($3::uuid[], $4::timestamptz[]) u(id, at) where u.id = v.id) s
      ${lacksOf('s', '$1::uuid', 's.at')}) l where l.blocking), '[]') as lacks,
    coalesce((select json_object_agg(u.date, ${trucksOfDay('u.id', 'u.start', 'u.until')})
      from unnest($5::uuid[], $6::text[], $7::timestamptz[], $8::timestamptz[]) u(id, date, start, until)
      where u.id = v.id and v.truck_count > 0), '{}') as days
  from account v where v.id = any($2::uuid[])`);
