// npm run new -- mutation dispatch/orders RenameOrder
// npm run new -- query directory/master-data ListMaterials
// npm run new -- entity billing Settlement
// npm run new -- migration add-haul-zones
// Writes the four files of a new endpoint, or all files of a new entity with states, and lists them where their kind is listed; or the file of a new
// migration. Existing files are left alone.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PERMISSIONS } from '../src/identity/access/permissions.ts';
import { wireName } from '../src/platform/model/names.ts';
import { describeEntity, entityFiles } from './new/entity.ts';
import { listEntity } from './new/entity-lists.ts';
import { type Endpoint, mutationFiles, queryFiles } from './new/files.ts';
import { migrationFiles } from './new/migration.ts';

/** The rooms of test/architecture.test.ts whose code answers requests; events, billing and reporting do not exist yet. */
const ROOMS = ['directory', 'identity', 'partners', 'files', 'dispatch', 'proof', 'telematics', 'ingest', 'events', 'billing', 'reporting'];
/** Where a list of resolvers begins. */
const RESOLVERS = /(?<=resolvers: Function\[\] = \[)/;

const [kind = '', folder = '', name = ''] = process.argv.slice(2);
const room = folder.split('/')[0]!;
if (kind === 'migration' && /^[a-z]+(-[a-z0-9]+)+$/.test(folder)) {
  stamp(migrationFiles('migrations', folder));
  console.log(
    'Next: write it, change the entity, then npm test -- test/platform/database/schema-drift.test.ts test/platform/database/migrations.test.ts',
  );
  process.exit(0);
}
if (
  !['mutation', 'query', 'entity'].includes(kind) ||
  !ROOMS.includes(room) ||
  !/^[a-z-]+(\/[a-z-]+)*$/.test(folder) ||
  !(kind === 'entity' ? /^[A-Z][a-z]+([A-Z][a-z]+)*$/ : /^[A-Z][a-z]+([A-Z][A-Za-z]*)+$/).test(name)
) {
  console.error(
    `usage: npm run new -- mutation|query <room>[/<folder>] <VerbNoun>\n       npm run new -- entity <room>[/<folder>] <Noun>\n       npm run new -- migration <verb-noun>\n  rooms: ${ROOMS.join(' ')}\n  such as: npm run new -- mutation dispatch/orders RenameOrder, npm run new -- entity billing Settlement, npm run new -- migration add-haul-zones`,
  );
  process.exit(2);
}

if (kind === 'entity') {
  stampEntity();
  process.exit(0);
}
const endpoint = describe();
if (readFileSync('schema/schema.graphql', 'utf8').match(new RegExp(`^  ${endpoint.field}[(:]`, 'm'))) {
  console.error(`${endpoint.field} is there already: schema/rest/${room}/${name}.graphql answers by it. Choose another name.`);
  process.exit(1);
}
const written = [...stamp(kind === 'mutation' ? mutationFiles(endpoint) : queryFiles(endpoint)), ...list()];
spawnSync('node_modules/.bin/biome', ['check', '--write', ...written.filter((path) => path.endsWith('.ts'))], { stdio: 'ignore' });
if (kind === 'mutation' && !(PERMISSIONS as readonly string[]).includes(endpoint.permission))
  console.log(
    `${endpoint.permission} is no permission: choose one of src/identity/access/permissions.ts, in ${endpoint.file}.ts and in the walk.`,
  );
console.log(`Next: npm run check && npm run schema, then npm test -- ${endpoint.test} test/walk.test.ts; then make it do what it should.`);

function stampEntity(): void {
  const entity = describeEntity(folder, name);
  if (find(/\.entit(y|ies)\.ts$/, `export class ${name} `)) {
    console.error(`${name} is there already. Choose another name.`);
    process.exit(1);
  }
  const written = [...stamp(entityFiles(entity)), ...open(), ...listEntity(entity, insert)];
  spawnSync('node_modules/.bin/biome', ['check', '--write', ...written.filter((path) => path.endsWith('.ts'))], { stdio: 'ignore' });
  for (const permission of entity.missing)
    console.log(
      `${permission} is no permission: edit_company was taken. Choose one of src/identity/access/permissions.ts in the policy, the resolver and the walk.`,
    );
  console.log(
    `Next: npm run schema, then npm test -- test/${entity.folder}/${entity.files}.test.ts test/walk.test.ts test/architecture.test.ts test/registrations.test.ts test/platform/database/schema-drift.test.ts; then make it what it should be.`,
  );
}

function describe(): Endpoint {
  const verb = /^[A-Z][a-z]+/.exec(name)![0];
  const rest = name.slice(verb.length);
  const noun = kind === 'query' ? rest.replace(/ies$/, 'y').replace(/s$/, '') : rest;
  const file = wireName(name).replaceAll('_', '-');
  const camel = (text: string) => text[0]!.toLowerCase() + text.slice(1);
  const plural = noun.replace(/y$/, 'ie').concat('s');
  const from = `src/${folder}`;
  const up = '../'.repeat(folder.split('/').length);
  const entity = find(/\.entit(y|ies)\.ts$/, `export class ${noun} `) ?? `${from}/${wireName(noun).replaceAll('_', '-')}.entity.ts`;
  const connection = find(/\.ts$/, `export const ${noun}Connection = `);
  const importPath = (path: string) => relative(from, path).replace(/^(?!\.)/, './');
  return {
    room,
    folder,
    up,
    name,
    verb,
    noun,
    file,
    field: kind === 'query' ? camel(plural) : camel(name),
    one: camel(noun),
    wireNoun: wireName(noun),
    wirePlural: wireName(plural),
    entity: importPath(entity),
    connection: connection && importPath(connection),
    fragment: existsSync(`schema/rest/fragments/${noun}.graphql`),
    permission: `${verb === 'Create' ? 'create' : 'edit'}_${wireName(noun)}`,
    test: `test/${folder}/${file}.test.ts`,
  };
}

/** Returns the file of src that contains this line. */
function find(path: RegExp, line: string): string | undefined {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((one) => path.test(one));
  return files.map((one) => join('src', one)).find((one) => readFileSync(one, 'utf8').includes(line));
}

/** @returns the files that were written */
function stamp(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([path, text]) => {
    if (existsSync(path)) {
      console.log(`kept  ${path} (exists)`);
      return [];
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
    return [path];
  });
}

/** Adds the resolver to the rooms and the field to the walk of permissions. @returns the files that were changed */
function list(): string[] {
  const { field, one, permission, verb } = endpoint;
  const walked = ['order', 'job', 'load', 'project', 'company'].includes(one) ? `'${one}'` : 'undefined';
  const expected =
    kind === 'query'
      ? `...of(undefined, 'company', '${field}'),`
      : `...of(${verb === 'Create' ? 'undefined' : walked}, '${permission}', '${field}'),`;
  const lists = [`src/${room}/room.ts`, ...open()];
  insert(lists[0]!, /^import |^\/\*\*/m, `import { ${name}Resolver } from '.${folder.slice(room.length)}/${endpoint.file}.resolver.ts';\n`);
  insert(lists[0]!, RESOLVERS, `\n  ${name}Resolver,`);
  const own = `test/helpers/walk/${room}.ts`;
  const table = existsSync(own) ? own : 'test/helpers/walk/others.ts';
  insert(table, /(?<=Row\[\] = \[[^;]*)\];/, `  ${expected}\n`);
  return [...lists, table];
}

/** Opens a room that does not exist yet. @returns the files that were changed */
function open(): string[] {
  const path = `src/${room}/room.ts`;
  if (existsSync(path)) return [];
  stamp({ [path]: "/** The fields of the room's interface. */\nexport const resolvers: Function[] = [\n];\n" });
  insert('src/app/rooms.ts', /^import \* as /m, `import * as ${room} from '../${room}/room.ts';\n`);
  insert('src/app/rooms.ts', /(?<=rooms: readonly Room\[\] = \[[^\]]*)\]/, `, ${room}`);
  insert('src/app/rooms.ts', RESOLVERS, `\n  ...${room}.resolvers,`);
  return [path, 'src/app/rooms.ts'];
}

function insert(path: string, before: RegExp, text: string): void {
  const now = readFileSync(path, 'utf8');
  const at = now.search(before);
  if (at < 0) throw new Error(`${path} has no place for ${text.trim()}`);
  writeFileSync(path, now.slice(0, at) + text + now.slice(at));
  console.log(`added ${text.trim()} to ${path}`);
}
