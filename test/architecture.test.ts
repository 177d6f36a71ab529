import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const SRC = resolve(import.meta.dirname, '../src');

/** Which rooms a room may import from, apart from itself (DESIGN section 3; D-PLATFORM-2 and D-SEND-1 say where it differs). */
const ALLOWED: Record<string, string[]> = {
  platform: [],
  files: ['platform'],
  directory: ['platform', 'files'],
  identity: ['platform', 'directory'],
  events: ['platform', 'directory', 'identity'],
  partners: ['platform', 'directory', 'identity', 'files'],
  dispatch: ['platform', 'directory', 'identity', 'partners', 'files', 'events'],
  proof: ['platform', 'directory', 'identity', 'partners', 'files', 'events', 'dispatch'],
  telematics: ['platform', 'directory', 'identity', 'partners', 'files', 'events', 'dispatch', 'proof'],
  billing: ['platform', 'directory', 'identity', 'partners', 'files', 'events', 'dispatch', 'proof'],
  ingest: ['platform', 'directory', 'identity', 'partners', 'files', 'events', 'dispatch', 'proof', 'billing', 'telematics'],
  // Runs on senders' machines: how sheets are read, and nothing else of the server.
  send: ['ingest'],
  // Is packed for the programs of clients: how requests are repeated, and the sender.
  client: ['send'],
  // Runs in browsers: it knows the server by its API alone, and has only the sentences of the importer's codes in common with it.
  console: ['ingest'],
  // The references to the records that it merges are in all rooms.
  merging: ['platform', 'directory', 'identity', 'partners', 'files', 'events', 'dispatch', 'proof', 'billing', 'telematics'],
  // The old records are in all rooms: it knows tables, and the settings of companies.
  archives: ['platform', 'directory'],
  sandbox: ['platform', 'directory', 'identity', 'partners'],
  reporting: ['platform', 'directory', 'identity', 'partners', 'files', 'events', 'dispatch', 'proof', 'billing', 'telematics'],
};
/** Files and rooms of the top floor may import anything. */
const TOP = new Set(['', 'app', 'demo']);

/**
 * The floors of the platform: the files of a folder import from their own floor and from those before it. `` means the files outside of
 * folders.
 */
const FLOORS = [
  ['', 'i18n', 'json', 'storage', 'queue', 'tracing', 'worlds'],
  ['model'],
  ['database'],
  ['authz'],
  ['commands'],
  ['state', 'outgoing'],
  ['read'],
  ['graphql'],
  ['http'],
];

/**
 * The folders of the large rooms, from the lowest: what is in a folder imports from its own line and from those before it. Folders in one line
 * refer to each other. Files next to the folders are free: they are what all folders share (settings.ts, importer.ts) or what combines them (room.ts).
 */
const FOLDERS: Record<string, string[][]> = {
  dispatch: [
    // The records, and who may see and change them: an entity names its rules, and the rules name entities.
    ['model', 'access'],
    ['fields'],
    ['pricing'],
    ['checks'],
    ['attachments'],
    // A driver who leaves for a job is on duty: shifts are kept below the commands of jobs.
    ['shifts'],
    // An order has jobs, a job has loads and is assigned: commands of one of them carry the others along.
    ['orders', 'jobs', 'loads', 'assignment'],
    ['projects'],
    // The board shows drivers, and a driver's day the jobs of the board.
    ['board', 'drivers'],
    ['conflicts'],
    // People are notified of events of all of these.
    ['notifications'],
    ['bulk'],
  ],
  identity: [
    // The caller is read from a token, and a token names the permissions of its caller.
    ['access', 'tokens', 'machine-clients'],
    ['passwords'],
    // A sign-in opens a session, and a refreshed session is checked like a sign-in.
    ['sign-in', 'sessions'],
    ['sso'],
    ['people'],
    ['audit'],
  ],
  ingest: [['payload'], ['nested'], ['apply'], ['ledger'], ['orders'], ['projects'], ['tickets'], ['dry-run'], ['api'], ['csv', 'files']],
};

/** Imports of higher folders, and why they stay. */
const UPWARD: Record<string, string> = {
  'dispatch/access/job.access.ts -> dispatch/jobs/job.filters.ts':
    'a partner searches jobs by the contact that it sees, as the filters of jobs do',
  'identity/access/context.ts -> identity/sign-in/first-sign-in.ts':
    'a token of an external issuer can be the first sign-in of an administrator',
  'identity/tokens/issue-machine-token.ts -> identity/sign-in/first-sign-in.ts':
    'so can the first token of a machine client be that of its company',
};

/** A folder with more files than this is cut by its nouns. */
const MOST_FILES = 25;

/**
 * Files that import each other, and why they may: entities of relations that are walked both ways. An order has its jobs, and a job
 * its order; whichever of two entities did not know the other would have its field added from elsewhere, where nobody looks for it.
 */
const CIRCLES = [
  ['directory/equipment/equipment.entity.ts', 'directory/shares/company-share.entity.ts', 'directory/sites/site.entity.ts'],
  [
    'dispatch/model/job-assignment.entity.ts',
    'dispatch/model/job-event.entity.ts',
    'dispatch/model/job.entity.ts',
    'dispatch/model/load.entity.ts',
    'dispatch/model/order.entity.ts',
    'dispatch/model/project.entity.ts',
  ],
];

const sourcesOf = (root: string) => readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
const files = sourcesOf(SRC);
const roomOf = (path: string): string => (path.includes('/') ? path.split('/')[0]! : '');

/** Types count too: what needs another file's types needs that file to be understood. */
const imports = files.flatMap((file) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) => ({
    file,
    to: relative(SRC, resolve(SRC, dirname(file), match[1]!)),
  })),
);

test('a room imports only from itself and from lower floors', () => {
  const wrong = imports.filter(({ file, to }) => {
    const from = roomOf(file);
    return from !== roomOf(to) && !TOP.has(from) && !ALLOWED[from]?.includes(roomOf(to));
  });
  expect(wrong).toEqual([]);
});

test('every room has a place on the floors', () => {
  const rooms = new Set(files.map(roomOf));
  expect([...rooms].filter((room) => !TOP.has(room) && !(room in ALLOWED))).toEqual([]);
});

test('a floor of the platform imports only from itself and from lower ones', () => {
  const floorOf = (path: string) => FLOORS.findIndex((folders) => folders.includes(path.split('/').slice(1, -1)[0] ?? ''));
  const inside = imports.filter(({ file, to }) => roomOf(file) === 'platform' && roomOf(to) === 'platform');
  expect(inside.length).toBeGreaterThan(100);
  expect(inside.filter(({ file, to }) => floorOf(file) < 0 || floorOf(to) > floorOf(file))).toEqual([]);
});

test('a folder of a large room imports only from its own line and from lower ones', () => {
  const lineOf = (room: string, path: string) => FOLDERS[room]!.findIndex((folders) => folders.includes(path.split('/')[1]!));
  const isInFolder = (path: string) => path.split('/').length > 2;
  const inside = imports.filter(({ file, to }) => roomOf(file) in FOLDERS && roomOf(file) === roomOf(to) && [file, to].every(isInFolder));
  expect(inside.length).toBeGreaterThan(500);
  for (const [room, lines] of Object.entries(FOLDERS)) {
    const folders = new Set(files.filter((file) => roomOf(file) === room && isInFolder(file)).map((file) => file.split('/')[1]!));
    expect([room, [...folders].sort()]).toEqual([room, lines.flat().sort()]);
  }
  const upward = inside.filter(({ file, to }) => lineOf(roomOf(file), to) > lineOf(roomOf(file), file));
  expect(upward.map(({ file, to }) => `${file} -> ${to}`).sort()).toEqual(Object.keys(UPWARD).sort());
});

test('no files import each other in a circle, except those that are listed', () => {
  expect(circles().map((circle) => circle.sort())).toEqual(CIRCLES);
});

test.each(['src', 'test', 'scripts'])(`no folder of %s has more than ${MOST_FILES} files`, (root) => {
  const sizes = new Map<string, number>();
  for (const file of sourcesOf(resolve(SRC, '..', root))) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  expect(sizes.size).toBeGreaterThan(1);
  expect([...sizes].filter(([, size]) => size > MOST_FILES)).toEqual([]);
});

test('the rooms of CONTRIBUTING are those that exist, each with all of its folders', () => {
  const rows = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].filter(([, room]) => room! in ALLOWED);
  const named = rows.map(([, room, text]) => [room!, [...text!.matchAll(/`([a-z][a-z0-9-]*)`/g)].map((match) => match[1]!)] as const);
  // The page of operators has a paragraph of its own; the sender's program is called like no folder.
  const others = new Set(['haulgate-send']);
  expect(named.map(([room]) => room).sort()).toEqual(
    Object.keys(ALLOWED)
      .filter((room) => room !== 'console')
      .sort(),
  );
  const wrong = named.flatMap(([room, words]) => {
    const folders = new Set(files.filter((file) => roomOf(file) === room && file.split('/').length > 2).map((file) => file.split('/')[1]!));
    const listed = new Set(words);
    return [
      ...[...folders].filter((folder) => !listed.has(folder)).map((folder) => `${room}/${folder} is not in CONTRIBUTING`),
      ...words.filter((word) => !folders.has(word) && !others.has(word)).map((word) => `${room}/${word} of CONTRIBUTING does not exist`),
    ];
  });
  expect(wrong).toEqual([]);
});

test('no file has a general name', () => {
  const general = /(^|\/)(index|utils?|helpers?|misc|common)\.ts$|\.service\.ts$/;
  expect(files.filter((file) => general.test(file))).toEqual([]);
});

/** Sets of files each of which is reached from each other one (Tarjan's strongly connected components), in the order of their names. */
function circles(): string[][] {
  const known = new Set(files);
  const after = new Map<string, string[]>(files.map((file) => [file, []]));
  for (const { file, to } of imports) if (known.has(to)) after.get(file)!.push(to);
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    numbers.set(file, numbers.size);
    lowest.set(file, numbers.get(file)!);
    open.push(file);
    for (const next of after.get(file)!) {
      if (!numbers.has(next)) visit(next);
      if (open.includes(next)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!));
    }
    if (lowest.get(file) !== numbers.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) found.push(circle);
  };
  for (const file of [...files].sort()) if (!numbers.has(file)) visit(file);
  return found.sort((a, b) => (a.sort()[0]! < b.sort()[0]! ? -1 : 1));
}
