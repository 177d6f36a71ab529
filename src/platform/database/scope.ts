import { AsyncLocalStorage } from 'node:async_hooks';

/** What row-level security lets the statements of the running code see (CONTRIBUTING.md "The second wall"). */
export interface Scope {
  /** Companies whose rows are seen and written. */
  readonly companyIds: readonly string[];
  /** Also see what visible records name that lies with partners: the customer's site, the vendor's driver (`on`), a shared truck's type (`shares`). */
  readonly work: PartnerVisibility;
  /** A purpose that crosses companies, in a role of its own with the few tables it needs. */
  readonly purpose?: Purpose;
}

export type PartnerVisibility = 'off' | 'shares' | 'on';

/** What a purpose may do, by table. The privileges are PostgreSQL's, so that a forgotten condition reaches no other table. */
export type Grants = Readonly<Record<string, readonly Privilege[]>>;
type Act = 'select' | 'insert' | 'update' | 'delete';
/** Of a whole table, or of the columns named. */
export type Privilege = Act | `${Act} (${string})`;

/** A named way to act across companies. */
export interface Purpose {
  readonly name: string;
  /** The role its statements run in. */
  readonly role: string;
  readonly grants: Grants;
}

/** What running code holds; changed in place, because a request is known to be somebody's only after it has begun. */
interface Holder {
  scope: Scope;
}

const reserved = new Set<string>();
const NOTHING: Scope = { companyIds: [], work: 'off' };
const holders = new AsyncLocalStorage<Holder>();
const purposes = new Map<string, Purpose>();

/** Declares a purpose; its role and grants are made by the owner with the migrations. Nothing on the path of a signed-in request uses one. */
export function definePurpose(name: string, grants: Grants): Purpose {
  const purpose = { name, role: `haulgate_${name}`, grants };
  purposes.set(name, purpose);
  return purpose;
}

/**
 * Declares tables whose rows no request reads or writes as itself: secrets. The application's role gets no right to them, and no row of them is
 * anybody's but under a purpose that names them.
 */
export function reserveForPurposes(...tables: string[]): void {
  for (const table of tables) reserved.add(table);
}

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

/** The scope of the running code; nothing is visible where nobody set one. */
export const currentScope = (): Scope => holders.getStore()?.scope ?? NOTHING;

/** Runs `work` seeing the rows of these companies and no others. */
export function asCompanies<T>(companyIds: readonly string[], work: () => T): T {
  return holders.run({ scope: { companyIds, work: 'on' } }, work);
}

/** Runs `work` for a purpose, across companies. */
export function runAsPurpose<T>(purpose: Purpose, work: () => T): T {
  return holders.run({ scope: { companyIds: [], work: 'off', purpose } }, work);
}

/** Runs `work` in the scope as it is, with what partners in work are called; what it adds by `actOnBehalfOf` ends with it. */
export function withPartnerVisibility<T>(work: () => T, how: PartnerVisibility = 'on'): T {
  return holders.run({ scope: { ...currentScope(), work: how } }, work);
}

/** From here on the running request is one of these companies'. Outside a request nothing happens. */
export function setRequestScope(companyIds: readonly string[]): void {
  const holder = holders.getStore();
  if (holder) holder.scope = { companyIds, work: 'off' };
}

/**
 * Adds a company to what the running transaction sees and writes: the owner of work that the caller was passed, once it went through
 * the fence, or a company that is being made. Ends with the transaction.
 */
export function actOnBehalfOf(companyId: string): void {
  const holder = holders.getStore();
  if (!holder || holder.scope.purpose || holder.scope.companyIds.includes(companyId)) return;
  holder.scope = { ...holder.scope, companyIds: [...holder.scope.companyIds, companyId] };
}
