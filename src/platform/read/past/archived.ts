import type { GraphQLResolveInfo } from 'graphql';
import { Extensions } from 'type-graphql';
import { type InApplication, perApplication } from '../../application.ts';
import { companyOf } from '../../authz/authorization.ts';
import type { Context } from '../../context.ts';
import { type Query, queryOf } from '../../database/sql.ts';
import { Gone, Missing } from '../../errors.ts';
import { defineMessages } from '../../i18n/messages.ts';
import { isUuid, timeOf } from '../../ids.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Of a root field: the answer says what of its list is in archives. */
    reportsArchived?: true;
    /** Of a root field: a record that is in an archive is refused as gone. */
    refusesArchived?: true;
  }
}

/** A list that calls `reportArchived`. */
export const ReportsArchived = (): MethodDecorator => Extensions({ reportsArchived: true });
/** A field that reads by `orArchived`. */
export const RefusesArchived = (): MethodDecorator => Extensions({ refusesArchived: true });

export const archivedMessages = defineMessages({
  archived: {
    en: 'is archived: what is older than {{before}} is at hand no longer, and the operator can read it back',
    'es-us': 'está archivado: lo anterior a {{before}} ya no está disponible, y el operador puede recuperarlo',
    'fr-ca': "est archivé : ce qui précède le {{before}} n'est plus disponible, et l'exploitant peut le restaurer",
  },
  archive_deleted: {
    en: 'is gone: what is older than {{before}} was archived, and the archives were deleted when their time was over',
    'es-us': 'ya no existe: lo anterior a {{before}} se archivó, y los archivos históricos se eliminaron al cumplirse su plazo',
    'fr-ca': "n'existe plus : ce qui précède le {{before}} a été archivé, et les archives ont été supprimées à la fin de leur délai",
  },
  as_of_archived: {
    en: 'cannot be answered: the audit log before {{before}} is archived, and the record was made before',
    'es-us': 'no se puede responder: el registro de auditoría anterior a {{before}} está archivado, y el registro se creó antes',
    'fr-ca': "ne peut pas être répondu : le journal d'audit d'avant le {{before}} est archivé, et l'enregistrement a été créé avant",
  },
});

/** SQL of the end of a month. */
const END = `to_char(p.period + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"')`;
/**
 * SQL of the end of the last month of which rows of the company `$1` have left the table `$2` for an archive, and of the last month of which the archive
 * itself was deleted; no row if nothing has left.
 */
const ARCHIVED_BEFORE = `select ${END} as before, (select ${END} from archive_piece p
    where p.company_id = $1::uuid and p.table_name = $2 and p.deleted_at is not null order by p.period desc limit 1) as deleted from archive_piece p
  where p.company_id = $1::uuid and p.table_name = $2 and p.state = 'removed' order by p.period desc limit 1`;

/** The same of the companies `$1`, each with its id as `company`. */
const ARCHIVED_BEFORE_OF = `select p.company_id as company, to_char(max(p.period) + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"') as before from archive_piece p
  where p.company_id = any($1::uuid[]) and p.table_name = $2 and p.state = 'removed' group by p.company_id`;

/** Since when the rows of companies are at hand in a table (ISO 8601), by company; those of whom nothing is archived are not in it. */
export async function archivedOf(ask: Query, companyIds: readonly string[], table: string): Promise<Map<string, string>> {
  const rows = await ask<{ company: string; before: string }>(ARCHIVED_BEFORE_OF, [companyIds, table]);
  return new Map(rows.map(({ company, before }) => [company, before]));
}

/** The time in milliseconds after which the archives of a company are looked up again; rows leave once an hour at most. */
const FRESH = 60_000;
const known = perApplication('what is archived', () => new Map<string, { at: number; left: Left | undefined }>());

/** The time before which rows have left a table of a company (ISO 8601). */
export interface Left {
  /** Rows of before are archived. */
  before: string;
  /** Archives of before were deleted, because their time was over; null if none were. */
  deleted: string | null;
}

/** Since when rows of a company are at hand in a table: older ones are archived. Undefined if none are. */
export async function archivedBefore(ctx: Context, companyId: string, table: string): Promise<Left | undefined> {
  const cache = known.of(ctx.em);
  const name = `${companyId} ${table}`;
  const found = cache.get(name);
  if (found && Date.now() - found.at < FRESH) return found.left;
  const [left] = await queryOf<Left>(ctx, ARCHIVED_BEFORE, [companyId, table]);
  if (cache.size > MOST_KNOWN) cache.clear();
  cache.set(name, { at: Date.now(), left });
  return left;
}
const MOST_KNOWN = 10_000;

/** Has the next questions ask the database: something has left. */
export const forgetArchived = (application: InApplication): void => known.of(application).clear();

/** A record that may have left for an archive. */
interface Sought {
  model: string;
  table: string;
  id: string;
  /** As the caller names it; their own by default. */
  companyId: string | null | undefined;
}

/**
 * Reads a record that may be archived. One that is not there, and whose id is of a time of which the company's records are archived, is gone: its id
 * says when it was made, so that nothing has to be kept of it.
 * @throws Gone, and what `read` throws
 */
export async function orArchived<T>(ctx: Context, { model, table, id, companyId }: Sought, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Missing) || !isUuid(id)) throw error;
    const { before, deleted } = (await archivedBefore(ctx, companyOf(ctx, companyId), table)) ?? {};
    if (deleted && timeOf(id) < Date.parse(deleted)) throw new Gone(model, 'id', 'archive_deleted', { before: deleted });
    if (before && timeOf(id) < Date.parse(before)) throw new Gone(model, 'id', 'archived', { before });
    throw error;
  }
}

/** Says with the answer since when a list is complete (`meta.archived` over REST, `extensions.archived` over GraphQL). */
export async function reportArchived(ctx: Context, info: GraphQLResolveInfo, companyId: string, table: string): Promise<void> {
  if (!info.parentType.getFields()[info.fieldName]?.extensions.reportsArchived)
    throw new Error(`${info.fieldName} is no @ReportsArchived()`);
  const left = await archivedBefore(ctx, companyId, table);
  if (!left) return;
  ctx.archived ??= [];
  ctx.archived.push({ path: [info.fieldNodes[0]!.alias?.value ?? info.fieldName], ...archivedOfList(left, archivesOf(companyId, table)) });
}

/** Returns the note about the archives of a list. @param place where the archives are */
export const archivedOfList = ({ before, deleted }: Left, place: string): Omit<Archived, 'path'> => ({
  before,
  ...(deleted ? { deleted } : {}),
  in: place,
});

/** Where the operator's storage has the archives of a table of a company. */
export const archivesOf = (companyId: string, table: string): string => `archives/${companyId}/${table}/`;

/** Returns the note of one answer, which may be of several companies: it is complete since the latest time of them. */
export function latestOf(archived: readonly Omit<Archived, 'path'>[]): Omit<Archived, 'path'> {
  const { before, in: place } = archived.reduce((one, other) => (other.before > one.before ? other : one));
  const deleted =
    archived
      .flatMap((one) => one.deleted ?? [])
      .sort()
      .at(-1) ?? null;
  return archivedOfList({ before, deleted }, place);
}

/** The archived part of a list. */
export interface Archived {
  /** Where the answer has the list. */
  path: string[];
  /** Rows of before are archived (ISO 8601). */
  before: string;
  /** Archives of before were deleted, because their time was over (ISO 8601); absent if none were. */
  deleted?: string;
  /** Where the operator's storage has them. */
  in: string;
}
declare module '../../context.ts' {
  interface Context {
    archived?: Archived[];
  }
}
