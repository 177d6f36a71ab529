import { wireName } from '../../src/platform/model/names.ts';

/** A new endpoint, and every way its names are written. */
export interface Endpoint {
  room: string;
  /** Where its code is: the room, or one of its folders, such as `dispatch/orders`. */
  folder: string;
  /** From its code to `src`, such as `../../`. */
  up: string;
  /** `RenameOrder`, `ListResourceUsageLogs`. */
  name: string;
  verb: string;
  /** `Order`, `Material`. */
  noun: string;
  /** The last part of the path: `rename`, or `rename_dispatch` of `RenameOrderDispatch`. */
  action: string;
  /** The past tense: `renamed`, `dispatch_renamed`. */
  happened: string;
  /** The record has a text field `name`, which the example changes. */
  named: boolean;
  /** The file with the record's table of mutations, if the command's folder has one: `src/dispatch/orders/order.resolver.ts`. */
  table?: string;
  /** `rename-order`. */
  file: string;
  /** Root field: `renameOrder`, `resourceUsageLogs`. */
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

/** Returns the method and path of a mutation. */
export function routeOf(e: Endpoint): { method: string; path: string } {
  if (e.verb === 'Create') return { method: 'POST', path: `/v1/${e.wirePlural}` };
  const path = `/v1/${e.wirePlural}/${paramOf(e)}`;
  return e.verb === 'Update' ? { method: 'PATCH', path } : { method: 'PUT', path: `${path}/${e.action}` };
}

const paramOf = (e: Endpoint): string => `{${e.wireNoun.replaceAll('_', '-')}-id}`;

/** Command, document and test of a mutation, and a resolver if the record has no table of mutations in this folder. */
export function mutationFiles(e: Endpoint): Record<string, string> {
  const creates = e.verb === 'Create';
  const { method, path } = routeOf(e);
  return {
    [`src/${e.folder}/${e.file}.ts`]: creates ? creation(e) : change(e),
    ...(!e.table && { [`src/${e.folder}/${e.file}.resolver.ts`]: resolver(e) }),
    [`schema/rest/${e.room}/${e.name}.graphql`]: `# TODO: one sentence for the reference.
mutation ${e.name}($companyId: ID, ${creates ? '' : `$${e.one}Id: ID!, `}$input: ${e.name}Input! @body)
  @rest(method: ${method}, path: "${path}", scoped: true${creates ? ', status: 201' : ''}) {
  data: ${e.field}(companyId: $companyId, ${creates ? '' : `id: $${e.one}Id, `}input: $input) { ${selection(e)} }
}
`,
    [e.test]: creates ? creationTest(e) : e.noun === 'Order' ? orderTest(e) : changeTest(e),
  };
}

const input = (e: Endpoint, field: string): string => `@InputType()
export class ${e.name}Input {
  // TODO: the fields, as in @Field(() => Int) @Range(1, 200) truckCount!: number;
  ${field}
}

// TODO: the policy of the room instead of \`allow\`, if it depends on the record who may.
/** TODO: one sentence on what this does.`;

const creation = (e: Endpoint): string => `import { Field, InputType } from 'type-graphql';
import { allow, companyOf } from '${e.up}platform/authz/authorization.ts';
import { emitEvent, transact } from '${e.up}platform/commands/transact.ts';
import type { Context } from '${e.up}platform/context.ts';
import { ${e.noun} } from '${e.entity}';

${input(e, '@Field(() => String) name!: string;')} @throws Denied */
export function ${e.field}(ctx: Context, input: ${e.name}Input, companyId?: string | null): Promise<${e.noun}> {
  allow(ctx, '${e.permission}');
  return transact(ctx, async (tx) => {
    const ${e.one} = tx.em.create(${e.noun}, { ...input, company: companyOf(tx, companyId) } as never);
    emitEvent(tx, '${e.wireNoun}.${e.happened}', ${e.one});
    return ${e.one};
  });
}
`;

const change = (e: Endpoint): string => `import { Field, InputType } from 'type-graphql';
import { allow, find } from '${e.up}platform/authz/authorization.ts';
import { emitEvent, transact } from '${e.up}platform/commands/transact.ts';
import type { Context, RecordPath } from '${e.up}platform/context.ts';
import { ${e.noun} } from '${e.entity}';

${input(e, e.named ? '@Field(() => String, { nullable: true }) name?: string | null;' : `@Field(() => String, { nullable: true, description: 'TODO: what it is.' }) note?: string | null;`)} @throws Denied, Missing */
export function ${e.field}(ctx: Context, path: RecordPath, ${e.named ? 'input' : '_input'}: ${e.name}Input): Promise<${e.noun}> {
  allow(ctx, '${e.permission}');
  return transact(ctx, async (tx) => {
    const ${e.one} = await find(tx, ${e.noun}, path.id, { companyId: path.companyId, lock: true });
${
  e.named
    ? `    // Absent keeps it, null clears it.
    if (input.name !== undefined) Object.assign(${e.one}, { name: input.name });`
    : '    // TODO: what the input changes. Absent keeps a value, null clears it.'
}
    emitEvent(tx, '${e.wireNoun}.${e.happened}', ${e.one});
    return ${e.one};
  });
}
`;

/** The line of the command in the record's table of mutations. */
export const tableLine = (e: Endpoint): string => `${e.field}: requires(['${e.permission}'], withInput(${e.name}Input, ${e.field})),`;

function resolver(e: Endpoint): string {
  const creates = e.verb === 'Create';
  return `import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Requires } from '${e.up}platform/authz/field-permissions.ts';
import type { Context } from '${e.up}platform/context.ts';
import { ${e.name}Input, ${e.field} } from './${e.file}.ts';
import { ${e.noun} } from '${e.entity}';

@Resolver()
export class ${e.name}Resolver {
  @Mutation(() => ${e.noun})
  // TODO: who may call it; with allOrOwn('${e.permission}') also for their own records.
  @Requires('${e.permission}')
  async ${e.field}(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
${creates ? '' : "    @Arg('id', () => ID) id: string,\n"}    @Arg('input', () => ${e.name}Input) input: ${e.name}Input,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<${e.noun}> {
    const ${creates ? 'made' : 'changed'} = await ${e.field}(ctx, ${creates ? 'input, companyId' : '{ id, companyId }, input'});
    return ctx.read.one(${e.noun}, info, { id: ${creates ? 'made' : 'changed'}.id });
  }
}
`;
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

/** Returns the selection of the answer: the noun's own shape, or its id until it has one. */
const selection = (e: Endpoint): string => (e.fragment ? `...${e.noun}` : 'id');

/** The name of the endpoint in a sentence. */
const words = (e: Endpoint): string => wireName(e.name).replaceAll('_', ' ');

const imports = (e: Endpoint, more: string): string => `import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '${e.up}helpers/app.ts';
import { ${more}makeTenant, type Tenant } from '${e.up}helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

// TODO: the sentences of the specification about ${e.name}, through REST and GraphQL.
`;

const orderTest = (e: Endpoint): string => {
  const { method, path: documented } = routeOf(e);
  const path = documented.replace(paramOf(e), `\${order.id}`);
  return `${imports(e, 'makeOrder, ')}test('${words(e)} over REST and GraphQL', async () => {
  const order = await makeOrder(tenant);
  expect(await tenant.must('${method}', \`${path}\`, { name: 'by REST' })).toMatchObject({ id: order.id, name: 'by REST' });
  const { data } = await tenant.gql('mutation($id: ID!, $input: ${e.name}Input!) { ${e.field}(id: $id, input: $input) { name } }', {
    id: order.id,
    input: { name: 'by GraphQL' },
  });
  expect(data.${e.field}).toEqual({ name: 'by GraphQL' });
});

test('it needs ${e.permission}, and an order of the own company', async () => {
  const order = await makeOrder(tenant);
  const { token } = await tenant.person({ roles: [] });
  expect((await tenant.http('${method}', \`${path}\`, { name: 'no' }, token)).status).toBe(403);
  const stranger = await makeTenant(app);
  expect((await stranger.http('${method}', \`${path}\`, { name: 'no' })).status).toBe(404);
});
`;
};

const changeTest = (e: Endpoint): string => {
  const { method, path } = routeOf(e);
  return `import { randomUUID } from 'node:crypto';
${imports(e, '')}test('${words(e)}: it needs ${e.permission}, and a record that is there', async () => {
  const path = \`${path.replace(paramOf(e), `\${randomUUID()}`)}\`;
  const { token } = await tenant.person({ roles: [] });
  expect((await tenant.http('${method}', path, {}, token)).status).toBe(403);
  expect((await tenant.http('${method}', path, {})).status).toBe(404);
});
`;
};

const creationTest = (e: Endpoint): string => {
  const { path } = routeOf(e);
  return `${imports(e, '')}test('${words(e)}: it needs ${e.permission}, and a name', async () => {
  const { token } = await tenant.person({ roles: [] });
  expect((await tenant.http('POST', '${path}', { name: 'no' }, token)).status).toBe(403);
  const { status, body } = await tenant.http('POST', '${path}', {});
  expect([status, body.error.errors]).toEqual([422, [expect.objectContaining({ field: 'name' })]]);
});
`;
};

const listTest = (
  e: Endpoint,
): string => `${imports(e, '')}test('${words(e)} of the own company, in one statement over REST and GraphQL', async () => {
  await tenant.must('GET', '/v1/${e.wirePlural}');
  const { value, statements } = await app.countStatements(() => tenant.must('GET', '/v1/${e.wirePlural}'));
  const { data } = await tenant.gql('{ ${e.field} { nodes { id } } }');
  expect(data.${e.field}.nodes).toEqual(value.map(({ id }: { id: string }) => ({ id })));
  // The caller is looked up again every two seconds.
  expect(statements.filter((sql) => !sql.includes('recursive principal'))).toHaveLength(1);
});
`;
