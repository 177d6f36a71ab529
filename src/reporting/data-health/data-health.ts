import type { GraphQLResolveInfo } from 'graphql';
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { applicationOf } from '../../platform/application.ts';
import { allow, companyOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { Denied } from '../../platform/errors.ts';
import { translate } from '../../platform/i18n/messages.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import type { Cursor } from '../../platform/read/cursor.ts';
import { readList } from '../../platform/read/lists.ts';
import { connect, connectionAsked } from '../../platform/read/pages.ts';
import { CHECKS, DataHealthCode, DataHealthRecordType, GIVEN } from './health-checks.ts';

@ObjectType({ simpleResolvers: true, description: 'Something in the records of a company that leads to wrong pay, or to none.' })
export class DataHealthFinding {
  @Field(() => DataHealthCode) code!: DataHealthCode;
  @Field(() => DataHealthRecordType) recordType!: DataHealthRecordType;
  @Field(() => ID, { description: 'The record that is to be mended.' }) id!: string;
  @Field(() => String, { description: 'Its name, or the number of an order.' }) name!: string;
  @Field(() => String, { description: 'What is wrong, and what to do about it.' }) message!: string;
  @Field(() => ID, {
    nullable: true,
    description: 'The other record that the finding is about: the vendor, the older account, the job, the company.',
  })
  relatedId!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'How often something was found.' })
export class DataHealthCount {
  @Field(() => DataHealthCode) code!: DataHealthCode;
  @Field(() => Int, { description: 'The number of records; 0 if there is nothing to mend.' }) count!: number;
}

export const DataHealthFindingConnection = connectionOf('DataHealthFinding', () => DataHealthFinding);

@InputType()
class DataHealthFilter {
  @Field(() => [DataHealthCode], { nullable: true, description: 'Only findings with one of these codes.' })
  codes?: DataHealthCode[] | null;
}

@ArgsType()
export class DataHealthArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => DataHealthFilter, { nullable: true }) filter?: DataHealthFilter | null;
}

/** The permission to read what is wrong with the records of a company. */
export const READS_HEALTH = 'view_report';

const CODES = (Object.keys(CHECKS) as DataHealthCode[]).sort();
const SIDES = Object.keys(RateOwnerType) as RateOwnerType[];

/** The codes that a viewer reads: none of the rates of a side that they do not see. */
const seenBy = (viewer: Viewer): DataHealthCode[] => {
  const sees = (side: RateOwnerType) => viewer.can(`view_${side}_rates`);
  return CODES.filter((code) => (CHECKS[code].side ? sees(CHECKS[code].side) : true));
};

/** SQL of the findings of some codes, of which there is at least one. */
const unionOf = (codes: readonly DataHealthCode[]): string =>
  codes.map((code) => `select '${code}'::text collate "C" as code, f.* from (${CHECKS[code].sql}) f`).join(' union all ');

/** Whether findings of a code may be on the side of a cursor to which the page goes. */
const isWithin = (code: DataHealthCode, cursor: Cursor | undefined): boolean =>
  !cursor || (cursor.backward ? code <= cursor.keys[0]! : code >= cursor.keys[0]!);

interface Row {
  code: DataHealthCode;
  id: string;
  name: string;
  related_id: string | null;
  params: Record<string, string | number>;
}

/** Who asks, of which company, and what statements take of it. @throws Missing, Denied */
function askedBy(ctx: Context, given: string | null | undefined) {
  const companyId = companyOf(ctx, given);
  const viewer = allow(ctx, READS_HEALTH);
  // Each finding is about all records of the company, of which they see some.
  if (viewer.siteIds || viewer.ownRecordsOnly) throw new Denied(READS_HEALTH, 'permission_beyond_sites');
  const sides = SIDES.filter((side) => viewer.can(`view_${side}_rates`));
  return { companyId, viewer, values: [companyId, viewer.companyIds, sides] as unknown[] };
}

/**
 * A page of what is to be mended in the records of a company, by code and record. One statement asks for all codes that may still be on it.
 * @throws Missing, Denied
 */
export async function dataHealthFindings(
  ctx: Context,
  info: GraphQLResolveInfo,
  { companyId: given, filter, ...page }: DataHealthArgs,
): Promise<Connection<DataHealthFinding>> {
  const { companyId, viewer, values } = askedBy(ctx, given);
  const application = applicationOf(ctx.em);
  const list = await readList(DataHealthFinding, page, ctx, { application, companyId, name: 'data_health' });
  const connection = connectionAsked(info.fieldNodes, { fragments: info.fragments, variables: info.variableValues });
  const wanted = seenBy(viewer).filter((code) => !filter?.codes || filter.codes.includes(code));
  const counted = [...values];
  const bound = (cursor: typeof list.after, than: '<' | '>'): string[] =>
    cursor ? [`(f.code, f.id) ${than} ($${values.push(cursor.keys[0])}::text, $${values.push(cursor.keys[1])}::uuid)`] : [];
  const bounds = [...bound(list.after, list.after?.backward ? '<' : '>'), ...bound(list.stop, '<')];
  const order = list.backward ? 'desc' : 'asc';
  const where = bounds.length > 0 ? `where ${bounds.join(' and ')}` : '';
  // What was listed before the cursor is not looked for again.
  const codes = wanted.filter((code) => isWithin(code, list.after) && isWithin(code, list.stop && { ...list.stop, backward: true }));
  const found =
    codes.length === 0
      ? []
      : await queryOf<Row>(
          ctx,
          `with ${GIVEN} select f.* from (${unionOf(codes)}) f ${where} order by f.code ${order}, f.id ${order} limit ${list.limit + 1}`,
          values,
        );
  if (list.backward) found.reverse();
  const data: unknown[] = [found.map((row) => [row, row.code, row.id])];
  if (connection.count) data.push((await countsOf(ctx, wanted, counted)).reduce((sum, { count }) => sum + count, 0));
  const map = (row: unknown): DataHealthFinding => {
    const { code, id, name, related_id: relatedId, params } = row as Row;
    const message = translate(ctx.language, `data_health_${code}`, { ...params, name });
    return { code, recordType: CHECKS[code].recordType, id, name, message, relatedId };
  };
  return connect(data, map as never, list, { application }, connection) as unknown as Connection<DataHealthFinding>;
}

/** How many records each code was found of, of all codes that the viewer reads. @throws Missing, Denied */
export async function dataHealthCounts(ctx: Context, given: string | null | undefined): Promise<DataHealthCount[]> {
  const { viewer, values } = askedBy(ctx, given);
  return countsOf(ctx, seenBy(viewer), values);
}

async function countsOf(ctx: Context, codes: readonly DataHealthCode[], values: unknown[]): Promise<DataHealthCount[]> {
  if (codes.length === 0) return [];
  const found = await queryOf<DataHealthCount>(
    ctx,
    `with ${GIVEN} select f.code, count(*)::int as count from (${unionOf(codes)}) f group by f.code`,
    values,
  );
  const counts = new Map(found.map(({ code, count }) => [code, count]));
  return codes.map((code) => ({ code, count: counts.get(code) ?? 0 }));
}
