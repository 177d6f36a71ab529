import { ImportedRecordResolver } from './api/imported-record.resolver.ts';
import { IngestResolver, importBatchFilters, importedRecordFilters, importedRecordSearch } from './api/ingest.resolver.ts';
import { LiveImportsResolver } from './api/live-imports.resolver.ts';
import { replayMessages } from './api/replay.messages.ts';
import { ResubmitResolver, replayMutations } from './api/replay.resolver.ts';
import { csvMessages } from './csv/csv.messages.ts';
import { CsvResolver, SheetMutations } from './csv/csv.resolver.ts';
import { ingestMessages } from './ingest.messages.ts';
import { ImportBatch, importBatchSorts } from './ledger/import-batch.entity.ts';
import { ImportedRecord, importedRecordSorts } from './ledger/imported-record.entity.ts';
import { importBatchAccess, importedRecordAccess, importTaskAccess } from './ledger/imports.access.ts';
import { ledgerMessages } from './ledger/ledger.messages.ts';
import { LEDGER } from './ledger/ledger-purpose.ts';
import { warningsOfLinkedTickets } from './tickets/answered-warnings.ts';
import { linkingOfTickets } from './tickets/link-waiting.ts';
import { ticketMessages } from './tickets/ticket.messages.ts';

/** The entities of the room. */
export const entities = [ImportBatch, ImportedRecord];

/** The accesses to the room's records: one for each entity. */
export const access = [importedRecordAccess, importBatchAccess, importTaskAccess];

/** The filters, sorts and searches of the room's lists. */
export const lists = [importBatchSorts, importBatchFilters, importedRecordSorts, importedRecordFilters, importedRecordSearch];

/** The room's messages. */
export const messages = [replayMessages, csvMessages, ingestMessages, ledgerMessages, ticketMessages];

/** The room's tasks across companies, and the tables that only they use. */
export const purposes = [LEDGER];

/** The consequences in the room of changes of lower rooms' records. */
export const consequences = [warningsOfLinkedTickets, linkingOfTickets];

/** The resolvers of the room. */
export const resolvers: Function[] = [
  LiveImportsResolver,
  IngestResolver,
  ImportedRecordResolver,
  ResubmitResolver,
  ...replayMutations,
  CsvResolver,
  ...SheetMutations,
];
