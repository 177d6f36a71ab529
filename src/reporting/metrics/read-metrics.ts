import { hash } from 'node:crypto';
import type { GraphQLResolveInfo } from 'graphql';
import { applicationOf } from '../../platform/application.ts';
import type { Context } from '../../platform/context.ts';
import { withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { decimalText } from '../../platform/decimal.ts';
import { Invalid } from '../../platform/errors.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { type List, readList } from '../../platform/read/lists.ts';
import { connect, connectionAsked } from '../../platform/read/pages.ts';
import { type Archived, archivedBefore, archivedOfList, archivesOf, latestOf, reportArchived } from '../../platform/read/past/archived.ts';
import { CATALOGUE, isByUnit } from './catalogue.ts';
import { type MetricArgs, MetricGroup, type MetricKey, type MetricValue } from './metric.inputs.ts';
import { type Asked, groupsSql, namesOf } from './metric-sql.ts';
import { emptyProblemsOf, readQuestion } from './question.ts';
import { IMPORTS } from './sources.ts';

type Row = Record<string, string | null | Record<string, string>>;

/**
 * Returns a page of the groups that a question asks for, by time or name, from one statement.
 * @throws Missing, HaulgateError 403, Invalid as `readQuestion` does
 */
export async function metricsPage(
  ctx: Context,
  info: GraphQLResolveInfo,
  { companyId, ...args }: MetricArgs,
): Promise<Connection<MetricGroup>> {
  const asked = await readQuestion(ctx, args, companyId);
  const items = emptyProblemsOf(args, asked);
  if (items.length > 0) throw new Invalid(items);
  const { measures, groupBy, filter, timeZone, ...page } = args;
  const name = hash('sha256', JSON.stringify([measures, groupBy, filter, timeZone, asked.companyIds]), 'base64url');
  const application = applicationOf(ctx.em);
  const list = await readList(MetricGroup, page, ctx, { application, companyId: asked.companyIds[0]!, name });
  if (countsImports(asked)) for (const id of asked.companyIds) await reportArchived(ctx, info, id, IMPORTS.table);
  const connection = connectionAsked(info.fieldNodes, { fragments: info.fragments, variables: info.variableValues });
  const rows = await rowsOf(ctx, asked, list);
  if (list.backward) rows.reverse();
  const data: unknown[] = [rows.map((row) => [row, ...placeOf(row)])];
  if (connection.count) data.push(await countOf(ctx, asked));
  const map = (row: unknown) => groupOf(asked, row as Row);
  return connect(data, map, list, { application }, connection) as unknown as Connection<MetricGroup>;
}

/** Imports are the only source of a measure that leaves for archives. */
const countsImports = ({ measures }: Asked): boolean =>
  measures.some((measure) => CATALOGUE[measure].parts.some(({ source }) => source === IMPORTS));

/** Returns the archived part of the answer to a question, if there is one: it is complete since the latest time of its companies. */
export async function metricsArchived(ctx: Context, asked: Asked): Promise<Omit<Archived, 'path'> | undefined> {
  if (!countsImports(asked)) return undefined;
  const found: Omit<Archived, 'path'>[] = [];
  for (const id of asked.companyIds) {
    const left = await archivedBefore(ctx, id, IMPORTS.table);
    if (left) found.push(archivedOfList(left, archivesOf(id, IMPORTS.table)));
  }
  return found.length > 0 ? latestOf(found) : undefined;
}

/** Returns the first groups of a question, at most so many. */
export async function metricGroups(ctx: Context, asked: Asked, most: number): Promise<MetricGroup[]> {
  const rows = await rowsOf(ctx, asked, { limit: most - 1, backward: false });
  return rows.map((row) => groupOf(asked, row));
}

const PLACE = /^o\d+$/;
const placeOf = (row: Row): string[] => Object.keys(row).flatMap((name) => (PLACE.test(name) ? [row[name] as string] : []));

async function rowsOf(
  ctx: Context,
  asked: Asked,
  { limit, backward, after, stop }: Pick<List, 'limit' | 'backward' | 'after' | 'stop'>,
): Promise<Row[]> {
  const values: unknown[] = [];
  const groups = groupsSql(ctx, asked, values);
  const { columns, joins, order } = namesOf(asked.groupBy);
  const bound = (cursor: List['after'], direction: '<' | '>'): string[] => {
    if (!cursor || order.length === 0) return [];
    const place = cursor.keys.map((key) => `$${values.push(key)}::text`);
    return [`(${order.join(', ')}) ${direction} (${place.join(', ')})`];
  };
  const bounds = [...bound(after, after?.backward ? '<' : '>'), ...bound(stop, '<')];
  const sorted = order.map((key) => `${key} ${backward ? 'desc' : 'asc'}`).join(', ');
  const selected = [...columns, ...asked.measures.map((_, at) => `g.m${at}`), ...order.map((key, at) => `${key} as o${at}`)];
  const text = `with g as (${groups}) select ${selected.join(', ')} from g ${joins.join(' ')}${bounds.length > 0 ? ` where ${bounds.join(' and ')}` : ''}
    ${sorted ? `order by ${sorted}` : ''} limit ${limit + 1}`;
  const pool = await poolOf(ctx.em);
  // The names of sites and drivers of partners are shown as lists of work show them.
  return (await withPartnerVisibility(() => pool.query<Row>(text, values))).rows;
}

async function countOf(ctx: Context, asked: Asked): Promise<number> {
  const values: unknown[] = [];
  const text = `select count(*)::int as count from (${groupsSql(ctx, asked, values)}) g`;
  const pool = await poolOf(ctx.em);
  return (await withPartnerVisibility(() => pool.query<{ count: number }>(text, values))).rows[0]!.count;
}

/** As every decimal is answered: a number has one text, wherever it is read. */
const shown = (value: string | null): string | null => (value === null ? null : decimalText(value));

function groupOf({ measures, groupBy }: Asked, row: Row): MetricGroup {
  const keys = groupBy.map(
    (dimension, at): MetricKey => ({ dimension, value: row[`k${at}`] as string | null, label: row[`l${at}`] as string | null }),
  );
  const values = measures.flatMap((measure, at): MetricValue[] => {
    const found = row[`m${at}`]!;
    if (!isByUnit(CATALOGUE[measure])) return [{ measure, unit: CATALOGUE[measure].unit ?? null, value: shown(found as string | null) }];
    return Object.entries(found as Record<string, string>)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([unit, value]) => ({ measure, unit: unit || null, value: shown(value) }));
  });
  return { keys, values };
}
