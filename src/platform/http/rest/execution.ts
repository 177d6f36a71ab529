import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import { applyEdits } from './answer-edits.ts';
import { executionError } from './envelope.ts';
import type { RestOperation } from './operation.ts';

export type Execute = (variables: Record<string, unknown>, context: Context) => ExecutionResult | Promise<ExecutionResult>;
/** Makes an executor of a document, once per document; platform/graphql/execute.ts has the compiled one. */
export type Prepare = (document: DocumentNode, operationName?: string) => Execute;

/** Plain graphql-js execution. */
export function interpret(schema: GraphQLSchema): Prepare {
  return (document, operationName) => (variableValues, contextValue) =>
    execute({ schema, document, operationName, variableValues, contextValue }) as ExecutionResult | Promise<ExecutionResult>;
}

/** Documents are compiled when they are first asked for: hundreds of them would delay the start. */
export function lazily(make: () => Execute): Execute {
  let made: Execute | undefined;
  return (variables, context) => {
    made ??= make();
    return made(variables, context);
  };
}

/**
 * Runs an operation's document and returns what the root field answers, as REST shows it.
 * @param prefers whether the client has a preference, such as `waypoints=all`
 * @throws the error with which it failed
 */
export async function dataOf(
  { edits }: RestOperation,
  execute: Execute,
  variables: Record<string, unknown>,
  context: Context,
  prefers: (preference: string) => boolean = () => false,
): Promise<unknown> {
  const { data, errors } = await execute(variables, context);
  if (errors?.length) throw executionError(errors);
  if (edits) applyEdits(data, edits, prefers);
  return data?.data;
}
