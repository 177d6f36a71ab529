import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { getMetadataStorage } from 'type-graphql';
import { schemaOfRooms } from '../src/app/serve.ts';
import { compileDocuments } from '../src/platform/http/rest/compile.ts';

/** The room of each class that answers root fields, by the lists of the rooms. */
async function roomsOfResolvers(): Promise<Map<Function, string>> {
  const rooms = readdirSync('src').filter((room) => existsSync(`src/${room}/room.ts`));
  const of = new Map<Function, string>();
  for (const room of rooms) {
    const { resolvers } = (await import(`../src/${room}/room.ts`)) as { resolvers: Function[] };
    for (const resolver of resolvers) of.set(resolver, room);
  }
  return of;
}

async function roomsOfFields(): Promise<Map<string, string | undefined>> {
  const rooms = await roomsOfResolvers();
  const { queries, mutations } = getMetadataStorage();
  // Tests of the same process declare fields, too.
  const ours = [...queries, ...mutations].filter(({ target }) => rooms.has(target));
  return new Map(ours.map(({ schemaName, target }) => [schemaName, rooms.get(target)]));
}

test('a REST document is in the folder of the room that answers it', async () => {
  const rooms = await roomsOfFields();
  const documents = compileDocuments(schemaOfRooms(), 'schema/rest', true);
  expect(documents.length).toBeGreaterThan(400);
  const astray = documents.flatMap(({ name, domain, rootField }) =>
    rooms.get(rootField) === domain ? [] : [{ name, folder: domain, answeredBy: rooms.get(rootField) }],
  );
  expect(astray).toEqual([]);
});
