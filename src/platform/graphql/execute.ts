import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema, getOperationAST } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../context.ts';
import { describeSpan, inSpan, isTraced } from '../tracing/spans.ts';
import { isBeyondJit } from './beyond-jit.ts';
import { completing, type Run } from './complete/roots.ts';

export type Execute = (variables: Record<string, unknown>, context: Context) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Compiles a document once: what completes the answers of its root fields (complete/roots.ts), and the rest by graphql-jit; what it cannot compile is
 * interpreted. Five to forty times cheaper per request than graphql-js with type-graphql's resolvers.
 */
export function preparer(schema: GraphQLSchema): (document: DocumentNode, operationName?: string) => Execute {
  return (document, operationName) => {
    const isCompiled = !isBeyondJit(schema, document);
    const usual = (one: GraphQLSchema): Run => {
      const compiled = isCompiled ? compileQuery(one, document, operationName) : undefined;
      if (compiled && isCompiledQuery(compiled)) return compiled.query as Run;
      return (rootValue, contextValue, variableValues) =>
        execute({ schema: one, document, operationName, rootValue, variableValues, contextValue }) as Answer;
    };
    const run = (isCompiled ? completing(schema, document, operationName, usual) : undefined) ?? usual(schema);
    const traced = tracedAs(document, operationName);
    return (variables, context) => {
      context.variables = variables;
      return traced(() => run(undefined, context, variables));
    };
  };
}

type Answer = ExecutionResult | Promise<ExecutionResult>;

/** Returns what runs an operation of a document in a span, with its name alone: what it asks for, and its values, are the client's. */
function tracedAs(document: DocumentNode, operationName?: string): (run: () => Answer) => Answer {
  const { operation = 'query', name } = getOperationAST(document, operationName) ?? {};
  const span = name ? `${operation} ${name.value}` : operation;
  const about = {
    attributes: { 'graphql.operation.type': operation, ...(name ? { 'graphql.operation.name': name.value } : {}) },
  };
  return (run) =>
    isTraced()
      ? inSpan(
          span,
          () => about,
          () => noting(run()),
        )
      : run();
}

/** Notes how many errors an answer has; what went wrong is in the log. */
function noting(answer: Answer): Answer {
  const note = (result: ExecutionResult): ExecutionResult => {
    if (result.errors?.length) describeSpan({ 'graphql.errors': result.errors.length });
    return result;
  };
  return answer instanceof Promise ? answer.then(note) : note(answer);
}
