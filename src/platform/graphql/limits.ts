import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { type Language, translate } from '../i18n/messages.ts';
import { DEFAULT_PAGE } from '../read/lists.ts';
import { isExact } from '../read/pages.ts';
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

interface Size {
  cost: number;
  /** Rows that lists read, the rows of all parents together: each child has one parent, so more parents do not have more children. */
  looks: number;
  depth: number;
  fields: number;
  introspection: number;
}

/**
 * Rows that a list may read to search or to count: the table of a company, because nothing limits how many of its rows have one parent. A
 * count ends there (read/page-sql.ts).
 */
const TABLE = 10_000;
/** How much more a count without a bound may read. */
const EXACT = 5;
/** The cost of finding the children of one parent, in the same measure: they are sorted if no index has the order. */
const CHILDREN = TABLE / 10;

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

/** What an operation asks for, in the measures of `LIMITS`; undefined if the document has no such operation. */
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
    const total: Size = { cost: 0, looks: 0, depth: 0, fields: 0, introspection: 0 };
    for (const selection of set.selections) {
      const size =
        selection.kind === Kind.FIELD
          ? this.#field(selection, type)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.set(selection.selectionSet, this.#typeOf(selection.typeCondition?.name.value) ?? type)
            : this.#fragment(selection.name.value);
      total.cost += size.cost;
      total.looks += size.looks;
      total.fields += size.fields;
      total.introspection += size.introspection;
      total.depth = Math.max(total.depth, size.depth);
    }
    return total;
  }

  /** Fields at the root of a query that are lists, and those that are single records. */
  roots(set: SelectionSetNode): { lists: number; records: number } {
    const total = { lists: 0, records: 0 };
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const type = this.#schema.getQueryType()?.getFields()[selection.name.value]?.type;
        if (selection.name.value === 'nodes') {
          const ids = argumentOf(selection, 'ids', this.#variables);
          total.records += Array.isArray(ids) ? ids.length : 1;
          continue;
        }
        const isList = type !== undefined && (isListType(getNullableType(type)) || isConnection(getNamedType(type)));
        if (isList) total.lists++;
        else if (selection.selectionSet && type) total.records++;
        continue;
      }
      const inside = selection.kind === Kind.INLINE_FRAGMENT ? this.roots(selection.selectionSet) : this.#rootsOf(selection.name.value);
      total.lists += inside.lists;
      total.records += inside.records;
    }
    return total;
  }

  readonly #rootFragments = new Map<string, { lists: number; records: number }>();
  #rootsOf(name: string): { lists: number; records: number } {
    let found = this.#rootFragments.get(name);
    if (!found) {
      found = this.roots(this.#fragments.get(name)!.selectionSet);
      this.#rootFragments.set(name, found);
    }
    return found;
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
    if (!field.selectionSet) return { cost: 1, looks: 0, depth: 1, fields: 1, introspection: 0 };
    const name = field.name.value;
    // Introspection is deep by nature and answered from memory, so it has a separate budget.
    if (name.startsWith('__')) return { cost: 1, looks: 0, depth: 1, fields: 1, introspection: this.#described(field.selectionSet) };
    const definition = isObjectType(parent) ? parent.getFields()[name] : undefined;
    const type = getNamedType(definition?.type);
    const isPage = isConnection(type);
    const ids = name === 'nodes' && this.#isRoot(parent) ? argumentOf(field, 'ids', this.#variables) : undefined;
    // Lists without pages say how many rows they bring.
    const rows = Array.isArray(ids) ? ids.length : isPage ? pageSize(field, this.#variables) : Number(definition?.extensions.rows ?? 1);
    const inside = this.set(field.selectionSet, type);
    const isBelow = isPage && !this.#isRoot(parent);
    const searched = isPage && isSearched(field, this.#variables) ? TABLE : 0;
    // The children of one parent are counted by an index.
    const counted = isPage ? this.#counts(field.selectionSet) * (isBelow ? CHILDREN : TABLE) : 0;
    const looks = searched + counted + (isBelow ? CHILDREN : 0);
    // Each row of a list has its own children. But rows may all name the same record: then each of them reads all children of that record.
    const isList = definition !== undefined && isListType(getNullableType(definition.type));
    const isOfList = isPage || isList || isConnection(parent) || isEdge(parent);
    return {
      ...inside,
      cost: 1 + (inside.cost + (isOfList ? 0 : inside.looks)) * rows,
      looks: looks + (isOfList ? inside.looks : 0),
      depth: 1 + inside.depth,
      fields: 1 + inside.fields,
    };
  }

  #isRoot(type: GraphQLNamedType | undefined): boolean {
    return type !== undefined && (type === this.#schema.getQueryType() || type === this.#schema.getMutationType());
  }

  /** How many times a connection's rows are counted for its `count`, in fragments too: five times as many if all of them are. */
  #counts(set: SelectionSetNode): number {
    return set.selections.reduce((most, one) => {
      if (one.kind === Kind.FIELD) {
        if (one.name.value !== 'count') return most;
        return Math.max(most, isExact(one, { variables: this.#variables }) ? EXACT : 1);
      }
      return Math.max(most, one.kind === Kind.INLINE_FRAGMENT ? this.#counts(one.selectionSet) : this.#countsOfFragment(one.name.value));
    }, 0);
  }

  readonly #counted = new Map<string, number>();
  #countsOfFragment(name: string): number {
    let counted = this.#counted.get(name);
    if (counted === undefined) {
      counted = this.#counts(this.#fragments.get(name)!.selectionSet);
      this.#counted.set(name, counted);
    }
    return counted;
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

/** The cost of a connection for each row, next to the row's cursor. */
function isEdge(type: GraphQLNamedType | undefined): boolean {
  return isObjectType(type) && 'node' in type.getFields() && 'cursor' in type.getFields();
}

function isConnection(type: GraphQLNamedType | undefined): boolean {
  return isObjectType(type) && 'nodes' in type.getFields() && 'pageInfo' in type.getFields();
}

/**
 * The rows that a connection brings. If the size is given in both ways, which the list refuses, the larger counts. A size above the limit
 * counts in full, so that an absurd one is refused here.
 */
function pageSize(field: FieldNode, variables: Record<string, unknown>): number {
  const sizes = ['first', 'last', 'page'].flatMap((name) => {
    const value = argumentOf(field, name, variables) as { limit?: unknown } | number | null | undefined;
    const size = name !== 'page' ? value : (value as { limit?: unknown } | null | undefined)?.limit;
    return typeof size === 'number' ? [Math.max(size, 1)] : [];
  });
  return sizes.length > 0 ? Math.max(...sizes) : DEFAULT_PAGE;
}

function isSearched(field: FieldNode, variables: Record<string, unknown>): boolean {
  const search = argumentOf(field, 'search', variables);
  return search !== undefined && search !== null && search !== '';
}

function argumentOf(field: FieldNode, name: string, variables: Record<string, unknown>): unknown {
  const argument = field.arguments?.find((one) => one.name.value === name);
  return argument && valueFromASTUntyped(argument.value, variables);
}
