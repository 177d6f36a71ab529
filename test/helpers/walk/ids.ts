import type { Expectation } from './expectation.ts';

/** Ids by the kind of record. */
export type Ids = Record<
  | NonNullable<Expectation['of']>
  | 'platform'
  | 'upload'
  | 'partner'
  | 'managedSite'
  | 'managedType'
  | 'companyShareable'
  | 'approvedSettlement'
  | 'compliant'
  | 'publicToken'
  | 'accountPaper'
  | 'movingSite'
  | 'truckPaper'
  | 'driver'
  | 'foreman'
  | 'site'
  | 'equipment',
  string
>;

/** Returns the kinds of records whose ids a call uses: creating one of every kind for every field takes minutes. */
export function idsUsed(call: (ids: Ids) => unknown): ReadonlySet<string> {
  const used = new Set<string>();
  const get = (_: Ids, kind: string | symbol) => {
    used.add(String(kind));
    return '00000000-0000-7000-8000-000000000000';
  };
  call(new Proxy({} as Ids, { get }));
  return used;
}
