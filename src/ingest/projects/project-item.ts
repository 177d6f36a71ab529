import type { Change } from '../apply/change.ts';
import type { ClaimedRecord } from '../importer.ts';
import type { ProjectDraft } from './parse-project.ts';

/** A record that will be written: its draft, its changes to the project it matched (if any), and what its nested records resolved to. */
export interface Item {
  record: ClaimedRecord;
  draft: ProjectDraft;
  id: string;
  routeId: string;
  /** The columns of the payload. */
  wanted: Record<string, unknown>;
  /** Set for an existing project. */
  change?: Change;
}
