import type { EntityMetadata, MetadataStorage } from '@mikro-orm/core';
import { type FieldNode, type GraphQLSchema, valueFromASTUntyped } from 'graphql';
import type { Application } from '../../application.ts';
import type { Context } from '../../context.ts';
import { readSpecOf } from '../../model/decorators.ts';
import { type List, readList } from '../lists.ts';
import { connectionAsked } from '../pages.ts';
import { argumentsOf, fieldsOf, membersOf, type Operation, onesWithin } from '../selection.ts';
import { withCurrentIds } from './former-arguments.ts';

/** The facts on which the arguments of nested lists depend. */
interface Below {
  application: Application;
  metadata: MetadataStorage;
  ctx: Context;
  operation: Operation;
  schema?: GraphQLSchema;
  companyId: string;
}

/** Returns the arguments of nested connections, in the order in which the plan meets them. */
export async function nestedLists(meta: EntityMetadata<unknown>, nodes: readonly FieldNode[], below: Below): Promise<List[]> {
  const { operation, metadata } = below;
  const spec = readSpecOf(meta.class as Function);
  const lists: List[] = [];
  for (const member of membersOf(nodes, operation, (name) => spec.many.get(name)?.kind === 'paged')) {
    const many = spec.many.get(member.name);
    if (many) {
      const child = metadata.get(many.type() as never) as EntityMetadata<unknown>;
      if (many.kind !== 'paged') {
        lists.push(...(await nestedLists(child, member.nodes, below)));
        continue;
      }
      const [node] = member.nodes as [FieldNode];
      const place = {
        application: below.application,
        companyId: below.companyId,
        name: `${meta.className}.${member.name}`,
        written: sortOf(node, below.ctx),
      };
      const { args, given } = below.schema ? argumentsOf(below.schema, meta.className, node, operation) : { args: [], given: {} };
      const { values } = await withCurrentIds(args, given, below.ctx);
      const list = await readList(many.type(), values, below.ctx, place);
      const connecting = connectionAsked(member.nodes, operation);
      list.shape += `|${connecting.count ?? ''}`;
      lists.push(list, ...(await nestedLists(child, connecting.nodes, below)));
      continue;
    }
    const propOf = (name: string) => meta.properties[name as never] as { kind: string; targetMeta?: EntityMetadata<unknown> } | undefined;
    for (const [relation, nodes] of onesWithin(spec, member.name, member.nodes, operation))
      lists.push(...(await nestedLists(propOf(relation)!.targetMeta!, nodes, below)));
    const prop = propOf(member.name);
    if (prop?.targetMeta && (prop.kind === 'm:1' || prop.kind === '1:1') && fieldsOf(member.nodes, operation).size > 0)
      lists.push(...(await nestedLists(prop.targetMeta, member.nodes, below)));
  }
  return lists;
}

/** The `sort` argument of a field as the client wrote it. */
export function sortOf(node: FieldNode, { variables }: Pick<Context, 'variables'>): unknown {
  const sort = node.arguments?.find((argument) => argument.name.value === 'sort');
  return sort && valueFromASTUntyped(sort.value, variables);
}
