import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Family, makeFamily } from '../helpers/isolation/family.ts';

const schema = schemaOfRooms();
type Field = GraphQLField<unknown, unknown>;

/** A root field that lists parts of one record, and the argument that names it. */
interface Nested {
  field: Field;
  of: string;
}
const listed = ({ type }: Field): boolean => {
  const named = getNamedType(type);
  return isListType(getNullableType(type)) || (isObjectType(named) && 'nodes' in named.getFields());
};
/** Narrows a list, and names nothing whose parts are listed. */
const NARROWS = new Set(['movingSiteId']);
const names = (name: string) => /^id$|Id$/.test(name) && name !== 'companyId' && !NARROWS.has(name);
const NESTED: Nested[] = Object.values(schema.getQueryType()!.getFields())
  .filter((field) => listed(field) && !field.args.some(({ name, type }) => name === 'companyId' && isNonNullType(type)))
  .flatMap((field) => {
    const ids = field.args.filter(({ name }) => names(name));
    const needed = ids.filter(({ type }) => isNonNullType(type));
    return (needed.length > 0 ? needed.slice(0, 1) : ids).map(({ name }) => ({ field, of: name }));
  });

let app: TestApp;
let family: Family;
beforeAll(async () => {
  app = await startTestApp();
  family = await makeFamily(app);
});
afterAll(() => app.close());

/** Further arguments of these lists. */
const MORE: Record<string, object> = {
  complianceDocuments: { compliantType: 'User' },
  complianceChecklist: { compliantType: 'User' },
  orderDefaultSites: { waypointType: 'pickup' },
  projectDefaultSites: { waypointType: 'pickup' },
  jobGeofenceTriggers: { input: {} },
  generatedInvoiceLineItems: { input: { rateValue: '650', rateType: 'RateFlatRate' } },
};

/** The variables of a list; of shares, one of each kind of record that is shared. */
function variablesOf({ field, of }: Nested): Record<string, unknown>[] {
  const { ids, child } = family;
  const shared = { User: child.driver.id, Equipment: child.truck.id, Site: child.pickup.id };
  if (field.name === 'recordShares') return Object.entries(shared).map(([type, companyShareableId]) => ({ type, companyShareableId }));
  if (field.name === 'managedResourceScopes') return [{ managedCompanyId: ids.managedCompanyId, userId: ids.managedUserId }];
  if (field.name === 'userLocationHistories') return [{ id: child.driver.id }];
  if (ids[of] === undefined) throw new Error(`test/helpers/isolation/family.ts makes nothing that ${field.name}(${of}) lists`);
  return [{ [of]: ids[of], ...MORE[field.name] }];
}

/** Returns a document that selects all fields of a list, and the records they name. */
function documentOf({ field }: Nested, variables: object): string {
  const given = field.args.filter(({ name }) => name in variables);
  const type = getNamedType(field.type) as GraphQLObjectType;
  const nodes = type.getFields().nodes;
  const record = nodes ? (getNamedType(nodes.type) as GraphQLObjectType) : type;
  const asked = Object.values(record.getFields()).flatMap((one) => {
    const reported = getNamedType(one.type);
    if (one.args.length > 0) return [];
    return isLeafType(reported) ? [one.name] : isObjectType(reported) && 'id' in reported.getFields() ? [`${one.name} { id }`] : [];
  });
  const row = `{ ${asked.join(' ')} }`;
  const head = given.map(({ name, type: is }) => `$${name}: ${is}`).join(', ');
  return `query(${head}) { list: ${field.name}(${given.map(({ name }) => `${name}: $${name}`).join(', ')}) ${nodes ? `{ nodes ${row} }` : row} }`;
}

test.each(NESTED.map((one) => [one.field.name, one.of, one] as const))(
  "%s of a child's record, by %s, are the same for its parent and for the child",
  async (_, __, nested) => {
    for (const variables of variablesOf(nested)) {
      const ask = async (token: string) => (await app.graphql(documentOf(nested, variables), variables, { token })).body;
      const own = await ask(family.admins.child);
      expect(own.errors).toBeUndefined();
      expect((own.data.list.nodes ?? own.data.list).length).toBeGreaterThan(0);
      expect(await ask(family.admins.parent)).toEqual(own);
      expect(await ask(family.parent.token)).toEqual(own);
    }
  },
);

/** By which share somebody is seen, only the company that got it reads. */
const withoutShares = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (key, value) => (key === 'company_share' ? null : value)));

test('so are the paths of those lists, with and without the company', async () => {
  const lists = new Set(NESTED.map(({ field }) => field.name));
  const known: Record<string, string> = { ...family.ids, companyId: family.child.company.id, waypointType: 'pickup' };
  const reported: [string, number, unknown][] = [];
  const unscoped = new Set<string>();
  for (const { method, rootField, path, scopedPath, variables } of compileDocuments(schema, 'schema/rest', true)) {
    const named = variables.filter(({ place }) => place === 'path');
    if (method !== 'GET' || !lists.has(rootField) || named.length === 0 || named.some(({ name }) => !(name in known))) continue;
    const others: Record<string, object> = {
      managedResourceScopes: { userId: known.managedUserId },
      userLocationHistories: { id: known.driverId },
    };
    const whose = { ...known, ...others[rootField] };
    const wires = new Map(variables.map(({ name, wire }) => [wire, whose[name as keyof typeof whose]]));
    for (const one of scopedPath === undefined ? [path] : [path, scopedPath]) {
      const filled = one.replace(/\{([a-z-]+)\}/g, (_, wire: string) => wires.get(wire) ?? known.companyId!);
      const ask = (token: string) => app.http('GET', filled, { token });
      const [own, above] = [await ask(family.admins.child), await ask(family.admins.parent)];
      if (own.status !== 200 || !isDeepStrictEqual(withoutShares(own.body), withoutShares(above.body)))
        reported.push([filled, above.status, above.body]);
      if (!one.includes('{company-id}')) unscoped.add(rootField);
    }
  }
  expect(reported).toEqual([]);
  expect([...unscoped]).toEqual(expect.arrayContaining(['bulkActionItems', 'loadSignatures', 'recordShares']));
});
