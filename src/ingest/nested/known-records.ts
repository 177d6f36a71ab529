import type { AccountType } from '../../directory/accounts/account.entity.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { foldText } from '../../platform/fold.ts';
import type { BatchTx, MatchedBy } from '../importer.ts';
import { liesElsewhere } from './elsewhere.ts';

/**
 * The keys by which a nested record is found, in this order (SPEC "Matching of nested records"). Each entry is one attempt, and all keys of
 * an entry must match.
 */
const MATCH_ORDER = {
  account: [['name'], ['external_id']],
  material: [['name'], ['external_id']],
  site: [['name', 'external_id'], ['external_id'], ['name']],
  equipment_type: [['name'], ['external_id']],
  app_user: [['email'], ['phone'], ['external_id']],
} as const;
export type Matched = keyof typeof MATCH_ORDER;

/** Fields of a record, apart from its keys, that a payload may contain. They are only compared, for a warning. */
const COMPARED: Partial<Record<Matched, readonly string[]>> = {
  site: ['full_address', 'lat', 'lon'],
  app_user: ['first_name', 'last_name'],
};

/** The type of each. */
export const MODELS: Record<Matched, string> = {
  account: 'Account',
  material: 'Material',
  site: 'Site',
  equipment_type: 'EquipmentType',
  app_user: 'User',
};

/** Names and e-mails are compared by their fold, all other keys exactly (DOMAIN section 5). */
const KEY_SQL: Record<string, string> = {
  name: 't.match_name',
  external_id: 't.external_id',
  email: 't.match_email',
  phone: 't.phone',
};
const keyOf = (column: string, value: string): string => (column === 'name' || column === 'email' ? foldText(value) : value);

const DEGREES = new Set(['lat', 'lon']);
const TO_THE_LETTER = new Set(['external_id', 'phone']);
/** Returns whether a record's value equals that of a payload. */
function isSame(column: string, given: string, used: string): boolean {
  if (DEGREES.has(column)) return Number(given) === Number(used);
  return TO_THE_LETTER.has(column) ? given === used : foldText(given) === foldText(used);
}

/** Keys and other fields of a record, as a payload contains them; absent ones are undefined. */
export type Wanted = Record<string, string | undefined>;
/** Restricts which of the records with the right keys may be meant. */
export interface Among {
  /** For accounts: those of this kind go first, whatever the age and key of the others. */
  kind?: AccountType;
  /** Only these ids; any of the company by default. */
  ids?: ReadonlySet<string>;
}
/** A record, and the key by which it was found. */
export interface Found {
  id: string;
  by: MatchedBy;
  /** The number of records that the key fits, if the oldest of several was taken. */
  among?: number;
}

/** Known records of one table by key, so that drafts of the whole batch are matched in memory. */
export class Known {
  /** Oldest first. */
  readonly #byKey = new Map<string, string[]>();
  readonly #kinds = new Map<string, readonly AccountType[]>();
  readonly #made = new Set<string>();
  readonly #inactive = new Set<string>();
  readonly #values = new Map<string, Wanted>();
  readonly #table: Matched;
  readonly #discarded: { id: string; keys: Wanted }[] = [];
  /** The earlier keys of records that were merged into one, by the one that stayed. */
  readonly #former = new Map<string, Wanted[]>();

  constructor(table: Matched) {
    this.#table = table;
  }

  /** Adds a record that this batch creates. */
  make(id: string, wanted: Wanted, kinds?: readonly AccountType[]): void {
    this.#made.add(id);
    this.add(id, wanted, kinds);
  }

  /** Adds a record. The first one of a key is found, so candidates are added oldest first. */
  add(id: string, wanted: Wanted, kinds: readonly AccountType[] = []): void {
    this.#values.set(id, wanted);
    this.#kinds.set(id, kinds);
    this.#noteKeys(id, wanted);
  }

  /** Adds the keys of a record that was merged into this one. Records that have a key themselves are found before. */
  addFormer(id: string, wanted: Wanted): void {
    this.#former.set(id, [...(this.#former.get(id) ?? []), wanted]);
    this.#noteKeys(id, wanted);
  }

  #noteKeys(id: string, wanted: Wanted): void {
    for (const columns of MATCH_ORDER[this.#table]) this.#note(this.#key(columns, wanted), id);
    if (this.#table === 'site' && wanted.name !== undefined && wanted.external_id === undefined)
      this.#note(JSON.stringify(['unnumbered', keyOf('name', wanted.name)]), id);
  }

  #note(key: string | undefined, id: string): void {
    if (key === undefined) return;
    const ids = this.#byKey.get(key);
    if (ids?.includes(id)) return;
    if (ids) ids.push(id);
    else this.#byKey.set(key, [id]);
  }

  /** Returns the sender's own id of a record. */
  externalIdOf(id: string): string | undefined {
    return this.#values.get(id)?.external_id;
  }

  /** Returns whether an account is of a kind. */
  isOf(id: string, kind: AccountType): boolean {
    return this.#kinds.get(id)?.includes(kind) ?? false;
  }

  /** Returns whether a record takes no new work (DOMAIN 1.9). */
  isInactive(id: string): boolean {
    return this.#inactive.has(id);
  }

  /** Returns whether a record can be found. */
  has(id: string): boolean {
    return this.#values.has(id);
  }

  /** Adds a record that has none of the keys itself. */
  addByFormer(id: string, wanted: Wanted, { kinds = [], inactive }: { kinds?: readonly AccountType[]; inactive?: boolean }): void {
    this.#values.set(id, wanted);
    this.#kinds.set(id, kinds);
    if (inactive) this.addInactive(id);
  }

  addInactive(id: string): void {
    this.#inactive.add(id);
  }

  /** Adds a discarded record, which is no longer found. */
  addDiscarded(id: string, keys: Wanted): void {
    this.#discarded.push({ id, keys });
  }

  /** Returns the discarded records that are meant: those with the external id or, unless both have one, with the name. */
  discarded({ name, external_id }: Wanted): string[] {
    const isSame = (keys: Wanted) =>
      keys.external_id !== undefined && external_id !== undefined
        ? keys.external_id === external_id
        : keys.name !== undefined && name !== undefined && keyOf('name', keys.name) === keyOf('name', name);
    return this.#discarded.flatMap(({ id, keys }) => (isSame(keys) ? [id] : []));
  }

  /** Returns the record, and the key by which it was found. */
  find(wanted: Wanted, { kind, ids }: Among = {}): Found | undefined {
    const isOpen = (id: string) => ids === undefined || ids.has(id);
    return (kind && this.#first(wanted, (id) => isOpen(id) && this.isOf(id, kind))) ?? this.#first(wanted, isOpen);
  }

  #first(wanted: Wanted, fits: (id: string) => boolean): Found | undefined {
    for (const columns of MATCH_ORDER[this.#table]) {
      const key = this.#key(columns, wanted, true);
      const fitting = (key && this.#byKey.get(key)?.filter((id) => fits(id) && !this.#isElsewhere(columns, id, wanted))) || [];
      // Of namesakes, the one with the external id of the payload is meant.
      const numbered = fitting.find(
        (id) => wanted.external_id !== undefined && this.#keysOf(id).some((keys) => keys.external_id === wanted.external_id),
      );
      const id = numbered ?? fitting[0];
      if (!id) continue;
      const by = this.#made.has(id) ? 'created' : (columns.join('_and_') as MatchedBy);
      return numbered === undefined && fitting.length > 1 ? { id, by, among: fitting.length } : { id, by };
    }
    return undefined;
  }

  /** The values of a record, and of those that were merged into it. */
  #keysOf(id: string): Wanted[] {
    return [this.#values.get(id) ?? {}, ...(this.#former.get(id) ?? [])];
  }

  /** Returns whether a site of the name lies elsewhere than the payload says: it is another one. An id says more than a place. */
  #isElsewhere(columns: readonly string[], id: string, wanted: Wanted): boolean {
    if (this.#table !== 'site' || columns.length !== 1 || columns[0] !== 'name') return false;
    return this.#keysOf(id).every((keys) => liesElsewhere(wanted, keys));
  }

  /** Returns the fields of a found record that differ from the payload or are empty. An import never changes them. */
  others(id: string, wanted: Wanted): { key: string; given: string; used: string | undefined }[] {
    const values = this.#values.get(id) ?? {};
    return Object.entries(wanted).flatMap(([key, given]) => {
      const used = values[key];
      return given === undefined || (used !== undefined && isSame(key, given, used)) ? [] : [{ key, given, used }];
    });
  }

  /**
   * A site with an external id is never found by its name under another id, only if the known one has none: two quarries may both be called
   * "Wash Plant".
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

/** Where records are looked for. */
export interface OfCompany {
  query: BatchTx['query'];
  company: { id: string };
}

/**
 * Returns all records of a company that any of the wanted ones could be, oldest first, in one statement. Discarded ones are left out.
 * @param dead SQL of discarded records that are returned separately; none by default
 */
export async function candidates(tx: OfCompany, table: Matched, wanted: Wanted[], dead = 'false'): Promise<Known> {
  const known = new Known(table);
  const columns = [...new Set(MATCH_ORDER[table].flat())];
  if (wanted.length === 0) return known;
  const lists = columns.map((column) => [...new Set(wanted.flatMap((one) => (one[column] ? [keyOf(column, one[column])] : [])))]);
  const conditions = columns.map((column, i) => `${KEY_SQL[column]} = any($${i + 2}::text[])`).join(' or ');
  const compared = [...columns, ...(COMPARED[table] ?? [])];
  const kinds = table === 'account' ? ', t.account_types as kinds' : '';
  const inactive = table === 'site' || table === 'material' ? `, t.state = 'inactive' as inactive` : '';
  const selected = `t.id, t.discarded_at is not null as discarded${kinds}${inactive}, ${compared.map(valueSql).join(', ')}`;
  const rows = await tx.query<Row>(
    namedStatement(`select ${selected}, ${STAYED} as stayed from ${table} t
     where t.company_id = $1 and (t.discarded_at is null or ${dead} or ${STAYED} is not null) and (${conditions}) order by t.created_at, t.id`),
    [tx.company.id, ...lists],
  );
  const keysOf = (row: Row): Wanted => Object.fromEntries(compared.map((column) => [column, (row[column] as string | null) || undefined]));
  const add = (row: Row) => {
    if (row.discarded) known.addDiscarded(row.id, keysOf(row));
    else known.add(row.id, keysOf(row), row.kinds);
    if (row.inactive) known.addInactive(row.id);
  };
  const former = rows.filter((row) => row.stayed);
  const own = rows.filter((row) => !row.stayed);
  for (const row of own) add(row);
  const others = [...new Set(former.map(({ stayed }) => stayed!))].filter((id) => !own.some((row) => row.id === id));
  if (others.length > 0)
    for (const row of await tx.query<Row>(
      `select ${selected} from ${table} t where t.company_id = $1 and t.id = any($2::uuid[]) and t.discarded_at is null order by t.created_at, t.id`,
      [tx.company.id, others],
    ))
      known.addByFormer(row.id, keysOf(row), row);
  for (const row of former) if (known.has(row.stayed!)) known.addFormer(row.stayed!, keysOf(row));
  return known;
}

type Row = { id: string; discarded: boolean; stayed?: string | null; inactive?: boolean; kinds?: AccountType[] } & Record<string, unknown>;
/** The record into which a discarded one was merged. */
const STAYED = `(case when t.discarded_at is not null then (select m.kept_id from merged_record m where m.remains_id = t.id) end)`;

const valueSql = (column: string): string => (DEGREES.has(column) ? `trim_scale(t.${column})::text as ${column}` : `t.${column}`);
