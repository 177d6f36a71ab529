import type { DocumentNode } from 'graphql';

/** Documents that are kept parsed, with what was compiled and planned for them: about a hundred kilobytes each. */
const MOST = 500;

/** Apollo's store of parsed documents, by number: by the length of their text it would keep ten thousand small ones. */
export class DocumentStore {
  readonly #documents = new Map<string, DocumentNode>();

  async get(key: string): Promise<DocumentNode | undefined> {
    const document = this.#documents.get(key);
    if (!document) return undefined;
    // The first of the map is the one that nobody has asked for the longest.
    this.#documents.delete(key);
    this.#documents.set(key, document);
    return document;
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    this.#documents.set(key, document);
    if (this.#documents.size <= MOST) return;
    for (const oldest of this.#documents.keys()) {
      this.#documents.delete(oldest);
      break;
    }
  }

  async delete(key: string): Promise<boolean> {
    return this.#documents.delete(key);
  }
}
