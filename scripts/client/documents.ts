import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, type DocumentNode, type FragmentDefinitionNode, type GraphQLSchema, Kind, parse, print, visit } from 'graphql';

const FOLDER = 'src/client/documents';
/** A document of the guide that is worth having, too. */
const DASHBOARD = 'docs/dashboard.graphql';

const text = 'string';
const CONFIG: operations.TypeScriptDocumentsPluginConfig = {
  strictScalars: true,
  arrayInputCoercion: false,
  scalars: {
    ...{ ID: text, Date: text, DateTime: text, DateOrInstant: text, Csv: text, Kml: text, JSON: 'unknown' },
    Decimal: { input: 'string | number', output: text },
    WholeNumber: { input: 'string | number', output: text },
  },
};

/** Returns the GraphQL documents of the package: their JavaScript, and the types of their answers and variables. */
export async function documentsOf(sdl: string): Promise<{ js: string; types: string }> {
  const schema: GraphQLSchema = buildSchema(sdl);
  const files = [
    ...readdirSync(FOLDER)
      .sort()
      .map((name) => join(FOLDER, name)),
    DASHBOARD,
  ];
  const documents = files.map((location) => ({ location, document: parse(readFileSync(location, 'utf8'), { noLocation: true }) }));
  const generated = await codegen({
    ...{ filename: 'documents.ts', schema: parse(sdl), schemaAst: schema, documents, config: {} },
    plugins: [{ operations: CONFIG }],
    pluginMap: { operations },
  });
  const all: DocumentNode = { kind: Kind.DOCUMENT, definitions: documents.flatMap(({ document }) => document.definitions) };
  const fragments = new Map(
    all.definitions
      .filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
      .map((one) => [one.name.value, one]),
  );
  const js = ['const document = (text) => ({ toString: () => text });'];
  const types = ["import type { TypedDocument } from './client.js';", generated];
  for (const operation of all.definitions) {
    if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
    const name = operation.name!.value;
    const whole = [operation, ...usedBy(operation, fragments)].map(print).join('\n\n');
    const kind = operation.operation[0]!.toUpperCase() + operation.operation.slice(1);
    js.push(`export const ${name} = document(${JSON.stringify(whole)});`);
    types.push(`export declare const ${name}: TypedDocument<${name}${kind}, ${name}${kind}Variables>;`);
  }
  return { js: `${js.join('\n')}\n`, types: `${types.join('\n')}\n` };
}

/** The fragments of an operation, and theirs. */
function usedBy(
  node: Parameters<typeof visit>[0],
  fragments: Map<string, FragmentDefinitionNode>,
  found = new Set<FragmentDefinitionNode>(),
) {
  visit(node, {
    FragmentSpread({ name }) {
      const fragment = fragments.get(name.value)!;
      if (found.has(fragment)) return;
      found.add(fragment);
      usedBy(fragment, fragments, found);
    },
  });
  return found;
}
