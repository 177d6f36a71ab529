import {
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { isAsSent } from '../../graphql/as-sent.ts';
import { wireName } from '../../model/names.ts';
import { Json } from '../../scalars.ts';
import { DIRECTIVE_NAMES } from './directives.ts';

/** The alias that marks which `@status` fragment an answer came from; it is removed before the answer is sent. */
const statusAlias = (code: number): string => `__status${code}`;

export const hasDirective = (node: { directives?: readonly DirectiveNode[] }, name: string): boolean =>
  node.directives?.some((d) => d.name.value === name) ?? false;

/** Gives every un-aliased field its snake_case alias. */
export function withWireNames<T extends OperationDefinitionNode | FragmentDefinitionNode>(node: T): T {
  return visit(node, {
    Field: {
      leave(field: FieldNode) {
        const wire = wireName(field.name.value);
        if (field.alias || wire === field.name.value) return undefined;
        return { ...field, alias: { kind: Kind.NAME, value: wire, loc: field.name.loc } };
      },
    },
  }) as T;
}

/** `orders @page { ...Order }` -> `orders @page { nodes { ...Order } pageInfo { ... } }`. */
export function withPage(field: FieldNode): FieldNode {
  if (!hasDirective(field, 'page') || !field.selectionSet) return field;
  const nodes: FieldNode = { kind: Kind.FIELD, name: name('nodes'), selectionSet: field.selectionSet };
  const info: FieldNode = {
    kind: Kind.FIELD,
    name: name('pageInfo'),
    selectionSet: select(['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'].map((f) => ({ kind: Kind.FIELD, name: name(f) }))),
  };
  return { ...field, selectionSet: select([nodes, info]) };
}

/** Marks `... on X @status(code: 202)` with a hidden alias; `codes` collects them. */
export function withStatuses(field: FieldNode, codes: Map<string, number>): FieldNode {
  if (!field.selectionSet) return field;
  const selections = field.selectionSet.selections.map((selection): SelectionNode => {
    if (selection.kind !== Kind.INLINE_FRAGMENT) return selection;
    const argument = selection.directives?.find((d) => d.name.value === 'status')?.arguments?.[0];
    if (argument?.value.kind !== Kind.INT) return selection;
    const code = Number(argument.value.value);
    codes.set(statusAlias(code), code);
    const mark: FieldNode = { kind: Kind.FIELD, alias: name(statusAlias(code)), name: name('__typename') };
    return { ...selection, selectionSet: select([mark, ...selection.selectionSet.selections]) };
  });
  return { ...field, selectionSet: select(selections) };
}

/** The field of a filter, and the variable for it. */
export const SINCE_VARIABLE = 'updatedSince';

/**
 * Gives the document of a list that has no filters one by the last change, if the list of the schema has it: every list answers what has changed since
 * a moment, whatever its document says. Documents with filters have it among these.
 */
export function withUpdatedSince(operation: OperationDefinitionNode, { args }: GraphQLField<unknown, unknown>): OperationDefinitionNode {
  const [root] = operation.selectionSet.selections as [FieldNode];
  const filters = getNamedType(args.find((one) => one.name === 'filter')?.type);
  const isOffered = isInputObjectType(filters) && SINCE_VARIABLE in filters.getFields();
  if (!isOffered || root.arguments?.some((one) => one.name.value === 'filter')) return operation;
  const variable = { kind: Kind.VARIABLE, name: name(SINCE_VARIABLE) } as const;
  const fields = [{ kind: Kind.OBJECT_FIELD, name: name(SINCE_VARIABLE), value: variable } as const];
  const filter = { kind: Kind.ARGUMENT, name: name('filter'), value: { kind: Kind.OBJECT, fields } } as const;
  const definition = { kind: Kind.VARIABLE_DEFINITION, variable, type: { kind: Kind.NAMED_TYPE, name: name('DateTime') } } as const;
  return {
    ...operation,
    variableDefinitions: [...(operation.variableDefinitions ?? []), definition],
    selectionSet: select([{ ...root, arguments: [...(root.arguments ?? []), filter] }]),
  };
}

/** The type of a variable that is handed on as it is. */
const ANY = { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.NAMED_TYPE, name: name(Json.name) } } as const;

/** Gives variables that are handed to resolvers as they were read a type that nobody reads again. */
export function withValuesHandedOn(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const handed = ({ type }: VariableDefinitionNode) => {
    const named = getNamedType(typeFromAST(schema, type as never));
    return named !== undefined && isAsSent(named);
  };
  const definitions = document.definitions.map((definition) => {
    const variables = (definition.kind === Kind.OPERATION_DEFINITION && definition.variableDefinitions) || [];
    if (!variables.some(handed)) return definition;
    return { ...definition, variableDefinitions: variables.map((one) => (handed(one) ? { ...one, type: ANY } : one)) } as DefinitionNode;
  });
  return { ...document, definitions };
}

const bare = new WeakMap<DefinitionNode, DefinitionNode>();

/** Removes the REST directives, which no executor has to know. Definitions of many documents are looked at once. */
export function withoutRestDirectives(document: DocumentNode): DocumentNode {
  const definitions = document.definitions.map((definition) =>
    once(bare, definition, () =>
      visit(definition, { Directive: (directive) => (DIRECTIVE_NAMES.has(directive.name.value) ? null : undefined) }),
    ),
  );
  return { ...document, definitions };
}

const spreads = new WeakMap<DefinitionNode, Set<string>>();

/** The names of the fragments that a node uses, directly or through others. */
export function fragmentsUsed(
  node: OperationDefinitionNode | FragmentDefinitionNode,
  fragments: Map<string, FragmentDefinitionNode>,
  used: Set<string> = new Set(),
): Set<string> {
  for (const name of once(spreads, node, () => spreadsIn(node))) {
    const fragment = fragments.get(name);
    if (!fragment || used.has(name)) continue;
    used.add(name);
    fragmentsUsed(fragment, fragments, used);
  }
  return used;
}

function spreadsIn(node: DefinitionNode): Set<string> {
  const names = new Set<string>();
  visit(node, { FragmentSpread: (spread) => void names.add(spread.name.value) });
  return names;
}

function once<T>(known: WeakMap<DefinitionNode, T>, definition: DefinitionNode, make: () => T): T {
  const found = known.get(definition) ?? make();
  known.set(definition, found);
  return found;
}

function name(value: string) {
  return { kind: Kind.NAME as const, value };
}

function select(selections: readonly SelectionNode[]): SelectionSetNode {
  return { kind: Kind.SELECTION_SET, selections };
}
