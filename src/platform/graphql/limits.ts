import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { type Language, translate } from '../i18n/messages.ts';
import { DEFAULT_PAGE } from '../read/lists.ts';
import './graphql.messages.ts';

/** Bounds of a document that a stranger sends. A dashboard of 25 orders with 25 jobs of 25 loads costs about 100,000. */
export const LIMITS = {
  /** Levels of fields. */
  depth: 12,
  /** Values the answer could hold: each field counts once per row it may come in, lists at their page size. */
  cost: 250_000,
  /** Fields of the document itself, fragments counted at every use. */
  fields: 3_000,
  /** Values that an answer about the schema itself could hold; what GraphiQL asks costs about 400,000. */
  introspection: 1_000_000,
};

interface Size {
  cost: number;
  depth: number;
  fields: number;
  introspection: number;
}

/** Rows that lists of the schema's description bring, about; `types` times `fields` times `args` times the types of each. */
const DESCRIBED: Record<string, number> = { types: 400, fields: 12, args: 3, inputFields: 5, enumValues: 5, directives: 5 };

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
  const operation = document.definitions.find(
    (one): one is OperationDefinitionNode =>
      one.kind === Kind.OPERATION_DEFINITION && (!operationName || one.name?.value === operationName),
  );
  if (!operation) return;
  const size = new Measure(schema, document, withDefaults(operation, variables)).set(
    operation.selectionSet,
    schema.getRootType(operation.operation) ?? undefined,
  );
  for (const measure of ['depth', 'cost', 'fields', 'introspection'] as const) {
    if (size[measure] <= LIMITS[measure]) continue;
    throw tooExpensive(language, { measure, most: LIMITS[measure], asked: Math.min(size[measure], Number.MAX_SAFE_INTEGER) });
  }
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

class Measure {
  readonly #schema: GraphQLSchema;
  readonly #variables: Record<string, unknown>;
  readonly #fragments: Map<string, FragmentDefinitionNode>;
  /** Each fragment is measured once, so that fragments of fragments of fragments cost no time. */
  readonly #sizes = new Map<string, Size>();

  constructor(schema: GraphQLSchema, document: DocumentNode, variables: Record<string, unknown>) {
    this.#schema = schema;
    this.#variables = variables;
    this.#fragments = new Map(
      document.definitions
        .filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
        .map((one) => [one.name.value, one]),
    );
  }

  set(set: SelectionSetNode, type: GraphQLNamedType | undefined): Size {
    const total: Size = { cost: 0, depth: 0, fields: 0, introspection: 0 };
    for (const selection of set.selections) {
      const size =
        selection.kind === Kind.FIELD
          ? this.#field(selection, type)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.set(selection.selectionSet, this.#typeOf(selection.typeCondition?.name.value) ?? type)
            : this.#fragment(selection.name.value);
      total.cost += size.cost;
      total.fields += size.fields;
      total.introspection += size.introspection;
      total.depth = Math.max(total.depth, size.depth);
    }
    return total;
  }

  #fragment(name: string): Size {
    let size = this.#sizes.get(name);
    if (!size) {
      const definition = this.#fragments.get(name)!;
      size = this.set(definition.selectionSet, this.#typeOf(definition.typeCondition.name.value));
      this.#sizes.set(name, size);
    }
    return size;
  }

  #field(field: FieldNode, parent: GraphQLNamedType | undefined): Size {
    if (!field.selectionSet) return { cost: 1, depth: 1, fields: 1, introspection: 0 };
    const name = field.name.value;
    // What the schema says of itself is deep by nature and answered from memory, so it has a budget of its own.
    if (name.startsWith('__')) return { cost: 1, depth: 1, fields: 1, introspection: this.#described(field.selectionSet) };
    const definition = isObjectType(parent) ? parent.getFields()[name] : undefined;
    const type = getNamedType(definition?.type);
    // Lists without pages say how many rows they bring.
    const rows = isConnection(type) ? pageSize(field, this.#variables) : Number(definition?.extensions.rows ?? 1);
    const inside = this.set(field.selectionSet, type);
    return {
      ...inside,
      cost: 1 + inside.cost * rows,
      depth: 1 + inside.depth,
      fields: 1 + inside.fields,
    };
  }

  #described(set: SelectionSetNode): number {
    let total = 0;
    for (const one of set.selections) {
      if (one.kind === Kind.FIELD)
        total += 1 + (one.selectionSet ? this.#described(one.selectionSet) * (DESCRIBED[one.name.value] ?? 1) : 0);
      else if (one.kind === Kind.INLINE_FRAGMENT) total += this.#described(one.selectionSet);
      else total += this.#describedFragment(one.name.value);
    }
    return total;
  }

  readonly #descriptions = new Map<string, number>();
  #describedFragment(name: string): number {
    let size = this.#descriptions.get(name);
    if (size === undefined) {
      size = this.#described(this.#fragments.get(name)!.selectionSet);
      this.#descriptions.set(name, size);
    }
    return size;
  }

  #typeOf(name: string | undefined): GraphQLNamedType | undefined {
    return name === undefined ? undefined : this.#schema.getType(name);
  }
}

function isConnection(type: GraphQLNamedType | undefined): boolean {
  return isObjectType(type) && 'nodes' in type.getFields() && 'pageInfo' in type.getFields();
}

/** Rows that a connection brings; a size beyond what is allowed counts in full, so that it is refused here when it is absurd. */
function pageSize(field: FieldNode, variables: Record<string, unknown>): number {
  for (const argument of field.arguments ?? []) {
    const value = valueFromASTUntyped(argument.value, variables) as { limit?: unknown } | number | null | undefined;
    const size =
      argument.name.value === 'first' ? value : argument.name.value === 'page' ? (value as { limit?: unknown })?.limit : undefined;
    if (typeof size === 'number') return Math.max(size, 1);
  }
  return DEFAULT_PAGE;
}
