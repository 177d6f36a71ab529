import type { GraphQLResolveInfo } from 'graphql';
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { applicationOf } from '../platform/application.ts';
import { allow, companyOf } from '../platform/authz/authorization.ts';
import type { Context } from '../platform/context.ts';
import { poolOf } from '../platform/database/sql.ts';
import { Denied } from '../platform/errors.ts';
import { stringEnum } from '../platform/model/columns.ts';
import { type Connection, connectionOf, PageArgs } from '../platform/read/connection.ts';
import { readList } from '../platform/read/lists.ts';
import { connect, connectionAsked } from '../platform/read/pages.ts';
import { UpdatedSince } from '../platform/read/time-range.ts';
import { KINDS } from './kinds.ts';
import { MergeableRecordType } from './record-merge.entity.ts';
import { type MergeableType, TABLES } from './references.ts';

export const DuplicateReason = stringEnum('DuplicateReason', [
  'same_name',
  'same_external_id',
  'same_accounting_id',
  'same_phone',
  'same_email',
  'same_license_number',
  'near',
]);
type DuplicateReason = keyof typeof DuplicateReason;

@ObjectType({ simpleResolvers: true, description: 'Two records of a company that are likely the same.' })
export class LikelyDuplicate {
  @Field(() => MergeableRecordType) recordType!: MergeableType;
  @Field(() => ID, { description: 'The older one.' }) id!: string;
  @Field(() => String, { description: 'The name of the older one.' }) name!: string;
  @Field(() => ID, { description: 'The newer one.' }) otherId!: string;
  @Field(() => String, { description: 'The name of the newer one.' }) otherName!: string;
  @Field(() => [DuplicateReason], { description: 'In what they are alike.' }) reasons!: DuplicateReason[];
}

export const LikelyDuplicateConnection = connectionOf('LikelyDuplicate', () => LikelyDuplicate);

@InputType()
class LikelyDuplicateFilter {
  /** Of a pair: since one of the two did. */
  @UpdatedSince() updatedSince?: Date | null;
}

@ArgsType()
export class DuplicateArgs extends PageArgs {
  @Field(() => MergeableRecordType) recordType!: MergeableType;
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => LikelyDuplicateFilter, { nullable: true }) filter?: LikelyDuplicateFilter | null;
}

/** Metres between two sites that may be one. */
const NEAR = 100;
const METRES_OF_DEGREE = 111_320;

/** By what records of a type are compared: expressions over a row. An empty value is like no other one. */
const COMPARED: Record<MergeableType, Partial<Record<DuplicateReason, string>>> = {
  Account: { same_name: 'match_name', same_external_id: 'external_id', same_accounting_id: 'accounting_id' },
  Site: { same_name: 'match_name', same_external_id: 'external_id' },
  Material: { same_name: 'match_name', same_external_id: 'external_id' },
  User: {
    same_name: `nullif(fold_text(first_name || ' ' || last_name), ' ')`,
    same_phone: 'phone',
    same_email: 'match_email',
    same_external_id: 'external_id',
  },
  Equipment: {
    same_name: 'fold_text(name)',
    same_external_id: 'external_id',
    same_license_number: `nullif(regexp_replace(fold_text(license_number), '[^a-z0-9]', '', 'g'), '')`,
  },
};
/** Which records are compared: drivers among people. */
const AMONG: Partial<Record<MergeableType, string>> = { User: `and 'driver' = any(roles)` };

/**
 * Pairs of sites that are near each other. Each site is looked for in its square and the eight around it, so that not every site is compared with
 * every other one. Squares are a thousandth of a degree high and five wide: up to 78 degrees of latitude, that is more than the distance.
 */
const NEIGHBOURS = `select a.id as one, b.id as other, 'near' as reason
  from places a cross join generate_series(-1, 1) y cross join generate_series(-1, 1) x
  join places b on b.line = a.line + y and b.square = a.square + x and a.id < b.id
  where ((a.lat - b.lat) * ${METRES_OF_DEGREE}) ^ 2 + ((a.lon - b.lon) * ${METRES_OF_DEGREE} * cos(radians(a.lat))) ^ 2 <= ${NEAR} ^ 2`;
const PLACES = `places as (
  select id, lat::float8 as lat, lon::float8 as lon, floor(lat * 1000)::int as line, floor(lon * 200)::int as square
  from records where lat is not null and lon is not null)`;

/** SQL of the pairs after a place: $1 is the company, and $2 and $3 the ids of the pair before. */
function pairsSql(type: MergeableType, where: string, order: string): string {
  const compared = Object.entries(COMPARED[type]);
  const columns = compared.map(([reason, sql]) => `${sql} as ${reason}`);
  const alike = compared.map(
    ([reason]) =>
      `select a.id as one, b.id as other, '${reason}' as reason from records a join records b on b.${reason} = a.${reason} and a.id < b.id`,
  );
  const name = type === 'User' ? `trim(first_name || ' ' || last_name)` : 'name';
  const isSite = type === 'Site';
  return `with records as materialized (
      select id, updated_at, ${name} as called, ${columns.join(', ')}${isSite ? ', lat, lon' : ''}
      from ${TABLES[type]} where company_id = $1 and discarded_at is null ${AMONG[type] ?? ''}),
    ${isSite ? `${PLACES},` : ''}
    alike as (${[...alike, ...(isSite ? [NEIGHBOURS] : [])].join(' union all ')}),
    pairs as (select one, other, array_agg(reason order by reason) as reasons from alike group by one, other)
  select p.one, p.other, p.reasons, a.called as name, b.called as other_name
  from pairs p join records a on a.id = p.one join records b on b.id = p.other
  ${where} order by p.one ${order}, p.other ${order}`;
}

const whereOf = (conditions: readonly string[]): string => (conditions.length > 0 ? `where ${conditions.join(' and ')}` : '');

interface Row {
  one: string;
  other: string;
  reasons: DuplicateReason[];
  name: string;
  other_name: string;
}

/** A page of the pairs of a company's records that are likely the same, oldest first. @throws Missing, Denied */
export async function likelyDuplicates(
  ctx: Context,
  info: GraphQLResolveInfo,
  { recordType, companyId: given, filter, ...page }: DuplicateArgs,
): Promise<Connection<LikelyDuplicate>> {
  const companyId = companyOf(ctx, given);
  const { permission } = KINDS[recordType];
  if (allow(ctx, permission).siteIds) throw new Denied(permission, 'permission_beyond_sites');
  const application = applicationOf(ctx.em);
  const list = await readList(LikelyDuplicate, page, ctx, { application, companyId, name: recordType });
  const connection = connectionAsked(info.fieldNodes, { fragments: info.fragments, variables: info.variableValues });
  const values: unknown[] = [companyId];
  // A pair comes about, or becomes another one, by a change of one of the two.
  const since = filter?.updatedSince ? [`greatest(a.updated_at, b.updated_at) >= $${values.push(filter.updatedSince)}::timestamptz`] : [];
  const all = [...values];
  const bound = (cursor: typeof list.after, than: '<' | '>') =>
    cursor ? [`(p.one, p.other) ${than} (${cursor.keys.map((key) => `$${values.push(key)}::uuid`).join(', ')})`] : [];
  const bounds = [...since, ...bound(list.after, list.after?.backward ? '<' : '>'), ...bound(list.stop, '<')];
  const pool = await poolOf(ctx.em);
  const sql = pairsSql(recordType, whereOf(bounds), list.backward ? 'desc' : 'asc');
  const { rows } = await pool.query<Row>(`${sql} limit ${list.limit + 1}`, values);
  if (list.backward) rows.reverse();
  const data: unknown[] = [rows.map((row) => [row, row.one, row.other])];
  if (connection.count) {
    const counted = await pool.query<{ count: number }>(
      `select count(*)::int as count from (${pairsSql(recordType, whereOf(since), 'asc')}) c`,
      all,
    );
    data.push(counted.rows[0]!.count);
  }
  const map = (found: unknown) => {
    const { one, other, reasons, name, other_name } = found as Row;
    return { recordType, id: one, name, otherId: other, otherName: other_name, reasons };
  };
  return connect(data, map as never, list, { application }, connection) as unknown as Connection<LikelyDuplicate>;
}
