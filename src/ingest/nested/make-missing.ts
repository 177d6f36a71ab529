import { placesOf } from '../../directory/contacts/geocoded-addresses.ts';
import { changesOfNew } from '../../platform/commands/audit.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx, ClaimedRecord } from '../importer.ts';
import type { Named, PersonDraft, SiteDraft } from '../payload/order-draft.ts';
import { type Among, type Known, type Matched, MODELS, type Wanted } from './known-records.ts';
import { asPerson, asSite, asWanted, type Matches, type Nested, type Picks } from './nested.ts';

const CUSTOMER = { kind: 'customer' } as const;
const VENDOR = { kind: 'vendor' } as const;

/**
 * Creates the unknown nested records, with an insert for each table and an audit row for each record, in the name of the first payload that
 * names it. Later drafts find what an earlier one creates.
 */
export async function makeMissing(
  tx: BatchTx,
  read: readonly { record: ClaimedRecord; draft: Nested }[],
  known: Record<Matched, Known>,
  picks: Picks,
  discarded: Matches['discarded'],
): Promise<void> {
  const located = await placesOf(
    (sql, parameters) => tx.query(sql, parameters),
    read.flatMap(({ draft: { sites } }) => sites.flatMap((site) => (site.lat || !site.fullAddress ? [] : [site.fullAddress]))),
  );
  const maker = new Maker(tx, known, picks, discarded, located);
  for (const { record, draft } of read) maker.take(record, draft);
  await maker.insert();
}

/** A part of a payload that is looked up, and among which records. */
interface Sought {
  table: Matched;
  part: object;
  wanted: Wanted;
  among?: Among;
}
type Row = Record<string, unknown>;

/** Collects the rows of a batch until all drafts are processed. */
class Maker {
  /** In the order in which they are inserted. */
  readonly #rows: Record<Matched, object[]> = { account: [], material: [], equipment_type: [], site: [], app_user: [] };

  constructor(
    readonly tx: BatchTx,
    readonly known: Record<Matched, Known>,
    readonly picks: Picks,
    readonly discarded: Matches['discarded'],
    readonly located: Awaited<ReturnType<typeof placesOf>>,
  ) {}

  take(by: ClaimedRecord, draft: Nested): void {
    this.#account(by, draft.customer, CUSTOMER);
    for (const vendor of draft.vendors) this.#vendor(by, vendor);
    for (const material of draft.materials) this.#named(by, 'material', material, { system: false, state: 'active' });
    if (draft.equipmentType) this.#named(by, 'equipment_type', draft.equipmentType, { system: false, source: 'api_integration' });
    for (const site of draft.sites) this.#site(by, site, draft.warnings);
    for (const person of draft.foremen) this.#person(by, person, ['foreman']);
    for (const person of [...draft.collaborators, ...draft.salespeople]) this.#person(by, person, []);
  }

  async insert(): Promise<void> {
    for (const [table, rows] of Object.entries(this.#rows)) await insertRows(this.tx.em, table, rows);
  }

  /** Notes which record a part is: a known one, or a new one. */
  #pick(by: ClaimedRecord, { table, part, wanted, among }: Sought, rowOf: () => Row): void {
    const { tx, known, picks } = this;
    const found = known[table].find(wanted, among);
    if (found) return void picks.set(part, found);
    const id = newId();
    const row = rowOf();
    // By the name that it gets, which is its external id if it was sent without a name; and by the place where its address was found.
    const gets = ['name', 'lat', 'lon'].flatMap((column) => (typeof row[column] === 'string' ? [[column, row[column]]] : []));
    known[table].make(id, { ...wanted, ...Object.fromEntries(gets) }, among?.kind && [among.kind]);
    picks.set(part, { id, by: 'created' });
    const stamp = tx.now.toISOString();
    const columns = { company_id: tx.company.id, ...row };
    this.#rows[table].push({ id, created_at: stamp, updated_at: stamp, ...columns });
    tx.recordsOf(by).audits.push({ event: 'create', type: MODELS[table], id, companyId: tx.company.id, changes: changesOfNew(columns) });
    tx.made(id, () => ({ ...row }));
  }

  #named(by: ClaimedRecord, table: Matched, part: Named, more: object, among?: Among): void {
    this.#pick(by, { table, part, wanted: asWanted(part), among }, () => ({
      name: part.name ?? part.externalId!,
      external_id: part.externalId ?? null,
      ...more,
    }));
  }

  #account(by: ClaimedRecord, part: Named, among: typeof CUSTOMER | typeof VENDOR): void {
    const more = { account_types: [among.kind], schedule_on: false, auto_accept_orders: false, truck_count: 0 };
    this.#named(by, 'account', part, more, among);
  }

  #vendor(by: ClaimedRecord, vendor: Named): void {
    const wanted = asWanted(vendor);
    const gone = this.known.account.find(wanted, VENDOR) ? [] : this.known.account.discarded(wanted);
    // A new record of the discarded vendor would be assigned work again.
    if (gone.length > 0) this.discarded.set(vendor, gone);
    else this.#account(by, vendor, VENDOR);
  }

  #site(by: ClaimedRecord, site: SiteDraft, warnings: Nested['warnings']): void {
    this.#pick(by, { table: 'site', part: site, wanted: asSite(site), among: { ids: site.open } }, () => {
      // A site with only an address may have been geocoded; without coordinates nobody can be routed there.
      const place = site.lat && site.lon ? { lat: site.lat, lon: site.lon } : site.fullAddress && this.located(site.fullAddress);
      if (!place)
        warnings.push({ code: 'site_not_routable', pointer: site.pointer, given: site.fullAddress ?? site.name ?? site.externalId });
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
    });
  }

  #person(by: ClaimedRecord, person: PersonDraft, roles: readonly string[]): void {
    this.#pick(by, { table: 'app_user', part: person, wanted: asPerson(person) }, () => ({
      first_name: person.firstName ?? '',
      last_name: person.lastName ?? '',
      email: person.email ?? null,
      phone: person.phone ?? null,
      external_id: person.externalId ?? null,
      roles,
      schedule_on: false,
      text_to_accept_enabled: false,
      // A payload is no proof that the e-mail and telephone belong to this person.
      unclaimed: true,
    }));
  }
}
