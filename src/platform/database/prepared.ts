import type { DocumentNode, FieldNode } from 'graphql';
import { Kind } from 'graphql';

/** Seconds a connection lives at most; the pool closes it when it is next free, and what it prepared with it. */
export const LIFETIME = 3_600;
/**
 * Characters of SQL beyond which a statement that a client wrote is not prepared. PostgreSQL keeps 150 to 330 bytes of plan for each of them on
 * every connection: 50 dashboards of 60 fields (5,000 characters) are welcome, documents of 800 fields (27,000) are not.
 */
const SMALL = 12_000;
/** Statements that were asked lately, remembered to see them come again. */
const SEEN = 2_000;

const own = new WeakSet<FieldNode>();

/** Has statements of a document of ours prepared, however large they are: unlike those that clients write there is a fixed number of them. */
export function alwaysPrepare(document: DocumentNode): void {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const selection of definition.selectionSet.selections) if (selection.kind === Kind.FIELD) own.add(selection);
  }
}

/** Whether a root field is of a document of ours. */
export const isOurs = (root: FieldNode | undefined): boolean => root !== undefined && own.has(root);

/**
 * Which statements are prepared: documents that are asked once, with ids written into their text, must fill the memory neither of PostgreSQL
 * nor of this process. Each connection decides itself how many of them it keeps (database/connection/kept-statements.ts).
 */
export class Prepared {
  /** The statement that was unused the longest comes first. */
  readonly #seen = new Set<string>();

  /**
   * The name to run a statement under; undefined runs it unprepared.
   * @param root the field whose statement it is
   */
  nameOf({ name, text }: { name: string; text: string }, root: FieldNode | undefined): string | undefined {
    if (text.length > SMALL && !isOurs(root)) return undefined;
    const again = this.#seen.delete(name);
    this.#seen.add(name);
    if (this.#seen.size > SEEN) this.#seen.delete(this.#seen.values().next().value!);
    return again ? name : undefined;
  }
}
