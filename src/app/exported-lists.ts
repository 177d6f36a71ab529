import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Context } from '../platform/context.ts';
import { readReplicas } from '../platform/database/replicas/open-replicas.ts';
import { setTenant } from '../platform/database/tenant.ts';
import { Invalid } from '../platform/errors.ts';
import { readApart } from '../platform/http/replica-reads.ts';
import { dataOf } from '../platform/http/rest/execution.ts';
import { formatOf, isList, PARQUET } from '../platform/http/rest/exports/formats.ts';
import { inSnapshot } from '../platform/http/rest/exports/snapshot.ts';
import type { RestOperation } from '../platform/http/rest/operation.ts';
import { parseQuery } from '../platform/http/rest/query.ts';
import { coerceVariables } from '../platform/http/rest/variables.ts';
import { newId } from '../platform/ids.ts';
import { latestOf } from '../platform/read/past/archived.ts';
import type { ExportedList, ExportedLists, ExportReader } from '../reporting/exports/exported-lists.ts';
import { documentsOf } from './documents.ts';
import { sheets } from './rooms.ts';
import { readerOf, schemaOfRooms } from './serve.ts';

/** The most elements of a list in a request of REST, as everywhere. */
const MOST_ITEMS = 1_000;
const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson', parquet: PARQUET } as const;

interface Page {
  nodes: unknown[];
  page_info: { has_next_page: boolean; end_cursor: string | null };
}

/** Returns the REST lists of companies. Their documents are compiled at the first use. @param checked as in `documentsOf` */
export function exportedListsOf(orm: MikroORM, root: string, checked?: boolean): ExportedLists {
  const documents = () => documentsOf(schemaOfRooms(), join(root, 'schema/rest'), checked);
  const find = (list: string): RestOperation | undefined => {
    const path = `/v1/companies/{company-id}/${list}`;
    return documents().operations.find((one) => isList(one) && one.paged && !one.secret && (one.path === path || one.scopedPath === path));
  };
  /** @throws Invalid also for a page: all of the list is exported */
  const read = ({ companyId, list, query }: ExportedList) => {
    const operation = find(list)!;
    const tree = parseQuery(`?${query}`);
    if (tree.children.has('page')) throw new Invalid([{ model: 'Request', field: 'page', key: 'export_without_page' }]);
    const { variables } = coerceVariables(
      operation,
      { params: { 'company-id': companyId }, query: tree, body: undefined, strict: true },
      MOST_ITEMS,
    );
    const { document, name } = operation;
    const sheet = sheets[name as keyof typeof sheets];
    return { operation, variables, sheet, execute: documents().prepare(document, name) };
  };
  const pageOf = ({ variables }: RestOperation): string => variables.find(({ place, wire }) => place === 'query' && wire === 'page')!.name;
  const contextOf = ({ viewer, language }: ExportReader): Context => {
    const em = orm.em.fork({ clear: true });
    setTenant(em, viewer);
    const ctx = {
      requestId: newId(),
      language,
      viewer,
      em,
      memo: new Map(),
      contractWords: true,
      archived: [],
    } as Partial<Context> as Context;
    ctx.read = readerOf(orm)(ctx);
    return ctx;
  };
  const formOf = (
    asked: ExportedList,
    { operation, variables, sheet }: Pick<ReturnType<typeof read>, 'operation' | 'variables' | 'sheet'>,
  ) => formatOf(TYPES[asked.format], operation, variables, schemaOfRooms(), asked.format === 'csv' ? sheet : undefined);
  return {
    has: (list) => find(list) !== undefined,
    fileOf(asked) {
      const { filename: name, type } = formOf(asked, read(asked));
      return { name, type };
    },
    async check(ctx, asked) {
      const { operation, variables, execute } = read(asked);
      await dataOf(operation, execute, { ...variables, [pageOf(operation)]: { limit: 1 } }, { ...ctx, memo: new Map() });
    },
    async export(reader, asked, write) {
      const found = read(asked);
      const { operation, execute, sheet } = found;
      const variables =
        (asked.format === 'csv' && sheet && 'narrow' in sheet ? sheet.narrow?.(found.variables) : undefined) ?? found.variables;
      const format = formOf(asked, { ...found, variables });
      const exporting = async () => {
        const context = contextOf(reader);
        await inSnapshot(context, format.chunk, async (snapshot) => {
          let after: string | null = null;
          await write(format.head(false), 0);
          for (let more = true; more; ) {
            const page = { ...variables, [pageOf(operation)]: { limit: format.chunk, after } };
            const { nodes, page_info } = (await dataOf(operation, execute, page, snapshot())) as Page;
            await write(await format.lines(nodes.map((record) => ({ record }))), nodes.length);
            after = page_info.end_cursor;
            more = page_info.has_next_page;
          }
          await write(await format.end(), 0);
        });
        return context.archived!.length > 0 ? latestOf(context.archived!) : undefined;
      };
      return readApart(readReplicas.of(orm.em), exporting);
    },
  };
}
