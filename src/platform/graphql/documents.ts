import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
  Token,
  TokenKind,
  visit,
} from 'graphql';
import { conditionsOf, MOST_SELECTIONS } from './complete/conditions.ts';
import { LIMITS } from './limits.ts';

/** Bytes that documents of clients take in all, parsed and compiled. */
const MOST = 32 * 1024 * 1024;
/** Bytes of a document for each of its fields, fragments counted at every use: measured at 3.4 to 4.7 KB for 60 to 800 fields. */
const OF_A_FIELD = 4_500;
/** Bytes that a document takes for each character of its text. */
const OF_A_CHARACTER = 60;

/**
 * Apollo's store of parsed documents and what was compiled for them, limited by memory: when it was limited by number, 500 large documents
 * took 3 GB.
 */
export class DocumentStore {
  /** The document that was unused the longest comes first. */
  readonly #documents = new Map<string, { document: DocumentNode; bytes: number }>();
  /** The keys of documents by their texts. */
  readonly #keys = new Map<string, string>();
  #bytes = 0;

  /** The document of a text, if it is kept: it was parsed and validated before. */
  find(text: string): DocumentNode | undefined {
    const key = this.#keys.get(text);
    return key === undefined ? undefined : this.#use(key);
  }

  async get(key: string): Promise<DocumentNode | undefined> {
    return this.#use(key);
  }

  #use(key: string): DocumentNode | undefined {
    const kept = this.#documents.get(key);
    if (!kept) return undefined;
    this.#documents.delete(key);
    this.#documents.set(key, kept);
    return kept.document;
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    await this.delete(key);
    const bytes = bytesOf(document);
    // It is refused before it runs; nothing is worth keeping of it.
    if (bytes > MOST) return;
    forgetTokens(document);
    this.#documents.set(key, { document, bytes });
    this.#bytes += bytes;
    if (document.loc) this.#keys.set(document.loc.source.body, key);
    for (const oldest of this.#documents.keys()) {
      if (this.#bytes <= MOST) break;
      await this.delete(oldest);
    }
  }

  async delete(key: string): Promise<boolean> {
    const kept = this.#documents.get(key);
    this.#bytes -= kept?.bytes ?? 0;
    if (kept?.document.loc) this.#keys.delete(kept.document.loc.source.body);
    return this.#documents.delete(key);
  }
}

/** Bytes that a valid document takes in memory, about. */
function bytesOf(document: DocumentNode): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const counts = new Map<string, number>();
  const ofFragment = (name: string): number => {
    let count = counts.get(name);
    if (count === undefined) {
      count = fieldsOf(fragments.get(name)!.selectionSet);
      counts.set(name, count);
    }
    return count;
  };
  const fieldsOf = (set: SelectionSetNode): number => {
    let count = 0;
    for (const one of set.selections) {
      if (one.kind === Kind.FIELD) count += 1 + (one.selectionSet ? fieldsOf(one.selectionSet) : 0);
      else count += one.kind === Kind.INLINE_FRAGMENT ? fieldsOf(one.selectionSet) : ofFragment(one.name.value);
    }
    return count;
  };
  const isConditional = conditionsOf(document) !== undefined;
  let fields = 0;
  for (const one of document.definitions) {
    if (one.kind !== Kind.OPERATION_DEFINITION) continue;
    const all = fieldsOf(one.selectionSet);
    // What is compiled of it was measured before: no selection has more.
    fields += isConditional ? Math.min(all, LIMITS.fields) * MOST_SELECTIONS : all;
  }
  return fields * OF_A_FIELD + (document.loc?.end ?? 0) * OF_A_CHARACTER;
}

const NO_TOKEN = new Token(TokenKind.SOF, 0, 0, 0, 0);

/**
 * Lets the tokens of a parsed document go, each of which keeps all others in memory: 30,000 for the documents of REST. Errors find their
 * lines by the places of the nodes, which stay.
 */
export function forgetTokens(document: DocumentNode): void {
  const forget = ({ loc }: ASTNode): void => {
    if (loc) Object.assign(loc, { startToken: NO_TOKEN, endToken: NO_TOKEN });
  };
  visit(document, { enter: (node) => forget(node) });
}
