import { placesOf } from '../../directory/geocoded-addresses.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { changesOf } from '../change.ts';
import type { BatchTx, ClaimedRecord } from '../importer.ts';
import { type Among, type Known, type Matched, MODELS, type Wanted } from './known-records.ts';
import { asPerson, asWanted, type Matches, type Nested, type Picks } from './nested.ts';
import type { Named, SiteDraft } from './order-draft.ts';

const VENDOR: Among = { kind: 'vendor' };

/**
 * Makes the nested records that are not known, an insert per table and an audit row per record, in the name of the first payload that
 * names it; what one draft makes the next one finds.
 */
export async function makeMissing(
  tx: BatchTx,
  read: readonly { record: ClaimedRecord; draft: Nested }[],
  known: Record<Matched, Known>,
  picks: Picks,
  made: Matches['made'],
): Promise<void> {
  const stamp = tx.now.toISOString();
  const fresh = (
    table: Matched,
    part: object,
    wanted: Wanted,
    more: (id: string) => { name?: string },
    rows: object[],
    by: ClaimedRecord,
    among?: Among,
  ) => {
    const found = known[table].find(wanted, among);
    if (found) return void picks.set(part, found);
    const id = newId();
    const row = more(id);
    // By the name it gets, which is its external id when it was sent without one.
    known[table].make(id, row.name === undefined ? wanted : { ...wanted, name: row.name }, among?.kind && [among.kind]);
    picks.set(part, { id, by: 'created' });
    const columns = { company_id: tx.company.id, ...row };
    rows.push({ id, created_at: stamp, updated_at: stamp, ...columns });
    tx.audit(by, { event: 'create', type: MODELS[table], id, companyId: tx.company.id, changes: changesOf(columns) });
    tx.made(id, () => ({ ...row }));
  };
  const located = await placesOf(
    (sql, parameters) => tx.query(sql, parameters),
    read.flatMap(({ draft: { sites } }) => sites.flatMap((site) => (site.lat || !site.fullAddress ? [] : [site.fullAddress]))),
  );
  const accounts: object[] = [];
  const materials: object[] = [];
  const types: object[] = [];
  const sites: object[] = [];
  const people: object[] = [];
  const named = (one: Named | SiteDraft) => ({ name: one.name ?? one.externalId!, external_id: one.externalId ?? null });
  for (const { record, draft } of read) {
    fresh(
      'account',
      draft.customer,
      asWanted(draft.customer),
      () => ({ ...named(draft.customer), account_types: ['customer'], schedule_on: false, auto_accept_orders: false, truck_count: 0 }),
      accounts,
      record,
      { kind: 'customer' },
    );
    for (const vendor of draft.vendors) {
      const wanted = asWanted(vendor);
      const discarded = known.account.find(wanted, VENDOR) ? [] : known.account.discarded(wanted);
      // Made anew, it would be given work again.
      if (discarded.length > 0) made.discarded.set(vendor, discarded);
      else
        fresh(
          'account',
          vendor,
          wanted,
          () => ({ ...named(vendor), account_types: ['vendor'], schedule_on: false, auto_accept_orders: false, truck_count: 0 }),
          accounts,
          record,
          VENDOR,
        );
    }
    for (const material of draft.materials)
      fresh('material', material, asWanted(material), () => ({ ...named(material), system: false, state: 'active' }), materials, record);
    if (draft.equipmentType)
      fresh(
        'equipment_type',
        draft.equipmentType,
        asWanted(draft.equipmentType),
        () => ({ ...named(draft.equipmentType!), system: false, source: 'api_integration' }),
        types,
        record,
      );
    for (const site of draft.sites) {
      fresh(
        'site',
        site,
        asWanted(site),
        (id) => {
          made.sites.add(id);
          // What is only an address may have been looked up; without coordinates nobody can be routed there.
          const place = site.lat && site.lon ? { lat: site.lat, lon: site.lon } : site.fullAddress && located(site.fullAddress);
          if (!place)
            draft.warnings.push({
              code: 'site_not_routable',
              pointer: site.pointer,
              given: site.fullAddress ?? site.name ?? site.externalId,
            });
          return {
            name: site.name ?? site.fullAddress ?? site.externalId!,
            external_id: site.externalId ?? null,
            site_type: site.siteType,
            lat: place ? place.lat : null,
            lon: place ? place.lon : null,
            full_address: site.fullAddress ?? null,
            routable: Boolean(place),
            state: 'active',
          };
        },
        sites,
        record,
        { ids: site.open },
      );
    }
    for (const [role, list] of [
      ['foreman', draft.foremen],
      [undefined, draft.collaborators],
      [undefined, draft.salespeople],
    ] as const) {
      for (const person of list) {
        fresh(
          'app_user',
          person,
          asPerson(person),
          (): object => ({
            first_name: person.firstName ?? '',
            last_name: person.lastName ?? '',
            email: person.email ?? null,
            phone: person.phone ?? null,
            external_id: person.externalId ?? null,
            roles: role ? [role] : [],
            schedule_on: false,
            managed: false,
            text_to_accept_enabled: false,
            // A payload is no proof that the e-mail and telephone are this person's own.
            unclaimed: true,
          }),
          people,
          record,
        );
      }
    }
  }
  await insertRows(tx.em, 'account', accounts);
  await insertRows(tx.em, 'material', materials);
  await insertRows(tx.em, 'equipment_type', types);
  await insertRows(tx.em, 'site', sites);
  await insertRows(tx.em, 'app_user', people);
}
