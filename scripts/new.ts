// npm run new -- mutation dispatch CreateOrder
// npm run new -- query dispatch ListOrders
// Stamps the files of a new endpoint; existing files are left alone. What is left to do is marked with TODO in them.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { wireName } from '../src/platform/http/rest/names.ts';

const ROOMS = ['identity', 'directory', 'files', 'events', 'dispatch', 'proof', 'telematics', 'billing', 'ingest', 'reporting'];
const VERBS = /^(Create|Update|Delete|List|Show|[A-Z][a-z]+)/;

const [kind = '', room = '', name = ''] = process.argv.slice(2);
if (!['mutation', 'query'].includes(kind) || !ROOMS.includes(room) || !/^[A-Z][a-z]+([A-Z][A-Za-z]*)+$/.test(name)) {
  console.error(
    `usage: npm run new -- mutation|query <room> <VerbNoun>\n  rooms: ${ROOMS.join(' ')}\n  such as: npm run new -- mutation dispatch CreateOrder`,
  );
  process.exit(2);
}

const verb = VERBS.exec(name)?.[0] as string;
const noun = kind === 'query' ? name.slice(verb.length).replace(/s$/, '') : name.slice(verb.length);
const camel = name[0]?.toLowerCase() + name.slice(1);
const file = wireName(name).replaceAll('_', '-');
const nounFile = wireName(noun).replaceAll('_', '-');
const plural = `${wireName(noun)}s`;
const listName = `${noun[0]?.toLowerCase()}${noun.slice(1)}s`;

const files = kind === 'mutation' ? mutation() : query();
for (const [path, text] of Object.entries(files)) {
  if (existsSync(path)) {
    console.log(`kept  ${path} (exists)`);
    continue;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`wrote ${path}`);
}
console.log('Next: list the resolver in src/rooms.ts, fill in the TODOs, then npm run check && npm run schema.');

function mutation(): Record<string, string> {
  const creates = verb === 'Create';
  const method = creates ? 'POST' : verb === 'Update' ? 'PATCH' : 'PUT';
  const path = creates ? `/v1/${plural}` : verb === 'Update' ? `/v1/${plural}/{id}` : `/v1/${plural}/{id}/${wireName(verb)}`;
  const id = creates ? '' : '$id: ID!, ';
  const passId = creates ? '' : 'id: $id, ';
  return {
    [`src/${room}/${file}.ts`]: `import { Field, InputType } from 'type-graphql';
import { allow, ${creates ? 'companyOf' : 'find'} } from '../platform/authz/fences.ts';
import { record, transact } from '../platform/commands/transact.ts';
import type { Context } from '../platform/context.ts';
import { ${noun} } from './${nounFile}.entity.ts';

@InputType()
export class ${name}Input {
  // TODO: the fields, as in @Field(() => Int) @Range(1, 200) truckCount!: number;
  @Field(() => String, { nullable: true }) name?: string | null;
}

/** TODO: one sentence on what this does. @throws Denied, Invalid${creates ? '' : ', Missing'} */
export function ${camel}(ctx: Context, ${creates ? '' : 'id: string, '}input: ${name}Input, companyId?: string): Promise<${noun}> {
  allow(ctx, 'edit_${wireName(noun)}');
  return transact(ctx, async (tx) => {
${
  creates
    ? `    const ${listName.slice(0, -1)} = tx.em.create(${noun}, { ...input, company: companyOf(tx, companyId) } as never);`
    : `    const ${listName.slice(0, -1)} = await find(tx, ${noun}, id, { companyId, lock: true });
    if (input.name !== undefined) ${listName.slice(0, -1)}.name = input.name;`
}
    record(tx, '${wireName(noun)}.${wireName(verb)}', ${listName.slice(0, -1)});
    return ${listName.slice(0, -1)};
  });
}
`,
    [`src/${room}/${file}.resolver.ts`]: `import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import type { Context } from '../platform/context.ts';
import { ${name}Input, ${camel} } from './${file}.ts';
import { ${noun} } from './${nounFile}.entity.ts';

@Resolver()
export class ${name}Resolver {
  @Mutation(() => ${noun})
  async ${camel}(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
${creates ? '' : "    @Arg('id', () => ID) id: string,\n"}    @Arg('input', () => ${name}Input) input: ${name}Input,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<unknown> {
    const done = await ${camel}(ctx, ${creates ? '' : 'id, '}input, companyId);
    return ctx.read.one(${noun}, info, { id: done.id, companyId });
  }
}
`,
    [`schema/rest/${room}/${name}.graphql`]: `# TODO: one sentence for the reference.
mutation ${name}($companyId: ID, ${id}$input: ${name}Input! @body)
  @rest(method: ${method}, path: "${path}", scoped: true${creates ? ', status: 201' : ''}) {
  data: ${camel}(companyId: $companyId, ${passId}input: $input) { ...${noun} }
}
`,
    [`test/${room}/${file}.test.ts`]: testFile(),
  };
}

function query(): Record<string, string> {
  return {
    [`src/${room}/${file}.resolver.ts`]: `import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import type { Context } from '../platform/context.ts';
import { ${noun} } from './${nounFile}.entity.ts';

@Resolver()
export class ${name}Resolver {
  @Query(() => [${noun}])
  ${listName}(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('companyId', () => ID, { nullable: true }) companyId?: string): Promise<unknown> {
    // TODO: filters, sorts and search; a connection with @page in the document when the list can grow.
    return ctx.read.list(${noun}, info, { companyId });
  }
}
`,
    [`schema/rest/${room}/${name}.graphql`]: `# TODO: one sentence for the reference.
query ${name}($companyId: ID) @rest(method: GET, path: "/v1/${plural}", scoped: true) {
  data: ${listName}(companyId: $companyId) { ...${noun} }
}
`,
    [`test/${room}/${file}.test.ts`]: testFile(),
  };
}

function testFile(): string {
  return `import { expect, test } from '@jest/globals';

// TODO: sentences of the specification, through REST and GraphQL.
test('${wireName(name).replaceAll('_', ' ')}', () => {
  expect('written').toBe('not yet');
});
`;
}
