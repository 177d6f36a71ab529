import { AsyncLocalStorage } from 'node:async_hooks';
import { type Registration, registration } from '../registration.ts';
import { isSandbox } from '../worlds/sandbox-ids.ts';

/** The companies and the purpose by which row-level security lets statements of the running code see rows (CONTRIBUTING.md "Row-level security"). */
export interface Scope {
  /** Companies whose rows are seen and written. */
  readonly companyIds: readonly string[];
  /** Also see what visible records name that lies with partners: the customer's site, the vendor's driver (`on`), a shared truck's type (`shares`). */
  readonly work: PartnerVisibility;
  /** A task across companies, in a database role with only the few tables that it needs. */
  readonly purpose?: Purpose;
}

export type PartnerVisibility = 'off' | 'shares' | 'on';

/** The rights of a purpose, by table. They are privileges of PostgreSQL, so that a forgotten condition reaches no other table. */
export type Grants = Readonly<Record<string, readonly Privilege[]>>;
type Act = 'select' | 'insert' | 'update' | 'delete';
/** For the whole table, or only for the named columns. */
export type Privilege = Act | `${Act} (${string})`;

/** A named way to act across companies. */
export interface Purpose {
  readonly name: string;
  /** The role its statements run in. */
  readonly role: string;
  readonly grants: Grants;
}

/** The scope of running code; changed in place, because the viewer of a request is known only after it has begun. */
interface Holder {
  scope: Scope;
}

const reserved = new Set<string>();
const NOTHING: Scope = { companyIds: [], work: 'off' };
const holders = new AsyncLocalStorage<Holder>();
const purposes = new Map<string, Purpose>();

/** Declares a purpose. The owner creates its role and grants with the migrations. Code that serves a signed-in request must not use one. */
export function definePurpose(name: string, grants: Grants): Purpose & Registration {
  const purpose = { name, role: `haulgate_${name}`, grants };
  return { ...purpose, ...registration('definePurpose', name, () => void purposes.set(name, purpose)) };
}

/**
 * Declares tables whose rows no request reads or writes as itself: secrets. The application's role gets no right to them, and no row of them is
 * anybody's but under a purpose that names them.
 */
export const reserveForPurposes = (...tables: string[]): Registration =>
  registration('reserveForPurposes', tables.join(', '), () => {
    for (const table of tables) reserved.add(table);
  });

const growing = new Set<string>();

/** Tables to which the product only adds: requests may neither change nor delete their rows. */
export const growsOnly = (...tables: string[]): Registration =>
  registration('growsOnly', tables.join(', '), () => {
    for (const table of tables) growing.add(table);
  });

export const allGrowing = (): readonly string[] => [...growing];
export const isReserved = (table: string): boolean => reserved.has(table);
export const allReserved = (): readonly string[] => [...reserved];

export const allPurposes = (): readonly Purpose[] => [...purposes.values()];

const literals = new WeakMap<readonly string[], string>();

/** Companies as PostgreSQL reads an array; written once for as long as the list lives, for a platform administrator's has thousands. */
export function companiesLiteral(companyIds: readonly string[]): string {
  const known = literals.get(companyIds);
  if (known !== undefined) return known;
  const literal = `{${companyIds.join()}}`;
  literals.set(companyIds, literal);
  return literal;
}

/** The scope of the running code. Where none is set, no row is visible. */
export const currentScope = (): Scope => holders.getStore()?.scope ?? NOTHING;

/** Runs `work` seeing the rows of these companies and no others. */
export function asCompanies<T>(companyIds: readonly string[], work: () => T): T {
  return holders.run({ scope: { companyIds, work: 'on' } }, work);
}

/** Runs `work` in a scope that code had before. */
export const inScope = <T>(scope: Scope, work: () => T): T => holders.run({ scope }, work);

/** Runs `work` for a purpose, across companies; in the time of the sandbox for which it is done. */
export function runAsPurpose<T>(purpose: Purpose, work: () => T): T {
  const [company] = currentScope().companyIds;
  const companyIds = company !== undefined && isSandbox(company) ? [company] : [];
  return holders.run({ scope: { companyIds, work: 'off', purpose } }, work);
}

/** Runs `work` in the scope as it is, with what partners in work are called; what it adds by `actOnBehalfOf` ends with it. */
export function withPartnerVisibility<T>(work: () => T, how: PartnerVisibility = 'on'): T {
  return holders.run({ scope: { ...currentScope(), work: how } }, work);
}

/** Sets the companies of the running request. Outside of a request it does nothing. */
export function setRequestScope(companyIds: readonly string[]): void {
  const holder = holders.getStore();
  if (holder) holder.scope = { companyIds, work: 'off' };
}

/**
 * Adds a company to what the running transaction sees and writes: the owner of work that was passed on to the caller, after the check of
 * visibility, or a company that is being created. It ends with the transaction.
 */
export function actOnBehalfOf(companyId: string): void {
  const holder = holders.getStore();
  if (!holder || holder.scope.purpose || holder.scope.companyIds.includes(companyId)) return;
  holder.scope = { ...holder.scope, companyIds: [...holder.scope.companyIds, companyId] };
}
