import { CsvResolver, SheetMutations } from './csv/csv.resolver.ts';
import { ImportBatch } from './import-batch.entity.ts';
import { ImportedRecord } from './imported-record.entity.ts';
import { ImportedRecordResolver } from './imported-record.resolver.ts';
import { IngestResolver } from './ingest.resolver.ts';
import { ReplayResolver } from './replay.resolver.ts';

/** What the room keeps. */
export const entities = [ImportBatch, ImportedRecord];

/** The fields of the room's interface. */
export const resolvers: Function[] = [IngestResolver, ImportedRecordResolver, ReplayResolver, CsvResolver, ...SheetMutations];
