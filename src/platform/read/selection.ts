import {
  type ArgumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  isObjectType,
  Kind,
  print,
  type SelectionSetNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { BadRequest } from '../errors.ts';
import type { ComputedSpec } from '../model/decorators.ts';

/** The GraphQL operation that a selection is of: its fragments, and the variables of this run. */
export interface Operation {
  fragments: Record<string, FragmentDefinitionNode>;
  variables: Record<string, unknown>;
}

/** Fields of one name and response key, merged over all places that select it. */
export interface Selected {
  name: string;
  /** Alias, undefined when the field goes by its name. */
  alias?: string;
  nodes: FieldNode[];
}

/**
 * The fields under some field nodes, following fragments, `@skip` and `@include`. The nodes may be in different places of the answer
 * (`nodes` and `edges.node`, two aliases of one record), where one response key may mean different fields.
 */
export function fieldsOf(nodes: readonly FieldNode[], operation: Operation): Map<string, Selected> {
  const found = new Map<string, Selected>();
  for (const node of nodes) if (node.selectionSet) collect(node.selectionSet, operation, found);
  return found;
}

function collect(set: SelectionSetNode, operation: Operation, found: Map<string, Selected>): void {
  for (const selection of set.selections) {
    if (!isIncluded(selection.directives ?? [], operation)) continue;
    if (selection.kind === Kind.FIELD) {
      const key = `${selection.alias?.value ?? ''}:${selection.name.value}`;
      const known = found.get(key);
      if (known) known.nodes.push(selection);
      else found.set(key, { name: selection.name.value, alias: selection.alias?.value, nodes: [selection] });
    } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet, operation, found);
    else collect(operation.fragments[selection.name.value]!.selectionSet, operation, found);
  }
}

/** Whether `@skip` and `@include` leave a selection in. */
export function isIncluded(directives: NonNullable<FieldNode['directives']>, operation: Pick<Operation, 'variables'>): boolean {
  return directives.every(({ name, arguments: given }) => {
    if (name.value !== 'skip' && name.value !== 'include') return true;
    const value = valueFromASTUntyped(given![0]!.value, operation.variables);
    return name.value === 'include' ? Boolean(value) : !value;
  });
}

/** A member of a planned object: everything selected of one field, or of one connection with the same arguments. */
export interface Member {
  /** Its key on the planned object: see `memberKey`. */
  key: string;
  name: string;
  nodes: FieldNode[];
}

const keys = new WeakMap<FieldNode, string>();

/**
 * A connection is kept under its name and arguments, `jobs(first:2)`, because another alias of it, or of a record above it, may have other
 * arguments. Their order does not matter, as in GraphQL: selections that differ in it alone are merged.
 */
export function memberKey(node: FieldNode): string {
  let key = keys.get(node);
  if (key === undefined) {
    const given = node.arguments ?? [];
    key = given.length === 0 ? node.name.value : `${node.name.value}(${given.map(inOrder).sort().join()})`;
    keys.set(node, key);
  }
  return key;
}

/** An argument as text, with the fields of objects in the order of their names: only that of a sort says something. */
function inOrder(argument: ArgumentNode): string {
  if (argument.name.value === 'sort') return print(argument);
  const ordered = visit(argument, {
    ObjectValue: { leave: (one) => ({ ...one, fields: one.fields.toSorted((a, b) => (a.name.value < b.name.value ? -1 : 1)) }) },
  });
  return print(ordered);
}

/** The selected fields, by member. Aliases of a plain field see the same rows and are read together. */
export function membersOf(nodes: readonly FieldNode[], operation: Operation, isPaged: (name: string) => boolean): Member[] {
  const members = new Map<string, Member>();
  for (const { name, nodes: places } of fieldsOf(nodes, operation).values()) {
    if (name.startsWith('__')) continue;
    const paged = isPaged(name);
    for (const node of places) {
      const key = paged ? memberKey(node) : name;
      const known = members.get(key);
      if (known) known.nodes.push(node);
      else members.set(key, { key, name, nodes: [node] });
    }
  }
  return [...members.values()];
}

/** Relations whose records a computed object holds, each with the places that select it there. */
export function onesWithin(
  spec: { computed: ReadonlyMap<string, ComputedSpec> },
  name: string,
  places: readonly FieldNode[],
  operation: Operation,
): [relation: string, nodes: FieldNode[]][] {
  const computed = spec.computed.get(name);
  if (!computed || !('ones' in computed) || !computed.ones) return [];
  const selected = [...fieldsOf(places, operation).values()];
  return Object.entries(computed.ones).flatMap(([field, relation]) => {
    const nodes = selected.filter((one) => one.name === field).flatMap((one) => one.nodes);
    return nodes.length > 0 ? [[relation, nodes] as [string, FieldNode[]]] : [];
  });
}

/** Names of the variables that decide what is selected: a plan serves only runs that agree on them. */
export function decidingVariables(nodes: readonly Pick<FieldNode, 'selectionSet'>[], fragments: Operation['fragments']): string[] {
  const conditions = new Set<string>();
  const seen = new Set<string>();
  const walk = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      for (const directive of selection.directives ?? []) {
        const value = directive.arguments?.[0]?.value;
        if (value?.kind === Kind.VARIABLE) conditions.add(value.name.value);
      }
      if (selection.kind !== Kind.FRAGMENT_SPREAD) walk(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        walk(fragments[selection.name.value]?.selectionSet);
      }
    }
  };
  for (const node of nodes) walk(node.selectionSet);
  return [...conditions].sort();
}

/** An argument list of the schema, and what a selection gave for it. */
export interface Asked {
  args: readonly GraphQLArgument[];
  /** Coerced to their types as those of root fields are: one value to a list of it, a text to an instant. */
  given: Record<string, unknown>;
}

/** The arguments of a field of an object type. */
export function argumentsOf(schema: GraphQLSchema, type: string, node: FieldNode, operation: Operation): Asked {
  if (!node.arguments?.length) return { args: [], given: {} };
  const object = schema.getType(type);
  const field = isObjectType(object) ? object.getFields()[node.name.value] : undefined;
  if (!field) throw new Error(`${type}.${node.name.value} is no field of the schema`);
  return { args: field.args, given: givenFor(field, node, operation.variables) };
}

/** What a document that is valid gives for the arguments of a field. @throws BadRequest for a variable that is null where something is required */
export function givenFor(field: Pick<GraphQLField<never, never>, 'args'>, node: FieldNode, variables: object): Record<string, unknown> {
  try {
    return getArgumentValues(field as GraphQLField<unknown, unknown>, node, variables as Record<string, unknown>);
  } catch (error) {
    const argument = error instanceof GraphQLError ? /^Argument "(\w+)"/.exec(error.message)?.[1] : undefined;
    if (!argument) throw error;
    throw new BadRequest('null_where_required', undefined, argument);
  }
}
