import { provided } from '../../platform/application.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import type { RecordType } from './record-types.ts';

/** Reads the records of changes by the root fields of their types, with the permissions and the planner of any other read. */
export interface ReadableRecords {
  /** Whether the viewer may read records of a type at all. */
  mayRead(viewer: Viewer, type: RecordType): boolean;
  /** The types of which the viewer may read some records of their company only, by a rule of their own: who sent it, what it is attached to. */
  partly(viewer: Viewer): RecordType[];
  /** What was found of those of the ids whose records the viewer sees in the company, by id. */
  visible(ctx: Context, companyId: string, type: RecordType, ids: readonly string[]): Promise<Map<string, object>>;
  /** The records as REST shows them, by their ids, without those that the viewer does not see. */
  documents(ctx: Context, companyId: string, type: RecordType, ids: readonly string[]): Promise<Map<string, object>>;
  /** The table of a type, and whether its rows have the time of their creation. */
  tableOf(type: RecordType): { name: string; hasTime: boolean };
}

export const readableRecords = provided<ReadableRecords>('records of changes');
