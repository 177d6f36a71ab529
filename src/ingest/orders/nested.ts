import type { Warning } from '../importer.ts';
import type { Found, Wanted } from './known-records.ts';
import type { Named, OrderDraft, PersonDraft, SiteDraft } from './order-draft.ts';

/** What of a payload names other records; missing ones are made. */
export type Nested = Pick<
  OrderDraft,
  'customer' | 'equipmentType' | 'sites' | 'foremen' | 'collaborators' | 'salespeople' | 'vendors' | 'warnings'
> & { materials: Named[] };

export interface Matches {
  account(named: Named): string | undefined;
  vendor(named: Named): string | undefined;
  material(named: Named): string | undefined;
  equipmentType(named: Named): string | undefined;
  site(site: SiteDraft): string | undefined;
  person(person: PersonDraft): string | undefined;
  /** Whether a site or material takes no new work. */
  inactive(id: string): boolean;
  /** Vendors that were not made because they were discarded, with the ids of those. */
  discarded: Map<object, readonly string[]>;
}

/**
 * What each nested record of a draft was found to be when its turn came. Looked up again at the end it might be a record that a
 * later draft made: one that is found by its external id would go by its name to a namesake.
 */
export type Picks = Map<object, Found>;

export const asWanted = (named: { name?: string; externalId?: string }): Wanted => ({ name: named.name, external_id: named.externalId });
export const asSite = (site: SiteDraft): Wanted => ({ ...asWanted(site), full_address: site.fullAddress, lat: site.lat, lon: site.lon });
export const asPerson = (person: PersonDraft): Wanted => ({
  email: person.email,
  phone: person.phone,
  external_id: person.externalId,
  first_name: person.firstName,
  last_name: person.lastName,
});

/** Work is put on an inactive site or material all the same: the haulage is real, and dispatch must see it (D-INGEST-66). */
export function warnOfInactive(warnings: Warning[], kind: 'site' | 'material', part: SiteDraft | Named, matches: Matches): void {
  const id = kind === 'site' ? matches.site(part as SiteDraft) : matches.material(part);
  if (id && matches.inactive(id)) warnings.push({ code: `${kind}_inactive`, pointer: part.pointer, given: part.name ?? part.externalId });
}
