import type { EntityManager } from '@mikro-orm/postgresql';
import { provided } from '../../platform/application.ts';
import type { Viewer } from '../../platform/context.ts';

/** What answers REST, for use within a transaction. */
export interface RecordDocuments {
  /**
   * The body of a REST document of one record, without its envelope, as the viewer may see it and as the running transaction of `em` has it.
   * @returns undefined for what the viewer does not see
   */
  show(em: EntityManager, viewer: Viewer, document: string, id: string): Promise<object | undefined>;
}

export const recordDocuments = provided<RecordDocuments>('REST documents of records');
