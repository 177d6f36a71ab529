import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';

export type Execute = (variables: Record<string, unknown>, context: Context) => ExecutionResult | Promise<ExecutionResult>;
/** Makes an executor of a document, once per document; platform/graphql/execute.ts has the compiled one. */
export type Prepare = (document: DocumentNode, operationName?: string) => Execute;

/** Plain graphql-js execution. */
export function interpret(schema: GraphQLSchema): Prepare {
  return (document, operationName) => (variableValues, contextValue) =>
    execute({ schema, document, operationName, variableValues, contextValue }) as ExecutionResult | Promise<ExecutionResult>;
}
