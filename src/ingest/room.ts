import { ImportedRecordResolver } from './api/imported-record.resolver.ts';
import { IngestResolver } from './api/ingest.resolver.ts';
import { ReplayResolver } from './api/replay.resolver.ts';
import { CsvResolver, SheetMutations } from './csv/csv.resolver.ts';
import { ImportBatch } from './ledger/import-batch.entity.ts';
import { ImportedRecord } from './ledger/imported-record.entity.ts';
import { importBatchAccess, importedRecordAccess, importTaskAccess } from './ledger/imports.access.ts';

/** The entities of the room. */
export const entities = [ImportBatch, ImportedRecord];

/** Who sees the room's records: one access for each entity. */
export const access = [importedRecordAccess, importBatchAccess, importTaskAccess];

/** The resolvers of the room. */
export const resolvers: Function[] = [IngestResolver, ImportedRecordResolver, ReplayResolver, CsvResolver, ...SheetMutations];
