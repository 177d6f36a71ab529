import type { DirectiveNode, FieldNode, OperationDefinitionNode } from 'graphql';
import { variableOfParam } from '../../model/names.ts';
import type { RestOperation } from './operation.ts';
import { pathParams } from './paths.ts';

/** The rules of `@rest` and `@body` that GraphQL's own validation cannot know. */
export function checkRest(
  o: RestOperation,
  node: OperationDefinitionNode,
  report: (node: OperationDefinitionNode, message: string) => void,
): void {
  const fail = (message: string) => report(node, message);
  if (!/^(\/([a-z0-9_.-]+|\{[a-z][a-z0-9-]*\}))+$/.test(o.path))
    fail(`path ${o.path} is not made of snake_case steps and {kebab-case} parameters`);
  for (const param of pathParams(o.path)) {
    if (!o.variables.some((v) => v.place === 'path' && v.wire === param))
      fail(`{${param}} of the path needs a variable $${variableOfParam(param)}`);
  }
  if (o.method === 'GET' && o.kind === 'mutation') fail('GET is safe: it takes a query, not a mutation');
  if (o.method === 'GET' && o.variables.some((v) => v.place === 'body')) fail('GET has no body');
  const bodies = o.variables.filter((v) => v.place === 'body');
  if (bodies.length > 1 && bodies.some((v) => v.wire === '')) fail('a whole @body leaves nothing for another @body');
  if (new Set(bodies.map((v) => v.wire)).size < bodies.length) fail('two variables take the same @body key');
  if (o.status < 200 || o.status > 299) fail('status must be 2xx');
  // 202 may have nothing to say, too.
  if (o.status === 204 ? o.reply !== 'NONE' : o.reply === 'NONE' && o.status !== 202) fail('204 and reply: NONE belong together');
  if (o.scopedPath !== undefined) {
    if (!o.variables.some((v) => v.name === 'companyId' && String(v.type) === 'ID')) fail('scoped: true needs the variable $companyId: ID');
    if (o.path.includes('{company-id}')) fail('a path with {company-id} is already scoped');
    if (!/^\/v\d+\//.test(o.path)) fail('only paths under /v1 can be scoped');
  }
}

/** `@page` and `@status` act on the root only. */
export function checkPlaces(
  operation: OperationDefinitionNode,
  wired: OperationDefinitionNode,
  report: (node: DirectiveNode, message: string) => void,
): void {
  const root = operation.selectionSet.selections[0] as FieldNode;
  const allowed = new Set<DirectiveNode>([...(operation.directives ?? []), ...(root.directives ?? [])]);
  for (const selection of root.selectionSet?.selections ?? []) for (const d of selection.directives ?? []) allowed.add(d);
  const walk = (node: FieldNode | { selectionSet?: FieldNode['selectionSet']; directives?: readonly DirectiveNode[] }): void => {
    for (const directive of node.directives ?? []) {
      if (['page', 'status'].includes(directive.name.value) && !allowed.has(directive))
        report(directive, `@${directive.name.value} belongs to the root field`);
    }
    for (const inner of node.selectionSet?.selections ?? []) walk(inner);
  };
  walk({ selectionSet: wired.selectionSet });
}
