import {
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isLeafType,
  isNonNullType,
  Kind,
  OperationTypeNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../../context.ts';
import { letGoOf } from '../../read/pages.ts';
import { completerOf, type Fragments, fieldsByKey, type Selected } from './completers.ts';
import { type Complete, Completion, isPromise, Unusual } from './completion.ts';

type Answer = ExecutionResult | Promise<ExecutionResult>;
type Field = GraphQLField<unknown, Context>;

/** What the resolvers of root fields gave, by the key under which they are answered. */
interface Roots {
  given: Map<string, () => unknown>;
  /** Those of them of which the answer is made. */
  completed: unknown[];
  /** An answer was not completed in the usual way. */
  isUnusual: boolean;
  /** It was not because something failed, which may go well the next time. */
  hasFailed: boolean;
}

/** What was completed here: an object of its own. */
const answers = new WeakSet<object>();

/** Empties what a document has answered, which is sent by now (`letGoOf`). Values that were not made for the answer stay as they are. */
export function letGoOfAnswers(data: Record<string, unknown> | null | undefined): void {
  for (const answer of Object.values(data ?? {})) {
    if (typeof answer !== 'object' || answer === null || !answers.has(answer)) continue;
    if (Array.isArray(answer)) answer.length = 0;
    else for (const name in answer) (answer as Record<string, unknown>)[name] = undefined;
  }
}

/** Runs a document. @param root the source of its root fields */
export type Run = (root: Roots | undefined, context: Context, variables: Record<string, unknown>) => Answer;

/** The type of what is the answer already. */
const ANSWERED = new GraphQLScalarType({ name: 'Answered', serialize: (value) => value });

/**
 * Has the answers of a document's root fields completed by functions that are compiled once for each selection (`completerOf`). graphql-jit would compile
 * every place of the document, and note for each value where an error would be, which takes several times as long as the value itself. If anything is
 * unusual, such as an error or a value that is missing, graphql-jit completes what the root fields gave, whose resolvers run once in any case.
 * @param usual has graphql-jit run the document with a schema
 * @returns undefined if nothing of the document can be completed so
 */
export function completing(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  usual: (schema: GraphQLSchema) => Run,
): Run | undefined {
  const operation = getOperationAST(document, operationName);
  const type = operation?.operation === OperationTypeNode.MUTATION ? schema.getMutationType() : schema.getQueryType();
  if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION || !type) return undefined;
  const fragments = fragmentsOf(document);
  const selected = fieldsByKey([operation.selectionSet], type, fragments);
  const completers = selected && completersOf(type, selected, fragments);
  if (!completers) return undefined;
  const names = new Set([...selected.values()].map(([node]) => node!.name.value));
  // The schema would be described with the root fields of this document.
  if (names.has(SchemaMetaFieldDef.name) || names.has(TypeMetaFieldDef.name)) return undefined;
  const answering = withRoots(schema, type, names, (field) => asAnswered(field, completers.get(field.name)));
  const compiled = compileQuery(answering, document, operationName);
  if (!isCompiledQuery(compiled)) return undefined;
  const run = compiled.query as unknown as Run;
  let again: Run | undefined;
  let instead: Run | undefined;
  return (_root, context, variables) => {
    if (instead) return instead(undefined, context, variables);
    const roots: Roots = { given: new Map(), completed: [], isUnusual: false, hasFailed: false };
    return afterwards(run(roots, context, variables), (result) => {
      if (!roots.isUnusual) {
        for (const value of roots.completed) letGoOf(value);
        return result;
      }
      again ??= usual(withRoots(schema, type, names, asGiven));
      return afterwards(again(roots, context, variables), (completed) => {
        // If nothing failed it would be the same each time.
        if (!completed.errors && !roots.hasFailed) {
          instead = usual(schema);
          again = undefined;
        }
        return completed;
      });
    });
  };
}

const afterwards = (answer: Answer, then: (result: ExecutionResult) => Answer): Answer =>
  isPromise(answer) ? (answer as Promise<ExecutionResult>).then(then) : then(answer as ExecutionResult);

function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments: Record<string, FragmentDefinitionNode> = {};
  for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments[one.name.value] = one;
  return fragments;
}

/** The functions that complete each root field, by the keys under which it is answered; none for a field one of whose selections has none. */
function completersOf(type: GraphQLObjectType, selected: Selected, fragments: Fragments): Map<string, Map<string, Complete>> | undefined {
  const found = new Map<string, Map<string, Complete>>();
  const left = new Set<string>();
  for (const [key, nodes] of selected) {
    const name = nodes[0]!.name.value;
    const field = type.getFields()[name];
    if (!field || isLeafType(getNullableType(field.type))) continue;
    const complete = completerOf(field.type, nodes, fragments);
    if (complete && field.resolve) found.set(name, (found.get(name) ?? new Map()).set(key, complete));
    else left.add(name);
  }
  for (const name of left) found.delete(name);
  return found.size > 0 ? found : undefined;
}

/** A schema whose root type has other fields, and everything else of the schema. */
function withRoots(schema: GraphQLSchema, type: GraphQLObjectType, names: ReadonlySet<string>, change: (field: Field) => Field) {
  const fields = { ...type.getFields() };
  for (const name of names) if (fields[name]) fields[name] = change(fields[name]);
  const root = Object.create(type, { getFields: { value: () => fields } }) as GraphQLObjectType;
  const instead = (known: unknown) => (known === type ? root : known);
  return Object.create(schema, {
    getQueryType: { value: () => instead(schema.getQueryType()) },
    getMutationType: { value: () => instead(schema.getMutationType()) },
    getType: { value: (name: string) => instead(schema.getType(name)) },
  }) as GraphQLSchema;
}

const keyOf = (info: GraphQLResolveInfo): string => String(info.path.key);

/** The field, which answers what its resolver gives; if there are functions for it, they complete that. */
function asAnswered(field: Field, completers: ReadonlyMap<string, Complete> | undefined): Field {
  const { resolve } = field;
  if (!resolve) return field;
  return {
    ...field,
    ...(completers ? { type: isNonNullType(field.type) ? new GraphQLNonNull(ANSWERED) : ANSWERED } : {}),
    resolve: (source, args, context, info) => {
      const roots = source as Roots;
      const given = outcomeOf(() => resolve(undefined, args, context, info));
      roots.given.set(keyOf(info), given);
      const complete = completers?.get(keyOf(info));
      if (!complete) return given();
      const completed = async (value: unknown): Promise<unknown> => {
        try {
          if (value === null || value === undefined) return value;
          const answer = await new Completion(info, context).run(complete, value);
          roots.completed.push(value);
          if (typeof answer === 'object' && answer !== null) answers.add(answer);
          return answer;
        } catch (error) {
          if (error instanceof Unusual) {
            roots.isUnusual = true;
            roots.hasFailed ||= error.hasFailed;
          }
          throw error;
        }
      };
      const value = given();
      return isPromise(value) ? value.then(completed) : completed(value);
    },
  };
}

/** The field, which answers what its resolver gave before. */
const asGiven = (field: Field): Field => ({
  ...field,
  resolve: (source, _args, _context, info) => (source as Roots).given.get(keyOf(info))!(),
});

/** Calls a function, and returns one that has the same outcome. */
function outcomeOf(call: () => unknown): () => unknown {
  try {
    const value = call();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
