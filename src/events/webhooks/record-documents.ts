import type { EntityManager } from '@mikro-orm/postgresql';
import { provided } from '../../platform/application.ts';
import type { Viewer } from '../../platform/context.ts';

/** The documents that answer REST, for use within a transaction. */
export interface RecordDocuments {
  /**
   * The bodies of a REST document of records, without their envelopes, as the viewer may see them and as the running transaction of `em` has them.
   * They are read together.
   * @returns by id; nothing for what the viewer does not see
   */
  show(em: EntityManager, viewer: Viewer, document: string, ids: readonly string[]): Promise<Map<string, object>>;
}

export const recordDocuments = provided<RecordDocuments>('REST documents of records');
