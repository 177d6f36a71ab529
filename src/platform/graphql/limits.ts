import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { type Language, translate } from '../i18n/messages.ts';
import { DEFAULT_PAGE, MAX_PAGE } from '../read/lists.ts';
import './graphql.messages.ts';

/** Bounds of a document that a stranger sends. A dashboard of 25 orders with 25 jobs of 25 loads costs about 100,000. */
export const LIMITS = {
  /** Levels of fields. */
  depth: 12,
  /** Values the answer could hold: each field counts once per row it may come in, lists at their page size. */
  cost: 250_000,
  /** Fields of the document itself, fragments counted at every use. */
  fields: 3_000,
  /** Tokens the parser reads before it gives up. */
  tokens: 20_000,
};

interface Size {
  cost: number;
  depth: number;
  fields: number;
}

/**
 * Refuses a document that asks for too much, before anything is executed.
 * @throws GraphQLError `query_too_expensive` with status 400
 */
export function requireAffordable(
  document: DocumentNode,
  operationName: string | undefined | null,
  variables: Record<string, unknown>,
  language: Language,
): void {
  const operation = document.definitions.find(
    (one): one is OperationDefinitionNode =>
      one.kind === Kind.OPERATION_DEFINITION && (!operationName || one.name?.value === operationName),
  );
  if (!operation) return;
  const size = measure(operation.selectionSet, new Fragments(document), variables);
  for (const measureName of ['depth', 'cost', 'fields'] as const) {
    if (size[measureName] <= LIMITS[measureName]) continue;
    const params = { measure: measureName, most: LIMITS[measureName], asked: Math.min(size[measureName], Number.MAX_SAFE_INTEGER) };
    throw new GraphQLError(translate(language, 'query_too_expensive', params), {
      extensions: { code: 'bad_request', ...params, http: { status: 400 } },
    });
  }
}

/** Each fragment is measured once, so that fragments of fragments of fragments cost no time. */
class Fragments {
  readonly #definitions: Map<string, FragmentDefinitionNode>;
  readonly #sizes = new Map<string, Size>();

  constructor(document: DocumentNode) {
    this.#definitions = new Map(
      document.definitions
        .filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
        .map((one) => [one.name.value, one]),
    );
  }

  size(name: string, variables: Record<string, unknown>): Size {
    let size = this.#sizes.get(name);
    if (!size) {
      size = measure(this.#definitions.get(name)!.selectionSet, this, variables);
      this.#sizes.set(name, size);
    }
    return size;
  }
}

function measure(set: SelectionSetNode, fragments: Fragments, variables: Record<string, unknown>): Size {
  const total: Size = { cost: 0, depth: 0, fields: 0 };
  for (const selection of set.selections) {
    const size =
      selection.kind === Kind.FIELD
        ? measureField(selection, fragments, variables)
        : selection.kind === Kind.INLINE_FRAGMENT
          ? measure(selection.selectionSet, fragments, variables)
          : fragments.size(selection.name.value, variables);
    total.cost += size.cost;
    total.fields += size.fields;
    total.depth = Math.max(total.depth, size.depth);
  }
  return total;
}

function measureField(field: FieldNode, fragments: Fragments, variables: Record<string, unknown>): Size {
  // Introspection is deep by nature and answered from memory.
  if (field.name.value.startsWith('__')) return { cost: 1, depth: 1, fields: 1 };
  if (!field.selectionSet) return { cost: 1, depth: 1, fields: 1 };
  const inside = measure(field.selectionSet, fragments, variables);
  return { cost: 1 + inside.cost * rowsOf(field, variables), depth: 1 + inside.depth, fields: 1 + inside.fields };
}

/** Rows a field may bring: a connection's page size, one otherwise. */
function rowsOf(field: FieldNode, variables: Record<string, unknown>): number {
  const isConnection = field.selectionSet!.selections.some(
    (one) => one.kind !== Kind.FIELD || one.name.value === 'nodes' || one.name.value === 'edges',
  );
  if (!isConnection) return 1;
  for (const argument of field.arguments ?? []) {
    const value = valueFromASTUntyped(argument.value, variables) as { limit?: unknown } | number | undefined;
    if (argument.name.value === 'first' && typeof value === 'number') return Math.min(Math.max(value, 1), MAX_PAGE);
    if (argument.name.value === 'page' && typeof value === 'object' && typeof value?.limit === 'number')
      return Math.min(Math.max(value.limit, 1), MAX_PAGE);
  }
  return field.selectionSet!.selections.some((one) => one.kind === Kind.FIELD && (one.name.value === 'nodes' || one.name.value === 'edges'))
    ? DEFAULT_PAGE
    : 1;
}
