import type { DocumentNode, GraphQLSchema } from 'graphql';
import { preparer } from '../platform/graphql/execute.ts';
import { compileDocuments } from '../platform/http/rest/compile.ts';
import type { Execute, Prepare } from '../platform/http/rest/execution.ts';
import type { RestOperation } from '../platform/http/rest/operation.ts';

/** The REST documents of a folder, and what executes them. */
export interface Documents {
  operations: RestOperation[];
  prepare: Prepare;
}

const known = new WeakMap<GraphQLSchema, Map<string, Documents>>();

/**
 * Returns the compiled REST documents of a folder. They depend on nothing but the code, so all applications of a process share them.
 * @param checked they were compared with the schema before, so the comparison is skipped
 * @throws DocumentProblems when a document does not fit the schema
 */
export function documentsOf(schema: GraphQLSchema, directory: string, checked?: boolean): Documents {
  const folders = known.get(schema) ?? new Map<string, Documents>();
  known.set(schema, folders);
  const key = `${checked ?? false} ${directory}`;
  const found = folders.get(key);
  if (found) return found;
  const documents = { operations: compileDocuments(schema, directory, checked), prepare: onceEach(preparer(schema)) };
  folders.set(key, documents);
  return documents;
}

/** Each document has one operation. */
function onceEach(prepare: Prepare): Prepare {
  const prepared = new WeakMap<DocumentNode, Execute>();
  return (document, name) => {
    const execute = prepared.get(document) ?? prepare(document, name);
    prepared.set(document, execute);
    return execute;
  };
}
