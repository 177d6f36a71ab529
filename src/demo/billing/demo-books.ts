import type { EntityManager } from '@mikro-orm/postgresql';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { SIGN_IN } from '../../identity/sign-in/sign-in-purpose.ts';
import type { Viewer } from '../../platform/context.ts';
import { asCompanies, runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { HOURLY, NAMES } from '../demo-company.ts';
import { numberAt, PLACE } from './billed-work.ts';
import { personOf } from './steps.ts';

/** A job of the demo's work, as it is billed. */
export interface BilledJob {
  id: string;
  driverId: string;
  /** When its order was to begin, and when its work ended. */
  loadAt: Date;
  endedAt: Date;
}

/** The books in which the demo's work is billed, and the people who bill it. */
export interface DemoBooks {
  parent: Company;
  southId: string;
  northId: string;
  /** The administrator and the biller of the parent, and who does the books of the companies that it hires. */
  admin: Viewer;
  biller: Viewer;
  south: Viewer;
  north: Viewer;
  /** Ids of accounts, by their external ids. */
  accounts: Record<string, string>;
  hourlyServiceId: string;
  /** The driver of first trucks, who is paid by commission. */
  firstDriverId: string;
  /** The jobs of an order of `BILLED`, the first truck first. */
  jobsAt(place: number): BilledJob[];
}

const FAMILY = `select c.id, c.legal_name as name from company c join company p on p.id = c.parent_company_id or p.id = c.id and c.parent_company_id is null
  where p.legal_name = $1 and c.legal_name = any($2::text[]) order by c.id`;
const BEGUN = `select from company_counter where company_id = $1 and kind = 'settlement'`;
const ACCOUNTS = 'select external_id, id from account where company_id = any($1::uuid[]) and external_id is not null';
const SERVICE = 'select id from service where company_id = $1 and name = $2';
const JOBS = `select o.number, j.id, j.driver_id as "driverId", o.load_at as "loadAt", j.state_changed_at as "endedAt"
  from job j join orders o on o.id = j.order_id where j.company_id = $1 and o.number = any($2::int[]) order by o.number, j.number`;

type JobRow = Omit<BilledJob, 'loadAt' | 'endedAt'> & { number: number; loadAt: string; endedAt: string };

/**
 * Runs `work` in the books of the demo, in the scope of its companies. Without a demo that has work to bill, or if anybody has settled something in
 * it, nothing is done.
 */
export async function inDemoBooks(em: EntityManager, work: (books: DemoBooks) => Promise<void>): Promise<void> {
  const family = await runAsPurpose(SIGN_IN, () => queryIn<{ id: string; name: string }>(em, FAMILY, [NAMES.parent, Object.values(NAMES)]));
  const idOf = (name: string) => family.find((one) => one.name === name)?.id;
  const [parentId, southId, northId] = [idOf(NAMES.parent), idOf(NAMES.south), idOf(NAMES.north)];
  if (!parentId || !southId || !northId) return;
  await asCompanies([parentId, southId, northId], async () => {
    if ((await queryIn(em, BEGUN, [parentId])).length > 0) return;
    const books = await readBooks(em, { parentId, southId, northId });
    if (books) await work(books);
  });
}

/** The companies in whose books work is billed. */
interface Family {
  parentId: string;
  southId: string;
  northId: string;
}

/** Reads the books of a family with the demo's work, in the scope of its companies. @returns undefined if it has no work to bill */
export async function readBooks(em: EntityManager, { parentId, southId, northId }: Family): Promise<DemoBooks | undefined> {
  const rows = await queryIn<JobRow>(em, JOBS, [parentId, Object.values(PLACE).map(numberAt)]);
  if (rows.length === 0) return undefined;
  const jobs = rows.map((row) => ({ ...row, loadAt: new Date(row.loadAt), endedAt: new Date(row.endedAt) }));
  const family = [parentId, southId, northId];
  const everybody = { filters: { tenant: false } };
  const parent = await em.findOneOrFail(Company, { id: parentId }, everybody);
  const people = await em.find(User, { company: { $in: family } }, { ...everybody, orderBy: { id: 'asc' } });
  const accounts = await queryIn<{ external_id: string; id: string }>(em, ACCOUNTS, [family]);
  const [service] = await queryIn<{ id: string }>(em, SERVICE, [parentId, HOURLY]);
  const as = (role: User['roles'][number], companyId: string, companyIds: readonly string[]) =>
    personOf(people.find(({ roles, company }) => company.id === companyId && roles.includes(role))!, companyIds);
  const jobsAt = (place: number) => jobs.filter(({ number }) => number === numberAt(place));
  return {
    ...{ parent, southId, northId, jobsAt },
    ...{ admin: as('company_admin', parentId, family), biller: as('biller', parentId, family) },
    ...{ south: as('company_admin', southId, [southId]), north: as('company_admin', northId, [northId]) },
    accounts: Object.fromEntries(accounts.map(({ external_id, id }) => [external_id, id])),
    ...{ hourlyServiceId: service!.id, firstDriverId: jobsAt(PLACE.worked)[0]!.driverId },
  };
}
