import { ImportedRecordResolver } from './api/imported-record.resolver.ts';
import { IngestResolver } from './api/ingest.resolver.ts';
import { ReplayResolver } from './api/replay.resolver.ts';
import { CsvResolver, SheetMutations } from './csv/csv.resolver.ts';
import { ImportBatch } from './ledger/import-batch.entity.ts';
import { ImportedRecord } from './ledger/imported-record.entity.ts';

/** The entities of the room. */
export const entities = [ImportBatch, ImportedRecord];

/** The resolvers of the room. */
export const resolvers: Function[] = [IngestResolver, ImportedRecordResolver, ReplayResolver, CsvResolver, ...SheetMutations];
