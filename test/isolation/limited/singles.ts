import { expect } from '@jest/globals';
import { camel, DOORS, moneyIn, moneyOf } from './doors.ts';
import { isRefused, type Look } from './lists.ts';
import { type Dice, dateOf, type Json, type Scene } from './scene.ts';
import { KINDS, type Kind, rowsOf } from './sight.ts';

/** Ids that `nodes` takes at once. */
const AT_ONCE = 25;
/** One record of those that somebody sees, or of the others, for every other kind. */
const some = <T>(dice: Dice, all: readonly T[]): T[] => (all.length === 0 || dice.chance(0.5) ? [] : [dice.of(all)]);
const pathOf = ({ at }: Scene, kind: Kind): string => {
  const path = DOORS[kind].path!;
  return path.startsWith('/v1') ? path : at.path(path);
};

/** Compares what is answered for the ids of records: all of them at once, and some alone, over GraphQL and REST. */
export async function compareSingles(look: Look): Promise<void> {
  const { member, rows, sight, dice } = look;
  for (const kind of KINDS) {
    const { one, path, money = [] } = DOORS[kind];
    const all = rowsOf(rows)[kind];
    if (!one || !path || all.length === 0) continue;
    const type = one.replace(/^./, (first) => first.toUpperCase());
    const fields = money.map(camel).join(' ');
    const found = new Map<string, Json>();
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const ids = all.slice(from, from + AT_ONCE).map(({ id }) => id);
      const { data, errors } = await member.gql(
        `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on ${type} { ${fields || 'id'} } } }`,
        {
          ids,
        },
      );
      expect([member.name, kind, errors]).toEqual([member.name, kind, undefined]);
      for (const node of data.nodes) if (node) found.set(node.id, node);
    }
    expect([member.name, kind, 'nodes', [...found.keys()].toSorted()]).toEqual([member.name, kind, 'nodes', [...sight[kind]].toSorted()]);
    for (const row of all)
      if (found.has(row.id))
        expect([member.name, kind, moneyIn(kind, found.get(row.id), camel)]).toEqual([member.name, kind, moneyOf(kind, row, sight.rights)]);
    for (const row of [
      ...some(
        dice,
        all.filter(({ id }) => sight[kind].has(id)),
      ),
      ...some(
        dice,
        all.filter(({ id }) => !sight[kind].has(id)),
      ),
    ])
      await compareOne(look, kind, row, fields);
  }
  for (const { id } of rows.file) {
    const { status } = await member.http('GET', `/v1/file_attachments/${id}/file`);
    expect([member.name, 'bytes of a file', status]).toEqual([member.name, 'bytes of a file', sight.FileAttachment.has(id) ? 200 : 404]);
  }
}

async function compareOne({ member, scene, sight }: Look, kind: Kind, row: Json, fields: string): Promise<void> {
  const { one } = DOORS[kind];
  const isSeen = sight[kind].has(row.id);
  const who = [member.name, kind, row.id];
  const { status, body } = await member.http('GET', `${pathOf(scene, kind)}/${row.id}`);
  const refused = isRefused(sight, kind);
  // REST answers 404 where the contract has no 403.
  if (refused) expect([...who, [403, 404].includes(status)]).toEqual([...who, true]);
  else expect([...who, status]).toEqual([...who, isSeen ? 200 : 404]);
  if (isSeen) expect([...who, moneyIn(kind, body.data)]).toEqual([...who, moneyOf(kind, row, sight.rights)]);
  const { data, errors } = await member.gql(`query ($id: ID!) { one: ${one}(id: $id) { id ${fields} } node(id: $id) { id } }`, {
    id: row.id,
  });
  if (!isSeen) {
    expect([...who, data?.node ?? null, data?.one ?? null]).toEqual([...who, null, null]);
    const codes = (errors ?? []).map(({ extensions }: Json) => extensions.code);
    const wanted = refused ? ['forbidden', 'object_not_found'] : ['object_not_found'];
    expect([...who, codes.filter((code: string) => !wanted.includes(code))]).toEqual([...who, []]);
    return;
  }
  expect([...who, errors, data.node?.id]).toEqual([...who, undefined, row.id]);
  expect([...who, moneyIn(kind, data.one, camel)]).toEqual([...who, moneyOf(kind, row, sight.rights)]);
}

/** A request that changes a record, and its body. */
type Change = [kind: Kind, method: string, path: string, body?: object];

/** Changes without faults of records of all kinds: of one that somebody does not see, none is answered otherwise than of one that is not there. */
const changes = (scene: Scene): readonly Change[] => [
  ['Order', 'PATCH', '/v1/orders/{id}', { notes: 'mine' }],
  ['Order', 'PUT', scene.at.path('/orders/{id}/hold'), {}],
  ['Order', 'POST', '/v1/orders/{id}/jobs', {}],
  ['Order', 'POST', scene.at.path('/orders/{id}/copy'), { date: dateOf(scene), truck_count: 1 }],
  ['Job', 'PATCH', '/v1/jobs/{id}', { notes: 'mine' }],
  ['Job', 'PUT', '/v1/jobs/{id}/cancel', {}],
  ['Job', 'PUT', '/v1/jobs/{id}/accept', {}],
  ['Job', 'PUT', '/v1/jobs/{id}/enroute', {}],
  ['Job', 'POST', '/v1/jobs/{id}/copy', {}],
  ['Job', 'POST', '/v1/jobs/{id}/loads', {}],
  ['Job', 'PUT', scene.at.path('/jobs/{id}/approve'), {}],
  ['Job', 'POST', '/v1/jobs/{id}/add_on_charges', { name: 'Wash', quantity: 1 }],
  ['Load', 'PATCH', '/v1/loads/{id}', { notes: 'mine' }],
  ['Load', 'PUT', scene.at.path('/loads/{id}/approve'), {}],
  ['Load', 'PUT', scene.at.path('/loads/{id}/complete'), {}],
  ['Load', 'DELETE', '/v1/loads/{id}'],
  ['Ticket', 'PATCH', '/v1/tickets/{id}', { notes: 'mine' }],
  ['Ticket', 'PUT', '/v1/tickets/{id}/void', {}],
  ['Ticket', 'PUT', '/v1/tickets/{id}/approve', {}],
  ['DriverDay', 'PATCH', '/v1/driver_days/{id}', { external_id: 'mine' }],
  ['DriverDay', 'PUT', scene.at.path('/driver_days/{id}/approve'), {}],
  ['Project', 'PATCH', '/v1/projects/{id}', { notes: 'mine' }],
  ['Site', 'PATCH', '/v1/sites/{id}', { notes: 'mine' }],
  ['FileAttachment', 'PATCH', '/v1/file_attachments/{id}', { description: 'mine' }],
  ['FileAttachment', 'DELETE', '/v1/file_attachments/{id}'],
  ['JobAssignment', 'PATCH', '/v1/job_assignments/{id}', { rate_value: 3, rate_type: 'RatePerLoad' }],
  ['Invoice', 'PUT', scene.at.path('/invoices/{id}/approve'), {}],
  ['Settlement', 'PUT', scene.at.path('/settlements/{id}/approve'), {}],
  ['AddOnCharge', 'PATCH', '/v1/add_on_charges/{id}', { name: 'mine' }],
  ['MaterialRate', 'PATCH', '/v1/material_rates/{id}', { sell_price: 3 }],
];
/** Of these somebody tries some. */
const TRIES = 8;

/** Tries to change what somebody does not see: they hear that it is not there, or that they lack the permission (D-IDENTITY-8). */
export async function compareRefusals({ member, scene, rows, sight, dice }: Look): Promise<void> {
  const all = changes(scene);
  for (let i = 0; i < TRIES; i++) {
    const [kind, method, path, body] = dice.of(all);
    const hidden = rowsOf(rows)[kind].filter(({ id }) => !sight[kind].has(id));
    if (hidden.length === 0) continue;
    const { id } = dice.of(hidden);
    const sent = await member.http(method, path.replace('{id}', id), body);
    expect([member.name, method, path, id, [403, 404].includes(sent.status) ? 'refused' : sent]).toEqual([
      ...[member.name, method, path, id, 'refused'],
    ]);
  }
}
