import { placesOf } from '../../directory/geocoded-addresses.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx, ClaimedRecord, MatchedBy } from '../importer.ts';
import type { Named, OrderDraft, PersonDraft, SiteDraft } from './order-draft.ts';

/** By what a nested record is found, in this order (SPEC "Matching of nested records"). Each entry is one try; all its keys must hit. */
const MATCH_ORDER = {
  account: [['name'], ['external_id']],
  material: [['name'], ['external_id']],
  site: [['name', 'external_id'], ['external_id'], ['name']],
  equipment_type: [['name'], ['external_id']],
  app_user: [['email'], ['phone'], ['external_id']],
} as const;
export type Matched = keyof typeof MATCH_ORDER;
const MODELS: Record<Matched, string> = {
  account: 'Account',
  material: 'Material',
  site: 'Site',
  equipment_type: 'EquipmentType',
  app_user: 'User',
};

/** Names compare trimmed and case-insensitively, e-mails case-insensitively, everything else to the letter (DOMAIN section 5). */
const KEY_SQL: Record<string, string> = {
  name: 'lower(btrim(t.name))',
  external_id: 't.external_id',
  email: 'lower(t.email)',
  phone: 't.phone',
};
const keyOf = (column: string, value: string): string => (column === 'name' || column === 'email' ? fold(value.trim()) : value);
/** Letter by letter, as PostgreSQL's `lower` does it: the language's own would make the last sigma of a word another letter. */
const fold = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text.toLowerCase() : [...text].map((letter) => [...letter.toLowerCase()][0]).join('');

type Wanted = Record<string, string | undefined>;
interface Found {
  id: string;
  by: MatchedBy;
}
/**
 * What each nested record of a draft was found to be when its turn came. Looked up again at the end it might be a record that a
 * later draft made: one that is found by its external id would go by its name to a namesake.
 */
type Picks = Map<object, Found>;

/** Known records of one table by key, so that drafts of the whole batch are matched in memory. */
class Known {
  readonly #byKey = new Map<string, string>();
  readonly #made = new Set<string>();
  readonly #table: Matched;

  constructor(table: Matched) {
    this.#table = table;
  }

  /** A record that this batch makes. */
  make(id: string, wanted: Wanted): void {
    this.#made.add(id);
    this.add(id, wanted);
  }

  /** The first to come keeps a key: candidates come oldest first. */
  add(id: string, wanted: Wanted): void {
    for (const columns of MATCH_ORDER[this.#table]) {
      const key = this.#key(columns, wanted);
      if (key && !this.#byKey.has(key)) this.#byKey.set(key, id);
    }
    if (this.#table !== 'site' || wanted.name === undefined || wanted.external_id !== undefined) return;
    const unnumbered = JSON.stringify(['unnumbered', keyOf('name', wanted.name)]);
    if (!this.#byKey.has(unnumbered)) this.#byKey.set(unnumbered, id);
  }

  /** The record, and the key it was found by. */
  find(wanted: Wanted): Found | undefined {
    for (const columns of MATCH_ORDER[this.#table]) {
      const key = this.#key(columns, wanted, true);
      const id = key && this.#byKey.get(key);
      if (id) return { id, by: this.#made.has(id) ? 'created' : (columns.join('_and_') as MatchedBy) };
    }
    return undefined;
  }

  /**
   * Two quarries may both be called "Wash Plant": a site that has an external id of its own is never found by its name under
   * another id, only when the known one has none.
   */
  #key(columns: readonly string[], wanted: Wanted, asked = false): string | undefined {
    if (
      this.#table === 'site' &&
      columns.length === 1 &&
      columns[0] === 'name' &&
      wanted.name !== undefined &&
      wanted.external_id !== undefined
    ) {
      return asked ? JSON.stringify(['unnumbered', keyOf('name', wanted.name)]) : JSON.stringify([['name', keyOf('name', wanted.name)]]);
    }
    const values = columns.map((column) => wanted[column]);
    return values.every((value) => value !== undefined)
      ? JSON.stringify(columns.map((column, i) => [column, keyOf(column, values[i]!)]))
      : undefined;
  }
}

/** All records of a company that any of the wanted could be: one statement. Oldest not discarded first. */
async function candidates(tx: BatchTx, table: Matched, wanted: Wanted[], where = ''): Promise<Known> {
  const known = new Known(table);
  const columns = [...new Set(MATCH_ORDER[table].flat())];
  if (wanted.length === 0) return known;
  const lists = columns.map((column) => [...new Set(wanted.flatMap((one) => (one[column] ? [keyOf(column, one[column])] : [])))]);
  const conditions = columns.map((column, i) => `${KEY_SQL[column]} = any($${i + 2}::text[])`).join(' or ');
  const rows = await tx.query<{ id: string } & Wanted>(
    `select t.id, ${columns.map((column) => `t.${column}`).join(', ')} from ${table} t
     where t.company_id = $1 and t.discarded_at is null and (${conditions}) ${where} order by t.created_at, t.id`,
    [tx.company.id, ...lists],
  );
  for (const row of rows) known.add(row.id, Object.fromEntries(columns.map((column) => [column, row[column] ?? undefined])));
  return known;
}

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
  /** Ids of sites that are new in this batch. */
  made: { sites: Set<string> };
}

const asWanted = (named: { name?: string; externalId?: string }): Wanted => ({ name: named.name, external_id: named.externalId });
const asPerson = (person: PersonDraft): Wanted => ({ email: person.email, phone: person.phone, external_id: person.externalId });

/**
 * Finds the nested records of all drafts and makes the missing ones, in a statement per table and at most one more to insert.
 * A per-company lock keeps two batches from making the same record twice; it is only taken when something is missing.
 */
export async function matchNested(tx: BatchTx, read: { record: ClaimedRecord; draft: Nested }[]): Promise<Matches> {
  const all = read.flatMap(({ draft }) => partsOf(draft));
  const load = async () => {
    const of = (table: Matched) =>
      candidates(
        tx,
        table,
        all.filter((part) => part.table === table).map(({ wanted }) => wanted),
      );
    return {
      account: await of('account'),
      material: await of('material'),
      equipment_type: await of('equipment_type'),
      site: await of('site'),
      app_user: await of('app_user'),
    };
  };
  let known = await load();
  const picks: Picks = new Map();
  const made = { sites: new Set<string>() };
  if (all.some(({ table, wanted }) => !known[table].find(wanted))) {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('haulgate:master:' || $1, 0))`, [tx.company.id]);
    known = await load();
    const drafts = read.map(({ draft }) => draft);
    await makeMissing(tx, drafts, known, picks, made);
  } else for (const { table, part, wanted } of all) picks.set(part, known[table].find(wanted)!);
  // For a dry run.
  for (const { record, draft } of read) {
    for (const { table, part } of partsOf(draft)) tx.matched(record, { pointer: part.pointer, model: MODELS[table], ...picks.get(part)! });
  }
  const idOf = (part: object) => picks.get(part)?.id;
  return { account: idOf, vendor: idOf, material: idOf, equipmentType: idOf, site: idOf, person: idOf, made };
}

interface Part {
  table: Matched;
  part: { pointer: string };
  wanted: Wanted;
}

/** Nested records that a payload names and that are not made when missing. */
export interface LookUp {
  record: ClaimedRecord;
  table: Matched;
  part: Named;
}

/** Finds nested records under the same rules, a statement per table, and makes none. @returns ids of those found, by the part that names them */
export async function lookUpNested(tx: BatchTx, all: readonly LookUp[]): Promise<Map<object, string>> {
  const ids = new Map<object, string>();
  for (const table of new Set(all.map((one) => one.table))) {
    const asked = all.filter((one) => one.table === table);
    const known = await candidates(
      tx,
      table,
      asked.map(({ part }) => asWanted(part)),
    );
    for (const { record, part } of asked) {
      const found = known.find(asWanted(part));
      if (!found) continue;
      ids.set(part, found.id);
      tx.matched(record, { pointer: part.pointer, model: MODELS[table], ...found });
    }
  }
  return ids;
}

/** The nested records of a draft. */
function partsOf(draft: Nested): Part[] {
  const named = (table: Matched, parts: (Named | undefined)[]) =>
    parts.flatMap((part): Part[] => (part ? [{ table, part, wanted: asWanted(part) }] : []));
  return [
    ...named('account', [draft.customer, ...draft.vendors]),
    ...named('material', draft.materials),
    ...named('equipment_type', [draft.equipmentType]),
    ...named('site', draft.sites),
    ...[...draft.foremen, ...draft.collaborators, ...draft.salespeople].map(
      (part): Part => ({ table: 'app_user', part, wanted: asPerson(part) }),
    ),
  ];
}

async function makeMissing(
  tx: BatchTx,
  drafts: Nested[],
  known: Record<Matched, Known>,
  picks: Picks,
  made: Matches['made'],
): Promise<void> {
  const stamp = tx.now.toISOString();
  const fresh = (table: Matched, part: object, wanted: Wanted, more: (id: string) => { name?: string }, rows: object[]) => {
    const found = known[table].find(wanted);
    if (found) return void picks.set(part, found);
    const id = newId();
    const row = more(id);
    // By the name it gets, which is its external id when it was sent without one.
    known[table].make(id, row.name === undefined ? wanted : { ...wanted, name: row.name });
    picks.set(part, { id, by: 'created' });
    rows.push({ id, created_at: stamp, updated_at: stamp, company_id: tx.company.id, ...row });
  };
  const located = await placesOf(
    (sql, parameters) => tx.query(sql, parameters),
    drafts.flatMap(({ sites }) => sites.flatMap((site) => (site.lat || !site.fullAddress ? [] : [site.fullAddress]))),
  );
  const accounts: object[] = [];
  const materials: object[] = [];
  const types: object[] = [];
  const sites: object[] = [];
  const people: object[] = [];
  const named = (one: Named | SiteDraft) => ({ name: one.name ?? one.externalId!, external_id: one.externalId ?? null });
  for (const draft of drafts) {
    fresh(
      'account',
      draft.customer,
      asWanted(draft.customer),
      () => ({ ...named(draft.customer), account_types: ['customer'], schedule_on: false, auto_accept_orders: false, truck_count: 0 }),
      accounts,
    );
    for (const vendor of draft.vendors)
      fresh(
        'account',
        vendor,
        asWanted(vendor),
        () => ({ ...named(vendor), account_types: ['vendor'], schedule_on: false, auto_accept_orders: false, truck_count: 0 }),
        accounts,
      );
    for (const material of draft.materials)
      fresh('material', material, asWanted(material), () => ({ ...named(material), system: false, state: 'active' }), materials);
    if (draft.equipmentType)
      fresh(
        'equipment_type',
        draft.equipmentType,
        asWanted(draft.equipmentType),
        () => ({ ...named(draft.equipmentType!), system: false, source: 'api_integration' }),
        types,
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
