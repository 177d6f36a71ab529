import { lackAt, lacksOf } from '../../directory/compliance/issues.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import { trucksOfDay } from './subcontract.ts';
import { countAlone } from './vendor-trucks.ts';

/** A vendor that an order is to go to. */
export interface Hire {
  vendorId: string;
  /** The moment until which its papers must hold: the start of its last truck. */
  until: Date;
  /** Starts of the trucks it is to send; none where nobody is sent yet. */
  starts: readonly Date[];
  /** Whether it is a vendor, and there, was asked when it was chosen. */
  isChosen?: true;
}

/** What speaks against a vendor. */
export type Objection =
  | { key: 'not_a_vendor' }
  | { key: 'compliance_missing' | 'compliance_expired'; document: string }
  /** Trucks it has left on a day of the company, and how many were to start then. */
  | { key: 'vendor_full'; date: string; wanted: number; left: number };

type Query = <R extends object>(sql: string, parameters: unknown[]) => Promise<R[]>;

/**
 * What speaks against vendors that orders of a company bring to their jobs at once: the same as against assigning each job (DOMAIN 1.2
 * `assign`, validate-assignee.ts asks it of a person's orders), for any number of orders in one statement. One after the other: a vendor's truck that one order takes
 * is not there for the next. Days of vendors with a limit are counted again with others kept out (vendor-trucks.ts), which is the last
 * lock that the caller may take.
 * @param look only tells, for somebody who takes no truck in the end and keeps nobody out
 * @returns the objections to each, in order; none of an empty list
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
  /** It is one of the company's, and was not discarded. */
  isVendor: boolean;
  /** 0 for no limit. */
  truckCount: number;
  lacks: { at: string; type: 'missing' | 'expired'; document: string }[];
  /** Trucks it has on each asked day. */
  days: Record<string, number>;
}

/** Takes the trucks when nothing speaks against them. */
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

/** `$1` company, `$2` vendors; `$3`, `$4` vendors and moments their papers must hold at; `$5` to `$8` vendors, dates and bounds of days. */
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
