// npm run new -- mutation dispatch/orders RenameOrder
// npm run new -- query proof/usage-logs ListResourceUsageLogs
// npm run new -- entity reporting Forecast edit_company
// npm run new -- migration add-haul-zones
// Writes the four files of a new endpoint, or all files of a new entity with states, and lists them where their kind is listed; or the file of a new
// migration. Existing files are left alone. The last word is the permission that is needed if there is none by the record's name.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { PERMISSIONS } from '../src/identity/access/permissions.ts';
import { wireName } from '../src/platform/model/names.ts';
import { describeEntity, entityFiles, pluralOf } from './new/entity.ts';
import { listBeyondContract, listEntity } from './new/entity-lists.ts';
import { type Endpoint, mutationFiles, queryFiles, routeOf, tableLine } from './new/files.ts';
import { migrationFiles } from './new/migration.ts';
import { pastOf } from './new/past.ts';
import { entityClasses, fullFolder, placeFolder, sourceWith } from './new/places.ts';

/** Where a list of resolvers begins. */
const RESOLVERS = /(?<=resolvers: Function\[\] = \[)/;

/** The rooms whose code answers requests: those that list resolvers. A migration may be asked for where there are none. */
const ROOMS = existsSync('src') ? readdirSync('src').filter(answersRequests) : [];

const [kind = '', folder = '', name = '', permission = ''] = process.argv.slice(2);
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
    `usage: npm run new -- mutation|query <room>[/<folder>] <VerbNoun> [<permission>]\n       npm run new -- entity <room>[/<folder>] <Noun> [<permission>]\n       npm run new -- migration <verb-noun>\n  rooms: ${ROOMS.join(' ')}\n  such as: npm run new -- mutation dispatch/orders RenameOrder, npm run new -- entity reporting Forecast edit_company, npm run new -- migration add-haul-zones`,
  );
  process.exit(2);
}
if (permission) refuse(noPermission([permission]));

if (kind === 'entity') {
  stampEntity();
  process.exit(0);
}
const endpoint = describe();
if (readFileSync('schema/schema.graphql', 'utf8').match(new RegExp(`^  ${endpoint.field}[(:]`, 'm')))
  refuse(`${endpoint.field} is there already: schema/rest/${room}/${name}.graphql answers by it. Choose another name.`);
if (kind === 'mutation') refuse(noPermission([endpoint.permission]));
const files = kind === 'mutation' ? mutationFiles(endpoint) : queryFiles(endpoint);
refuse(fullFolder(Object.keys(files)));
format([...stamp(files), ...list()]);
console.log(
  `Next: npm run check && npm run schema, then npm test -- ${endpoint.test} test/walk.test.ts test/architecture.test.ts test/contract; then make it do what it should: grep -n TODO $(git ls-files -mo --exclude-standard).`,
);

/** True of a folder of `src` that is a room with resolvers. */
function answersRequests(folder: string): boolean {
  const path = `src/${folder}/room.ts`;
  return existsSync(path) && /resolvers: Function\[\] = \[(?!\])/.test(readFileSync(path, 'utf8'));
}

/** Returns what to do if some of these are no permissions; undefined if all are. */
function noPermission(names: readonly string[]): string | undefined {
  const unknown = names.filter((one) => !(PERMISSIONS as readonly string[]).includes(one));
  if (unknown.length === 0) return undefined;
  return [
    `${unknown.join(' and ')}: there is no such permission in src/identity/access/permissions.ts.`,
    `Name one of those that are there: npm run new -- ${kind} ${folder} ${name} edit_company. Nothing was written.`,
  ].join('\n');
}

/** Ends the program if there is something to say against it. */
function refuse(reason: string | undefined): void {
  if (reason === undefined) return;
  console.error(reason);
  process.exit(1);
}

function format(written: string[]): void {
  spawnSync('node_modules/.bin/biome', ['check', '--write', ...written.filter((path) => path.endsWith('.ts'))], { stdio: 'ignore' });
}

function stampEntity(): void {
  const entity = describeEntity(folder, name, permission);
  if (entityClasses().has(name)) refuse(`${name} is there already. Choose another name.`);
  refuse(noPermission([entity.create, entity.edit]));
  const files = entityFiles(entity);
  refuse(fullFolder(Object.keys(files)));
  format([...stamp(files), ...placeFolder(folder, insert), ...listEntity(entity, insert)]);
  console.log(
    `Next: npm run check && npm run schema, then npm test -- test/${entity.folder}/${entity.files}.test.ts test/walk.test.ts test/architecture.test.ts test/registrations.test.ts test/events/changes.test.ts test/platform/graphql test/platform/database/schema-drift.test.ts; then make it what it should be: grep -rn TODO $(git ls-files -mo --exclude-standard).`,
  );
}

function describe(): Endpoint {
  const verb = /^[A-Z][a-z]+/.exec(name)![0];
  const rest = name.slice(verb.length);
  const entities = entityClasses();
  const noun = nounIn(rest, verb, [...entities.keys()]);
  if (!noun) {
    refuse(
      kind === 'query'
        ? `${rest} is the plural of no record. Name it List and the plural, such as ListResourceUsageLogs. A new record begins with npm run new -- entity ${folder} ${rest.replace(/s$/, '')}.`
        : `${rest} is no record, and does not begin with one. After the verb comes the record that is changed, such as RenameOrder or RenameOrderDispatch for PUT /v1/orders/{order-id}/rename_dispatch. A new record begins with npm run new -- entity ${folder} ${rest}.`,
    );
    throw new Error('unreachable: the program has ended');
  }
  const needed = verb === 'Create' && kind === 'mutation' ? requiredColumns(entities.get(noun)!.text) : [];
  if (needed.length > 0)
    refuse(
      `${noun} has columns without which there is no record: ${needed.join(', ')}. Write this command by hand, after src/dispatch/projects/create-project.ts. Nothing was written.`,
    );
  const about = kind === 'query' ? '' : rest.slice(noun.length);
  const file = wireName(name).replaceAll('_', '-');
  const camel = (text: string) => text[0]!.toLowerCase() + text.slice(1);
  const plural = pluralOf(noun);
  const from = `src/${folder}`;
  const entity = entities.get(noun)!;
  const connection = sourceWith(/\.ts$/, `export const ${noun}Connection = `);
  const importPath = (path: string) => relative(from, path).replace(/^(?!\.)/, './');
  const table = sourceWith(/\.ts$/, `export const ${noun}Mutations = mutationsOf(${noun}, {\n`);
  return {
    ...{ room, folder, up: '../'.repeat(folder.split('/').length), name, verb, noun, file, one: camel(noun) },
    action: wireName(`${verb}${about}`),
    happened: [about && wireName(about), pastOf(verb.toLowerCase())].filter(Boolean).join('_'),
    named: /^ +@Text\(.*\bname[!?]?:/m.test(entity.text),
    table: table && verb !== 'Create' && `${from}/`.startsWith(`${dirname(table)}/`) ? table : undefined,
    field: kind === 'query' ? camel(plural) : camel(name),
    wireNoun: wireName(noun),
    wirePlural: wireName(plural),
    entity: importPath(entity.path),
    connection: connection && importPath(connection),
    fragment: existsSync(`schema/rest/fragments/${noun}.graphql`),
    permission: permission || `${verb === 'Create' ? 'create' : 'edit'}_${wireName(noun)}`,
    test: `test/${folder}/${file}.test.ts`,
  };
}

/** Returns the columns that a new record must be given in addition to its company and name. */
function requiredColumns(text: string): string[] {
  const columns = [...text.matchAll(/@\w+\(.*required: true.*\) (\w+)!:/g)].map((match) => match[1]!);
  return columns.filter((column) => column !== 'company' && column !== 'name');
}

/** Returns the record that a name is about: `Order` in `Order`, `OrderDispatch` and, of a list, `Orders`. */
function nounIn(rest: string, verb: string, nouns: string[]): string | undefined {
  if (kind === 'query') return nouns.find((noun) => pluralOf(noun) === rest);
  if (verb === 'Create') return nouns.find((noun) => noun === rest);
  const first = nouns.filter((noun) => rest.startsWith(noun) && /^([A-Z]|$)/.test(rest.slice(noun.length)));
  return first.sort((a, b) => b.length - a.length)[0];
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

/** Adds the endpoint to the lists of its kind. @returns the files that were changed */
function list(): string[] {
  const { field, one, permission, verb } = endpoint;
  const kinds = readFileSync('test/helpers/walk/expectation.ts', 'utf8');
  const walked = verb !== 'Create' && kinds.includes(`| '${one}'`) ? `'${one}'` : 'undefined';
  if (kind === 'mutation' && verb !== 'Create' && walked === 'undefined')
    console.log(
      `The walk of permissions makes no ${one} yet: add it to expectation.ts and makers.ts in test/helpers/walk, and name it in the line of ${field}.`,
    );
  const expected = kind === 'query' ? `...of(undefined, 'company', '${field}'),` : `...of(${walked}, '${permission}', '${field}'),`;
  const opened = [...placeFolder(folder, insert)];
  const own = `test/helpers/walk/${room}.ts`;
  const table = existsSync(own) ? own : 'test/helpers/walk/others.ts';
  insert(table, /(?<=Row\[\] = \[[^;]*)\];/, `  ${expected}\n`);
  return [...opened, ...(endpoint.table ? addLine(endpoint.table) : listResolver()), table, ...listOutsideContract()];
}

/** Adds the command to its record's table of mutations. @returns the file that was changed */
function addLine(table: string): string[] {
  const from = `${relative(dirname(table), `src/${folder}`) || '.'}/${endpoint.file}.ts`.replace(/^(?!\.)/, './');
  insert(table, /^import /m, `import { ${name}Input, ${endpoint.field} } from '${from}';\n`);
  const text = readFileSync(table, 'utf8');
  const imported = /import \{([^}]*)\} from '[^']*record-mutations\.ts'/.exec(text)![1]!;
  const missing = ['requires', 'withInput'].filter((one) => !new RegExp(`\\b${one}\\b`).test(imported));
  if (missing.length > 0) insert(table, /(?<=import \{)(?=[^}]*\} from '[^']*record-mutations\.ts')/, ` ${missing.join(', ')},`);
  insert(
    table,
    new RegExp(`(?<=${endpoint.noun}Mutations = mutationsOf\\(${endpoint.noun}, \\{\\n(?:  .*\\n)*)\\}`),
    `  ${tableLine(endpoint)}\n`,
  );
  return [table];
}

/** Lists the resolver in its room. @returns the file that was changed */
function listResolver(): string[] {
  const path = `src/${room}/room.ts`;
  insert(path, /^import |^\/\*\*/m, `import { ${name}Resolver } from '.${folder.slice(room.length)}/${endpoint.file}.resolver.ts';\n`);
  insert(path, RESOLVERS, `\n  ${name}Resolver,`);
  return [path];
}

/** Lists the operation as one that the public contract does not have, unless it has it. @returns the files that were changed */
function listOutsideContract(): string[] {
  const { method, path } = kind === 'query' ? { method: 'GET', path: `/v1/${endpoint.wirePlural}` } : routeOf(endpoint);
  const scoped = path.replace('/v1/', '/v1/companies/{company-id}/');
  const keyOf = (line: string) =>
    line
      .split(' ')
      .slice(0, 2)
      .join(' ')
      .replace(/\{[^}]*\}/g, '{}');
  const known = new Set(readFileSync('test/contract/statuses.txt', 'utf8').split('\n').map(keyOf));
  const operations = [`${method} ${path}`, `${method} ${scoped}`];
  return operations.some((one) => known.has(keyOf(one))) ? [] : listBeyondContract(operations, insert);
}

function insert(path: string, before: RegExp, text: string): void {
  const now = readFileSync(path, 'utf8');
  const at = now.search(before);
  if (at < 0) throw new Error(`${path} has no place for ${text.trim()}`);
  writeFileSync(path, now.slice(0, at) + text + now.slice(at));
  console.log(`added ${text.trim()} to ${path}`);
}
