import { wireName } from '../../src/platform/model/names.ts';

/** A new endpoint, and every way its names are written. */
export interface Endpoint {
  room: string;
  /** Where its code is: the room, or one of its folders, such as `dispatch/orders`. */
  folder: string;
  /** From its code to `src`, such as `../../`. */
  up: string;
  /** `RenameOrder`, `ListMaterials`. */
  name: string;
  verb: string;
  /** `Order`, `Material`. */
  noun: string;
  /** `rename-order`. */
  file: string;
  /** Root field: `renameOrder`, `materials`. */
  field: string;
  /** `order`. */
  one: string;
  wireNoun: string;
  wirePlural: string;
  /** Import path of the entity's file, seen from its code. */
  entity: string;
  /** Likewise of its connection; undefined when it has none yet. */
  connection?: string;
  /** The noun has a fragment in schema/rest/fragments. */
  fragment: boolean;
  /** Needed by a mutation. */
  permission: string;
  test: string;
}

/** Act, resolver, document and test of a mutation. */
export function mutationFiles(e: Endpoint): Record<string, string> {
  const creates = e.verb === 'Create';
  const method = creates ? 'POST' : e.verb === 'Update' ? 'PATCH' : 'PUT';
  const param = `{${e.wireNoun.replaceAll('_', '-')}-id}`;
  const path = creates ? `/v1/${e.wirePlural}` : `/v1/${e.wirePlural}/${param}${e.verb === 'Update' ? '' : `/${wireName(e.verb)}`}`;
  const { permission } = e;
  return {
    [`src/${e.folder}/${e.file}.ts`]: `import { Field, InputType } from 'type-graphql';
import { allow, ${creates ? 'companyOf' : 'find'} } from '${e.up}platform/authz/authorization.ts';
import { emitEvent, transact } from '${e.up}platform/commands/transact.ts';
import type { Context } from '${e.up}platform/context.ts';
import { ${e.noun} } from '${e.entity}';

@InputType()
export class ${e.name}Input {
  // TODO: the fields, as in @Field(() => Int) @Range(1, 200) truckCount!: number;
  @Field(() => String, { nullable: true }) name?: string | null;
}

/** TODO: one sentence on what this does. @throws Denied${creates ? '' : ', Missing'} */
export function ${e.field}(ctx: Context, ${creates ? '' : 'id: string, '}input: ${e.name}Input, companyId?: string | null): Promise<${e.noun}> {
  // TODO: the policy of the room, when it depends on the record who may.
  allow(ctx, '${permission}');
  return transact(ctx, async (tx) => {
${
  creates
    ? `    const ${e.one} = tx.em.create(${e.noun}, { ...input, company: companyOf(tx, companyId) } as never);`
    : `    const ${e.one} = await find(tx, ${e.noun}, id, { companyId, lock: true });
    // Absent leaves it, null clears it.
    if (input.name !== undefined) Object.assign(${e.one}, { name: input.name });`
}
    emitEvent(tx, '${e.wireNoun}.${wireName(e.verb)}', ${e.one});
    return ${e.one};
  });
}
`,
    [`src/${e.folder}/${e.file}.resolver.ts`]: `import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Requires } from '${e.up}platform/authz/field-permissions.ts';
import type { Context } from '${e.up}platform/context.ts';
import { ${e.name}Input, ${e.field} } from './${e.file}.ts';
import { ${e.noun} } from '${e.entity}';

@Resolver()
export class ${e.name}Resolver {
  @Mutation(() => ${e.noun})
  // TODO: who may call it; with allOrOwn('${permission}') also for their own records.
  @Requires('${permission}')
  async ${e.field}(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
${creates ? '' : "    @Arg('id', () => ID) id: string,\n"}    @Arg('input', () => ${e.name}Input) input: ${e.name}Input,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<${e.noun}> {
    const done = await ${e.field}(ctx, ${creates ? '' : 'id, '}input, companyId);
    return ctx.read.one(${e.noun}, info, { id: done.id });
  }
}
`,
    [`schema/rest/${e.room}/${e.name}.graphql`]: `# TODO: one sentence for the reference.
mutation ${e.name}($companyId: ID, ${creates ? '' : `$${e.one}Id: ID!, `}$input: ${e.name}Input! @body)
  @rest(method: ${method}, path: "${path}", scoped: true${creates ? ', status: 201' : ''}) {
  data: ${e.field}(companyId: $companyId, ${creates ? '' : `id: $${e.one}Id, `}input: $input) { ${selection(e)} }
}
`,
    [e.test]: e.noun === 'Order' && !creates ? orderTest(e, method, path.replace(param, `\${order.id}`), permission) : emptyTest(e),
  };
}

/** Resolver, document and test of a list. */
export function queryFiles(e: Endpoint): Record<string, string> {
  const connection = `${e.noun}Connection`;
  return {
    [`src/${e.folder}/${e.file}.resolver.ts`]: `import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { AnySignedIn } from '${e.up}platform/authz/field-permissions.ts';
import type { Context } from '${e.up}platform/context.ts';
import { type Connection, ${e.connection ? '' : 'connectionOf, '}PageArgs } from '${e.up}platform/read/connection.ts';
${e.connection ? `import { ${connection} } from '${e.connection}';\n` : ''}import { ${e.noun} } from '${e.entity}';
${e.connection ? '' : `\nexport const ${connection} = connectionOf('${e.noun}', () => ${e.noun});\n`}
// TODO: filters, sorts and search, as in src/dispatch/orders/order.filters.ts and order.lists.ts.
@ArgsType()
class ${e.name}Args extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

@Resolver()
export class ${e.name}Resolver {
  @Query(() => ${connection})
  @AnySignedIn()
  ${e.field}(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Args(() => ${e.name}Args) args: ${e.name}Args): Promise<Connection<${e.noun}>> {
    return ctx.read.page(${e.noun}, info, args);
  }
}
`,
    [`schema/rest/${e.room}/${e.name}.graphql`]: `# TODO: one sentence for the reference.
query ${e.name}($companyId: ID, $page: PageInput) @rest(method: GET, path: "/v1/${e.wirePlural}", scoped: true) {
  data: ${e.field}(companyId: $companyId, page: $page) @page { ${selection(e)} }
}
`,
    [e.test]: listTest(e),
  };
}

/** What is answered: the noun's own shape, or its id until it has one. */
const selection = (e: Endpoint): string => (e.fragment ? `...${e.noun}` : 'id');

const imports = (e: Endpoint, more: string): string => `import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '${e.up}helpers/app.ts';
import { ${more}makeTenant, type Tenant } from '${e.up}helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

// TODO: the sentences of the specification about ${e.name}, through REST and GraphQL.
`;

const orderTest = (
  e: Endpoint,
  method: string,
  path: string,
  permission: string,
): string => `${imports(e, 'makeOrder, ')}test('${wireName(e.name).replaceAll('_', ' ')} over both faces', async () => {
  const order = await makeOrder(tenant);
  expect(await tenant.must('${method}', \`${path}\`, { name: 'by REST' })).toMatchObject({ id: order.id, name: 'by REST' });
  const { data } = await tenant.gql('mutation($id: ID!, $input: ${e.name}Input!) { ${e.field}(id: $id, input: $input) { name } }', {
    id: order.id,
    input: { name: 'by GraphQL' },
  });
  expect(data.${e.field}).toEqual({ name: 'by GraphQL' });
});

test('it needs ${permission}, and an order of the own company', async () => {
  const order = await makeOrder(tenant);
  const { token } = await tenant.person({ roles: [] });
  expect((await tenant.http('${method}', \`${path}\`, { name: 'no' }, token)).status).toBe(403);
  const stranger = await makeTenant(app);
  expect((await stranger.http('${method}', \`${path}\`, { name: 'no' })).status).toBe(404);
});
`;

const listTest = (
  e: Endpoint,
): string => `${imports(e, '')}test('${wireName(e.name).replaceAll('_', ' ')} of the own company, in one statement over both faces', async () => {
  await tenant.must('GET', '/v1/${e.wirePlural}');
  const { value, statements } = await app.countStatements(() => tenant.must('GET', '/v1/${e.wirePlural}'));
  const { data } = await tenant.gql('{ ${e.field} { nodes { id } } }');
  expect(data.${e.field}.nodes).toEqual(value.map(({ id }: { id: string }) => ({ id })));
  // Who asks is looked up again every two seconds.
  expect(statements.filter((sql) => !sql.includes('recursive principal'))).toHaveLength(1);
});
`;

const emptyTest = (e: Endpoint): string => `${imports(e, '')}test('${wireName(e.name).replaceAll('_', ' ')}', () => {
  expect([app.url, tenant.company.id]).toBe('not written yet');
});
`;
