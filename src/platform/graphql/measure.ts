import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { DEFAULT_PAGE } from '../read/lists.ts';
import { isExact } from '../read/pages.ts';
import { isIncluded } from '../read/selection.ts';

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
/** The factor by which a count without a bound may read more. */
const EXACT = 5;
/** The cost of finding the children of one parent, in the same measure: they are sorted if no index has the order. */
const CHILDREN = TABLE / 10;

/** Rows that lists of the schema's description bring, about; `types` times `fields` times `args` times the types of each. */
const DESCRIBED: Record<string, number> = { types: 400, fields: 12, args: 3, inputFields: 5, enumValues: 5, directives: 5 };

/** Measures what a valid document selects with the values of its variables: what `@include` and `@skip` leave out is neither compiled nor read. */
export class Measure {
  readonly #schema: GraphQLSchema;
  readonly #variables: Record<string, unknown>;
  readonly #fragments: Map<string, FragmentDefinitionNode>;

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
    for (const selection of this.#selected(set)) {
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
    for (const selection of this.#selected(set)) {
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

  readonly #rootsOf = this.#once(({ selectionSet }) => this.roots(selectionSet));
  readonly #fragment = this.#once(({ selectionSet, typeCondition }) => this.set(selectionSet, this.#typeOf(typeCondition.name.value)));

  /** Each fragment is measured once, so that fragments of fragments of fragments cost no time. */
  #once<T>(measure: (fragment: FragmentDefinitionNode) => T): (name: string) => T {
    const known = new Map<string, T>();
    return (name) => {
      if (!known.has(name)) known.set(name, measure(this.#fragments.get(name)!));
      return known.get(name)!;
    };
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
    // A field that is computed of whole tables says so itself.
    const computed = Number(definition?.extensions.reads ?? 0);
    const looks = searched + counted + computed + (isBelow ? CHILDREN : 0);
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

  #selected({ selections }: SelectionSetNode): readonly SelectionNode[] {
    const isConditional = selections.some(({ directives }) => directives?.length);
    return isConditional ? selections.filter(({ directives = [] }) => isIncluded(directives, { variables: this.#variables })) : selections;
  }

  #isRoot(type: GraphQLNamedType | undefined): boolean {
    return type !== undefined && (type === this.#schema.getQueryType() || type === this.#schema.getMutationType());
  }

  /** Returns the factor of a connection's rows for its `count`, also in fragments: 0 without one, 5 if all rows are counted. */
  #counts(set: SelectionSetNode): number {
    return this.#selected(set).reduce((most, one) => {
      if (one.kind === Kind.FIELD) {
        if (one.name.value !== 'count') return most;
        return Math.max(most, isExact(one, { variables: this.#variables }) ? EXACT : 1);
      }
      return Math.max(most, one.kind === Kind.INLINE_FRAGMENT ? this.#counts(one.selectionSet) : this.#countsOfFragment(one.name.value));
    }, 0);
  }

  readonly #countsOfFragment = this.#once(({ selectionSet }) => this.#counts(selectionSet));

  #described(set: SelectionSetNode): number {
    let total = 0;
    for (const one of this.#selected(set)) {
      if (one.kind === Kind.FIELD)
        total += 1 + (one.selectionSet ? this.#described(one.selectionSet) * (DESCRIBED[one.name.value] ?? 1) : 0);
      else if (one.kind === Kind.INLINE_FRAGMENT) total += this.#described(one.selectionSet);
      else total += this.#describedFragment(one.name.value);
    }
    return total;
  }

  readonly #describedFragment = this.#once(({ selectionSet }) => this.#described(selectionSet));

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
