import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  NoUnusedFragmentsRule,
  type OperationDefinitionNode,
  specifiedRules,
  typeFromAST,
  type ValidationRule,
  type VariableDefinitionNode,
  validate,
  valueFromASTUntyped,
} from 'graphql';
import { alwaysPrepare } from '../../database/prepared.ts';
import { variableOfParam, wireName } from '../../model/names.ts';
import { editsOf } from './answer-edits.ts';
import { checkPlaces, checkRest } from './check-rest.ts';
import { withRestDirectives } from './directives.ts';
import { loadDocuments, type RestFile } from './load.ts';
import type { RestMethod, RestOperation, RestVariable } from './operation.ts';
import { checkPaths, pathParams, scopedPathOf } from './paths.ts';
import { DocumentProblems, type Problem, problemAt } from './problems.ts';
import {
  fragmentsUsed,
  hasDirective,
  SINCE_VARIABLE,
  withoutRestDirectives,
  withPage,
  withStatuses,
  withUpdatedSince,
  withValuesHandedOn,
  withWireNames,
} from './wire.ts';

/** An alias is a name of the wire as it is written; those of other fields are made from their names. */
const WireAliasesRule: ValidationRule = (context) => ({
  Field(node) {
    const alias = node.alias?.value;
    if (alias && wireName(alias) !== alias)
      context.reportError(new GraphQLError(`an alias is the name on the wire: ${wireName(alias)}`, { nodes: [node] }));
  },
});
const RULES = [...specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule), WireAliasesRule];

/**
 * Loads, wires and validates every document of a directory against the schema.
 * @param valid this schema was asked before whether it has all that these documents name: not asked again, which takes half a second
 * @throws DocumentProblems listing all of them with file, line and column
 */
export function compileDocuments(schema: GraphQLSchema, directory: string, valid = false): RestOperation[] {
  const { operations, problems } = checkDocuments(schema, directory, valid);
  if (problems.length > 0) throw new DocumentProblems(problems);
  return operations;
}

/** As `compileDocuments`, but answers the problems instead of throwing them. */
export function checkDocuments(
  schema: GraphQLSchema,
  directory: string,
  valid = false,
): { operations: RestOperation[]; problems: Problem[] } {
  const { operations: files, fragments, problems } = loadDocuments(directory);
  const wired = new Map([...fragments].map(([name, fragment]) => [name, withWireNames(fragment)]));
  const used = new Set<string>();
  const documents = files.flatMap((file) => wireOne(schema, file, wired, problems, used) ?? []);
  const compile = valid || areValid(schema, documents) ? compileValid : compileOne;
  const operations = documents.flatMap((one) => compile(schema, one, problems) ?? []);
  for (const [name, fragment] of fragments) {
    if (!used.has(name)) problems.push(problemAt(fragment.name, '', `fragment ${name} is used by no operation`));
  }
  checkPaths(operations, problems);
  // One mistake in a fragment shows in every operation that spreads it, but is reported once.
  const once = new Map(problems.map((p) => [`${p.file}:${p.line}:${p.column} ${p.message}`, p]));
  return { operations, problems: [...once.values()] };
}

/** An operation with its wire names, and what was found wrong before the schema was asked. */
interface Wired {
  file: RestFile;
  root: FieldNode;
  rootType: RestOperation['rootType'] | undefined;
  operation: OperationDefinitionNode;
  statuses: Map<string, number>;
  paged: boolean;
  document: DocumentNode;
  found: Problem[];
}

function wireOne(
  schema: GraphQLSchema,
  source: RestFile,
  fragments: Map<string, FragmentDefinitionNode>,
  problems: Problem[],
  used: Set<string>,
): Wired | undefined {
  const { file, operation } = source;
  const found: Problem[] = [];
  const report = (node: Parameters<typeof problemAt>[0], message: string) => found.push(problemAt(node, file, message));
  const [root, ...more] = operation.selectionSet.selections;
  if (root?.kind !== Kind.FIELD || more.length > 0) {
    problems.push(problemAt(more[0] ?? root, file, 'a document has exactly one root field'));
    return undefined;
  }
  if (root.alias?.value !== 'data') report(root, `the root field must be aliased: data: ${root.name.value}`);

  const rootFields = (operation.operation === 'mutation' ? schema.getMutationType() : schema.getQueryType())?.getFields();
  const rootField = rootFields?.[root.name.value];
  const rootType = rootField?.extensions.neverNull ? new GraphQLNonNull(rootField.type) : rootField?.type;
  const paged = hasDirective(root, 'page');
  const isConnection = rootType !== undefined && isConnectionType(getNamedType(rootType));
  if (paged && rootType && !isConnection) report(root, `@page needs a connection, ${getNamedType(rootType).name} is none`);

  const statuses = new Map<string, number>();
  const wiredRoot = withStatuses(isConnection ? withPage(root) : root, statuses);
  const complete = { ...operation, selectionSet: { ...operation.selectionSet, selections: [wiredRoot] } };
  const wired = withWireNames(paged && rootField ? withUpdatedSince(complete, rootField) : complete);
  const needed = fragmentsUsed(wired, fragments);
  for (const name of needed) used.add(name);
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [wired, ...[...needed].map((name) => fragments.get(name) as FragmentDefinitionNode)],
  };
  return { file: source, root, rootType, operation: wired, statuses, paged, document, found };
}

/**
 * Whether all documents are valid for the schema, checked as one document: a fragment that many of them spread is checked once, not once
 * for each.
 */
function areValid(schema: GraphQLSchema, documents: readonly Wired[]): boolean {
  const definitions = new Set(documents.flatMap(({ document }) => document.definitions));
  return validate(withRestDirectives(schema), { kind: Kind.DOCUMENT, definitions: [...definitions] }, RULES).length === 0;
}

function compileOne(schema: GraphQLSchema, one: Wired, problems: Problem[]): RestOperation | undefined {
  const found = validate(withRestDirectives(schema), one.document, RULES).map((error) =>
    problemAt(
      error.nodes?.find((n) => n.loc),
      one.file.file,
      error.message,
    ),
  );
  return compileValid(schema, { ...one, found: [...one.found, ...found] }, problems);
}

/** @param one is valid for the schema, unless it says otherwise */
function compileValid(schema: GraphQLSchema, one: Wired, problems: Problem[]): RestOperation | undefined {
  const { root, rootType, operation: wired, statuses, paged, document, found } = one;
  const { file, domain, operation } = one.file;
  const report = (node: Parameters<typeof problemAt>[0], message: string) => found.push(problemAt(node, file, message));
  const rest = argumentsOf(operation, 'rest');
  if (!rest) report(operation.name ?? operation, 'the operation has no @rest(method, path)');
  if (found.length > 0 || !rest || !rootType) {
    problems.push(...found);
    return undefined;
  }

  checkPlaces(operation, wired, report);

  const compiled: RestOperation = {
    name: operation.name?.value as string,
    domain,
    file,
    line: problemAt(operation, file, '').line,
    description: one.file.comment,
    kind: operation.operation === 'mutation' ? 'mutation' : 'query',
    method: rest.method as RestMethod,
    path: rest.path as string,
    scopedPath: rest.scoped ? scopedPathOf(rest.path as string) : undefined,
    reply: (rest.reply as RestOperation['reply'] | undefined) ?? 'DATA',
    status: (rest.status as number | undefined) ?? (rest.reply === 'NONE' ? 204 : 200),
    statuses,
    public: rest.public === true,
    secret: rest.secret === true,
    strict: rest.strict === true,
    misplaced: new Set(rest.misplaced as string[] | undefined),
    readOnly: new Set(rest.readOnly as string[] | undefined),
    restated: new Set(rest.restated as string[] | undefined),
    exact: rest.exact === true,
    form: rest.form === true,
    deprecated: rest.deprecated as string | undefined,
    model: rest.model as string | undefined,
    upload: rest.upload as string | undefined,
    paged,
    variables: [],
    document: withoutRestDirectives(withValuesHandedOn(schema, document)),
    source: document,
    edits: editsOf(document),
    invalid: (rest.invalid as number | undefined) ?? 422,
    denied: (rest.denied as number | undefined) ?? 403,
    listed: (rest.listed as number[] | undefined) ?? [],
    empty: rest.empty === true,
    rootField: root.name.value,
    rootType,
  };
  compiled.variables = [
    ...(operation.variableDefinitions ?? []).map((definition) => variableOf(schema, compiled, definition, report)),
    ...((wired.variableDefinitions ?? []).length > (operation.variableDefinitions ?? []).length ? [updatedSince(schema)] : []),
  ];
  alwaysPrepare(compiled.document);
  checkRest(compiled, operation, report);
  problems.push(...found);
  return found.length > 0 ? undefined : compiled;
}

/** The variable of the filter that lists without filters have: a request has it as an object of one field. */
const updatedSince = (schema: GraphQLSchema): RestVariable => ({
  name: SINCE_VARIABLE,
  type: schema.getType('ChangeFilter') as RestVariable['type'],
  place: 'query',
  wire: 'filter',
  picks: SINCE_VARIABLE,
});

function isConnectionType(type: GraphQLNamedType): boolean {
  return isObjectType(type) && 'nodes' in type.getFields() && 'pageInfo' in type.getFields();
}

function variableOf(
  schema: GraphQLSchema,
  operation: RestOperation,
  definition: VariableDefinitionNode,
  report: (node: VariableDefinitionNode, message: string) => void,
): RestVariable {
  const name = definition.variable.name.value;
  const type = typeFromAST(schema, definition.type as never) as unknown as RestVariable['type'];
  const body = argumentsOf(definition, 'body');
  const query = argumentsOf(definition, 'query');
  const param = pathParams(operation.path).find((p) => variableOfParam(p) === name);
  const scope = operation.scopedPath !== undefined && name === 'companyId';
  if ([body, query, param, scope || undefined].filter((x) => x !== undefined).length > 1) report(definition, `$${name} has two sources`);
  const common = { name, type, defaultValue: definition.defaultValue };
  if (param) return { ...common, place: 'path', wire: param };
  if (scope) return { ...common, place: 'company', wire: 'company-id' };
  if (body) return { ...common, place: 'body', wire: (body.key as string | undefined) ?? '' };
  return { ...common, place: 'query', wire: (query?.name as string | undefined) ?? wireName(name) };
}

function argumentsOf(node: { directives?: readonly DirectiveNode[] }, name: string): Record<string, unknown> | undefined {
  const directive = node.directives?.find((d) => d.name.value === name);
  return directive && Object.fromEntries((directive.arguments ?? []).map((a) => [a.name.value, valueFromASTUntyped(a.value)]));
}
