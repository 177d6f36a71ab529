import type { Warning } from '../importer.ts';
import type { Named, OrderDraft, PersonDraft, SiteDraft } from '../payload/order-draft.ts';
import type { Found, Wanted } from './known-records.ts';

/** The parts of a payload that name other records; missing ones are created. */
export type Nested = Pick<
  OrderDraft,
  'customer' | 'equipmentType' | 'sites' | 'foremen' | 'collaborators' | 'salespeople' | 'vendors' | 'warnings'
> & { materials: Named[] };

export interface Matches {
  account(named: Named): string | undefined;
  vendor(named: Named): string | undefined;
  /** Whether an account that was found or created is one of a vendor. */
  isVendor(id: string): boolean;
  material(named: Named): string | undefined;
  equipmentType(named: Named): string | undefined;
  site(site: SiteDraft): string | undefined;
  person(person: PersonDraft): string | undefined;
  /** Whether a site or material takes no new work. */
  inactive(id: string): boolean;
  /** Vendors that were not created because a discarded one exists, with the ids of those. */
  discarded: Map<object, readonly string[]>;
}

/**
 * The record that each nested part of a draft was found to be, when it was the draft's turn. A later lookup might find a record that a
 * later draft created: one with an external id could be found by its name.
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

/** Inactive sites and materials are used in spite of a warning: the haul is real, and dispatch must see it (D-INGEST-66). */
export function warnOfInactive(warnings: Warning[], kind: 'site' | 'material', part: SiteDraft | Named, matches: Matches): void {
  const id = kind === 'site' ? matches.site(part as SiteDraft) : matches.material(part);
  if (id && matches.inactive(id)) warnings.push({ code: `${kind}_inactive`, pointer: part.pointer, given: part.name ?? part.externalId });
}

/** The warning of a payload that names another customer than the record must keep: that of its project, or that of the orders of a project. */
export const customerKept = ({ pointer, name, externalId }: Named): Warning => ({
  code: 'customer_kept',
  pointer,
  given: name ?? externalId,
});
