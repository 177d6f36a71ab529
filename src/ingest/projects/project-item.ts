import type { Change } from '../apply/change.ts';
import type { ClaimedRecord } from '../importer.ts';
import type { ProjectDraft } from './parse-project.ts';

/** A record that will be written: its draft, what it changes of the project it matched (if any), and what its nested records resolved to. */
export interface Item {
  record: ClaimedRecord;
  draft: ProjectDraft;
  id: string;
  routeId: string;
  /** Columns as the payload wants them. */
  wanted: Record<string, unknown>;
  /** Of a project that is there. */
  change?: Change;
}
