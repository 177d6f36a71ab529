import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { NewEntity } from './entity.ts';

/** Puts a text into a file before the first place that fits. */
export type Insert = (path: string, before: RegExp, text: string) => void;

/** The subject of each list of a room.ts, for a room that has none of its kind yet. */
const LISTS: Record<string, string> = {
  entities: 'The entities of the room.',
  access: "Who sees the room's records: one access for each entity.",
  lists: "The filters, sorts and searches of the room's lists.",
  messages: "The room's messages.",
};

/**
 * Lists an entity where its kind is listed: in its room, in the words of the schema, in the feed of changes, in the walk of permissions with a maker of one,
 * and among the operations that the public contract does not have. @returns the files that were changed
 */
export function listEntity(e: NewEntity, insert: Insert): string[] {
  const parts = [` /v1/${e.path}`, ` /v1/companies/{company-id}/${e.path}`];
  return [...inRoom(e, insert), ...inWords(e, insert), ...inFeed(e, insert), ...inWalk(e, insert), ...listBeyondContract(parts, insert)];
}

function inRoom(e: NewEntity, insert: Insert): string[] {
  const path = `src/${e.room}/room.ts`;
  const from = `.${e.folder.slice(e.room.length)}/${e.file}`;
  const imports = [
    `import { ${e.one}Access } from '${from}.access.ts';`,
    `import { ${e.name} } from '${from}.entity.ts';`,
    `import { ${e.one}Filters, ${e.one}Search, ${e.one}Sorts } from '${from}.lists.ts';`,
    `import { ${e.one}Messages } from '${from}.messages.ts';`,
    `import { ${e.name}Mutations, ${e.name}Queries, ${e.name}Resolver } from '${from}.resolver.ts';`,
  ];
  insert(path, /^import |^\/\*\*/m, `${imports.join('\n')}\n`);
  const members: Record<string, string> = {
    entities: e.name,
    access: `${e.one}Access`,
    lists: `${e.one}Filters, ${e.one}Sorts, ${e.one}Search`,
    messages: `${e.one}Messages`,
    resolvers: `...${e.name}Queries, ${e.name}Resolver, ...${e.name}Mutations`,
  };
  for (const [list, added] of Object.entries(members)) {
    const opened = new RegExp(`(?<=export const ${list}(: Function\\[\\])? = \\[)`);
    if (opened.test(readFileSync(path, 'utf8'))) insert(path, opened, `${added}, `);
    else appendFileSync(path, `\n/** ${LISTS[list]} */\nexport const ${list} = [${added}];\n`);
  }
  const rooms = 'src/app/rooms.ts';
  const spread = `...${e.room}.entities`;
  if (readFileSync(rooms, 'utf8').includes(spread)) return [path];
  insert(rooms, /(?<=export const entities = \[)/, `\n  ${spread},`);
  return [path, rooms];
}

/** Describes the types and states, without which `npm run schema -- --check` fails. Fields that others have, too, are described already. */
function inWords(e: NewEntity, insert: Insert): string[] {
  const [types, values] = ['src/app/words/types.ts', 'src/app/words/values.ts'];
  const lines = [
    `${e.name}: TODO: one sentence on what it is.`,
    `${e.name}State: Whether a ${e.words} can still be changed.`,
    `${e.name}StateEvent: What may be done with a ${e.words}.`,
  ];
  insert(types, /(?<=export const TYPES = `\n)/, lines.map((line) => `${line}\n`).join(''));
  insert(values, /(?<=export const VALUES = `\n)/, `${e.name}State.draft: It can be changed.\n`);
  return [types, values];
}

/** Every record that is read by its id is in the feed; its migration has its changes noted. */
function inFeed(e: NewEntity, insert: Insert): string[] {
  const types = 'src/events/changes/record-types.ts';
  insert(types, /^\]\);\nexport type RecordType/m, `  ...(['${e.name}'] as const),\n`);
  return [types];
}

function inWalk(e: NewEntity, insert: Insert): string[] {
  const own = `test/helpers/walk/${e.room}.ts`;
  const table = existsSync(own) ? own : 'test/helpers/walk/others.ts';
  const rows = [
    `...of(undefined, 'company', '${e.many}'),`,
    `...of('${e.one}', 'company', '${e.one}'),`,
    `...of(undefined, '${e.create}', 'create${e.name}'),`,
    `...of('${e.one}', '${e.edit}', 'update${e.name}', 'approve${e.name}', 'void${e.name}'),`,
  ];
  insert(table, /(?<=Row\[\] = \[[^;]*)\];/, rows.map((row) => `  ${row}\n`).join(''));
  insert('test/helpers/walk/expectation.ts', /(?<=of\?:\n)/, `    | '${e.one}'\n`);
  const makers = 'test/helpers/walk/makers.ts';
  insert(makers, /(?<=makers: Record<.*> = \{\n)/, `    ${e.one}: () => saved(${e.name}, own),\n`);
  insert(makers, /^import /m, `import { ${e.name} } from '../../../src/${e.folder}/${e.file}.entity.ts';\n`);
  return [table, 'test/helpers/walk/expectation.ts', makers];
}

/** @param parts of the names of operations, such as ` /v1/settlements` @returns the file that was changed */
export function listBeyondContract(parts: string[], insert: Insert): string[] {
  const path = 'test/contract/statuses.test.ts';
  const reason = "'TODO: why we have what the contract does not list, or nothing if it lists all of it'";
  insert(path, /(?<=const OWN: Record<string, string> = \{\n)/, parts.map((part) => `  '${part}': ${reason},\n`).join(''));
  return [path];
}
