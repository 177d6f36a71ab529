import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { RecordDocuments } from '../events/webhooks/record-documents.ts';
import { applicationOf } from '../platform/application.ts';
import type { Context } from '../platform/context.ts';
import { poolOf, readingWithin } from '../platform/database/sql.ts';
import { setTenant } from '../platform/database/tenant.ts';
import { Missing } from '../platform/errors.ts';
import { applyEdits } from '../platform/http/rest/answer-edits.ts';
import { executionError } from '../platform/http/rest/envelope.ts';
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
    async show(em, viewer, document, id) {
      const { operations, prepare } = documentsOf(schemaOfRooms(), directory, checked);
      const operation = operations.find(({ name }) => name === document)!;
      const reading = readingWithin(em);
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
      const { data, errors } = await prepare(operation.document, operation.name)({ id }, ctx);
      const error = errors?.length ? executionError(errors) : undefined;
      if (error instanceof Missing) return undefined;
      if (error) throw error;
      if (operation.edits) applyEdits(data, operation.edits, () => false);
      return data?.data as object | undefined;
    },
  };
}
