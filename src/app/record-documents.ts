import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { RecordDocuments } from '../events/webhooks/record-documents.ts';
import { applicationOf } from '../platform/application.ts';
import { noteRead } from '../platform/commands/last-reads.ts';
import type { Context } from '../platform/context.ts';
import { poolOf, readingWithin } from '../platform/database/sql.ts';
import { setTenant } from '../platform/database/tenant.ts';
import { Missing } from '../platform/errors.ts';
import { readTogether } from '../platform/graphql/read-each.ts';
import { dataOf } from '../platform/http/rest/execution.ts';
import { newId } from '../platform/ids.ts';
import { Reader } from '../platform/read/reader.ts';
import { documentsOf } from './documents.ts';
import { schemaOfRooms } from './serve.ts';

/**
 * Returns what shows records as REST does. The documents are compiled at the first use: most processes that only do background work need
 * none. @param checked the documents were compared with the schema before
 */
export function documentsOfRecords(orm: MikroORM, root: string, checked?: boolean): RecordDocuments {
  const directory = join(root, 'schema/rest');
  return {
    async show(em, viewer, document, ids) {
      const { operations, prepare } = documentsOf(schemaOfRooms(), directory, checked);
      const operation = operations.find(({ name }) => name === document)!;
      const reading = readingWithin(em, (read) => noteRead(em, read));
      setTenant(reading, viewer);
      const ctx = {
        requestId: newId(),
        language: 'en',
        viewer,
        em: reading,
        memo: new Map(),
        contractWords: true,
      } as Partial<Context> as Context;
      ctx.read = new Reader(ctx, { application: applicationOf(em), pool: () => poolOf(reading), metadata: orm.getMetadata() });
      const execute = prepare(operation.document, operation.name);
      const shown = new Map<string, object>();
      const found = await readTogether(ctx, ids, (id, one) => dataOf(operation, execute, { id }, one));
      for (const [at, record] of found.entries()) {
        if (record instanceof Missing) continue;
        if (record instanceof Error) throw record;
        if (record) shown.set(ids[at]!, record);
      }
      return shown;
    },
  };
}
