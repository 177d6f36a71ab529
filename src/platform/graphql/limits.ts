import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, type OperationDefinitionNode, valueFromASTUntyped } from 'graphql';
import { type Language, translate } from '../i18n/messages.ts';
import { Measure } from './measure.ts';
import { lastMeasured, sizingValues } from './sizing.ts';

/** Bounds of a document that a stranger sends. A dashboard of 25 orders with 25 jobs of 25 loads costs about 100,000. */
export const LIMITS = {
  /** Levels of fields. */
  depth: 12,
  /** Values the answer could hold: each field counts once per row it may come in, lists at their page size. */
  cost: 250_000,
  /** Fields of the document itself, fragments counted at every use. */
  fields: 800,
  /** Lists at the root of a query: each is a separate statement. */
  lists: 20,
  /** Records at the root of a query: each is a separate statement, whose planning takes longer than its execution. */
  records: 60,
  /** Values that an answer about the schema itself could hold; what GraphiQL asks costs about 400,000. */
  introspection: 1_000_000,
};

/**
 * Refuses a document that asks for too much, before anything is executed.
 * @param document valid for the schema
 * @throws GraphQLError `query_too_expensive` with status 400
 */
export function requireAffordable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined | null,
  variables: Record<string, unknown>,
  language: Language,
): void {
  const operation = operationOf(document, operationName);
  if (!operation) return;
  const last = lastMeasured(operation, document);
  const values = sizingValues(last, variables);
  if (values !== undefined && last.values === values) return;
  const size = measured(schema, document, operation, variables);
  for (const name of ['depth', 'cost', 'fields', 'lists', 'records', 'introspection'] as const) {
    const asked = size[name] ?? 0;
    if (asked > LIMITS[name])
      throw tooExpensive(language, { measure: name, most: LIMITS[name], asked: Math.min(asked, Number.MAX_SAFE_INTEGER) });
  }
  last.values = values;
}

/** Returns the size of an operation, in the measures of `LIMITS`; undefined if the document has no such operation. */
export function sizeOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined | null,
  variables: Record<string, unknown>,
): Partial<typeof LIMITS> | undefined {
  const operation = operationOf(document, operationName);
  return operation && measured(schema, document, operation, variables);
}

const operationOf = (document: DocumentNode, operationName: string | undefined | null): OperationDefinitionNode | undefined =>
  document.definitions.find(
    (one): one is OperationDefinitionNode =>
      one.kind === Kind.OPERATION_DEFINITION && (!operationName || one.name?.value === operationName),
  );

function measured(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Partial<typeof LIMITS> {
  const measure = new Measure(schema, document, withDefaults(operation, variables));
  const { looks, ...rest } = measure.set(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
  // Mutations run one after the other, on one connection.
  return { ...rest, cost: rest.cost + looks, ...(operation.operation === 'query' ? measure.roots(operation.selectionSet) : {}) };
}

/** `query_too_expensive`, with what there is too much of. */
export function tooExpensive(language: Language, params: { measure: string; most: number; asked: number }): GraphQLError {
  return new GraphQLError(translate(language, 'query_too_expensive', params), {
    extensions: { code: 'bad_request', ...params, http: { status: 400 } },
  });
}

function withDefaults(operation: OperationDefinitionNode, variables: Record<string, unknown>): Record<string, unknown> {
  const all = { ...variables };
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (all[variable.name.value] === undefined && defaultValue) all[variable.name.value] = valueFromASTUntyped(defaultValue);
  }
  return all;
}
