import type { Dice } from '../../helpers/properties.ts';
import { accountFor } from '../../helpers/staffed-tenant.ts';
import { anyRow, type Step, sideOf, vendorsOf } from './acting.ts';
import { type Json, keptWord, rowsOf, type Side, type World, word, write } from './scene.ts';

const KINDS = { Site: 'site', Equipment: 'equipment', User: 'app_user' } as const;
type Kind = keyof typeof KINDS;

/** A record that a company may share: its own, or one that is shared with it. */
async function shareable(world: World, dice: Dice, side: Side): Promise<{ type: Kind; id: string } | undefined> {
  const type = dice.of(Object.keys(KINDS) as Kind[]);
  const received = await rowsOf(
    world.app,
    'select company_shareable_id as id from company_share where receiver_company_id = ? and company_shareable_type = ? order by created_at, id',
    [side.company.id, type],
  );
  if (received.length > 0 && dice.chance(0.4)) return { type, id: dice.of(received).id };
  const found = await anyRow(world, dice, KINDS[type], `company_id = ?${type === 'User' ? ` and 'driver' = any(roles)` : ''}`, [
    side.company.id,
  ]);
  return found && { type, id: found.id };
}

const SOON = () => new Date(Date.now() + 86_400_000).toISOString();
const PAST = '2026-01-01T00:00:00.000Z';

const share: Step = async (world, dice) => {
  const side = dice.of(world.sides);
  const what = await shareable(world, dice, side);
  const to = dice.of(world.sides.filter((one) => one !== side));
  if (!what) return false;
  return write(world, side, 'POST', side.path('/company_shares'), {
    ...{ receiver_company_id: to.company.id, company_shareable_type: what.type, company_shareable_id: what.id },
    ...(dice.chance(0.5) ? { dispatchable: dice.chance(0.7) } : {}),
    ...(dice.chance(0.2) ? { expires_at: dice.chance(0.7) ? SOON() : PAST } : {}),
  });
};

/** A share, and one of its two sides. */
const onShare =
  (does: (world: World, dice: Dice, found: Json, side: Side, sends: boolean) => Promise<unknown>): Step =>
  async (world, dice) => {
    const found = await anyRow(world, dice, 'company_share');
    const sends = dice.chance(0.6);
    const side = found && sideOf(world, sends ? found.sender_company_id : found.receiver_company_id);
    return side ? does(world, dice, found, side, sends) : false;
  };

const changeShare = onShare((world, dice, found, side, sends) =>
  write(
    world,
    side,
    'PATCH',
    side.path(`/company_shares/${found.id}`),
    sends
      ? dice.of<object>([{ dispatchable: dice.chance(0.5) }, { expires_at: PAST }, { expires_at: SOON() }, { expires_at: null }])
      : { external_id: `S-${++world.number}` },
  ),
);

/** What is shared is changed by whom it belongs to. */
const changeShared: Step = async (world, dice) => {
  const type = dice.of(['Site', 'Equipment', 'User'] as const);
  const row = await anyRow(world, dice, KINDS[type]);
  const side = row && sideOf(world, row.company_id);
  if (!side) return false;
  const number = ++world.number;
  if (type === 'User') return write(world, side, 'PATCH', `/v1/users/${row.id}`, { last_name: `Wheel ${number}` });
  const path = side.path(`/${type === 'Site' ? 'sites' : 'equipment'}/${row.id}`);
  if (type === 'Site' && dice.chance(0.6)) {
    const name = `Site ${word(world, 'passed')}`;
    world.names.set(name, row.id);
    return write(world, side, 'PATCH', path, { name });
  }
  if (type === 'Site') return write(world, side, 'PATCH', path, { notes: keptWord(world, side) });
  return write(world, side, 'PATCH', path, dice.chance(0.6) ? { name: `Truck ${number}` } : { accounting_id: keptWord(world, side) });
};

/** Places and trucks that are left, and those that are used again. */
const setActive: Step = async (world, dice) => {
  const type = dice.of(['Site', 'Equipment'] as const);
  const row = await anyRow(world, dice, KINDS[type]);
  const side = row && sideOf(world, row.company_id);
  const path = type === 'Site' ? 'sites' : 'equipment';
  return side ? write(world, side, 'PUT', `/v1/${path}/${row.id}/${dice.of(['activate', 'deactivate'])}`, {}) : false;
};

const connection: Step = async (world, dice) => {
  const side = dice.of(world.sides);
  const to = dice.of(world.sides.filter((one) => one !== side));
  const types = dice.of([['vendor'], ['vendor'], ['customer'], ['customer', 'vendor']]);
  return write(world, side, 'POST', side.path('/accounts/connected'), { platform_id: to.company.platformId, account_types: types });
};
const disconnect: Step = async (world, dice) => {
  const account = await anyRow(world, dice, 'account', 'connected_company_id is not null and discarded_at is null');
  const side = account && sideOf(world, account.company_id);
  return side ? write(world, side, 'DELETE', `/v1/accounts/${account.id}`) : false;
};
const changeAccount: Step = async (world, dice) => {
  const account = await anyRow(world, dice, 'account');
  const side = account && sideOf(world, account.company_id);
  if (!side) return false;
  const change = dice.of<object>([
    { name: `Account ${++world.number}` },
    { notes: keptWord(world, side) },
    { truck_count: dice.below(30) },
    { account_types: dice.of([['customer'], ['vendor'], ['customer', 'vendor']]) },
    { auto_accept_orders: dice.chance(0.5) },
    { connected_account: { truck_count: dice.below(20) } },
  ]);
  return write(world, side, 'PATCH', `/v1/accounts/${account.id}`, change);
};

/** The ids of roles of the product by their keys. */
const roleOf = async (world: World, key: string): Promise<string> =>
  (await rowsOf(world.app, 'select id from iam_role where key = ?', [key]))[0].id;

const invite: Step = async (world, dice) => {
  const side = dice.of(world.sides);
  const number = ++world.number;
  return write(world, side, 'POST', side.path('/users'), {
    ...{ first_name: 'Nora', last_name: `New ${number}`, email: `nora${number}.${side.company.platformId}@example.com` },
    iam_role_ids: [await roleOf(world, dice.of(['driver', 'driver', 'foreman', 'dispatcher']))],
  });
};
/** People whose own reads are not compared come, go and get other roles. */
const onPerson =
  (does: (world: World, dice: Dice, person: Json, side: Side) => Promise<unknown>): Step =>
  async (world, dice) => {
    const kept = [
      ...world.sides.flatMap(({ admin, driver }) => [admin.id, driver.id]),
      ...world.limited.flatMap(({ person }) => person?.id ?? []),
    ];
    const person = await anyRow(world, dice, 'app_user', `id <> all(?::uuid[])`, [`{${kept.join()}}`]);
    const side = person && sideOf(world, person.company_id);
    return side ? does(world, dice, person, side) : false;
  };
const changeRoles = onPerson(async (world, dice, person, side) =>
  write(world, side, 'PATCH', `/v1/users/${person.id}`, {
    iam_role_ids: [await roleOf(world, dice.of(['driver', 'foreman', 'dispatcher', 'biller']))],
  }),
);
/** Their limits: the sites of somebody who is limited to some. */
const changeLimits: Step = async (world, dice) => {
  const [reader] = world.limited;
  const { side, person } = reader!;
  const scopes = await rowsOf(world.app, 'select id from resource_scope where user_id = ? order by created_at, id', [person!.id]);
  // At least one, so that they stay limited.
  if (scopes.length > 1 && dice.chance(0.5)) return write(world, side, 'DELETE', side.path(`/resource_scopes/${dice.of(scopes).id}`));
  return write(world, side, 'POST', `/v1/users/${person!.id}/resource_scopes`, {
    resource_id: dice.of(side.sites).id,
    resource_type: 'Site',
  });
};

const PATHS = { accounts: 'account', sites: 'site', equipment: 'equipment', users: 'app_user', materials: 'material' } as const;
/** The records that a merge has moved, which it keeps until it is undone, and the jobs of days among them; with the last event of each. */
const movedBy = (world: World, id: string): Promise<Json[]> =>
  rowsOf(
    world.app,
    `with moved as (select unnest(row_ids) as id from merge_move where record_merge_id = ?)
    select r.id, coalesce(e.sequence, 0) as sequence from (select id from moved union select j.id from job j join moved m on m.id = j.driver_day_id) r
      left join webhook_record e on e.subject_id = r.id`,
    [id],
  );
function noteMoved({ moved }: World, rows: Json[]): void {
  for (const { id, sequence } of rows) moved.set(id, Number(sequence));
}
const merge: Step = async (world, dice) => {
  const side = dice.of(world.sides);
  const path = dice.of(Object.keys(PATHS) as (keyof typeof PATHS)[]);
  const rows = await rowsOf(
    world.app,
    `select id from ${PATHS[path]} t where company_id = ? and discarded_at is null
    ${path === 'users' ? ` and 'driver' = any(roles) and id <> '${side.driver.id}'` : ''} order by created_at, id`,
    [side.company.id],
  );
  if (rows.length < 2) return false;
  const [kept, other] = [dice.of(rows), dice.of(rows)];
  const answer = await write(world, side, 'PUT', side.path(`/${path}/${kept.id}/merge`), { other_ids: [other.id] });
  if (answer.status === 200) noteMoved(world, await movedBy(world, answer.body.data.id));
  return answer;
};
const undoMerge: Step = async (world, dice) => {
  const merged = await anyRow(world, dice, 'record_merge', `state = 'merged'`);
  const side = merged && sideOf(world, merged.company_id);
  if (!side) return false;
  const moved = await movedBy(world, merged.id);
  const answer = await write(world, side, 'PUT', side.path(`/merges/${merged.id}/undo`), {});
  if (answer.status === 200) noteMoved(world, moved);
  return answer;
};

/** Orders that a program sends, some of them again, and some of them for a vendor. */
const ingest: Step = async (world, dice) => {
  const side = dice.of([world.contractor, world.hauler]);
  const vendors = await vendorsOf(world, side);
  const order = {
    ...{
      external_id: `I-${side.company.platformId}-${dice.below(4)}`,
      load_at: `2026-11-2${dice.below(9)}T07:00:00`,
      truck_count: 1 + dice.below(2),
    },
    ...{ customer: { name: side.account.name }, notes: `note ${++world.number}`, sites: [] },
    ...(vendors.length > 0 && dice.chance(0.7) ? { vendors: [{ name: dice.of(vendors).name }] } : {}),
  };
  await write(world, side, 'POST', '/ingest/orders', { orders: [order] }, side.token);
  return world.app.settled();
};

/** A company that is managed: its manager keeps its people and trucks, and shares them. */
const manage: Step = async (world, dice) => {
  const { agency, managed } = world;
  const at = (rest: string) => agency.path(`/managed_companies/${managed}${rest}`);
  const trucks = await rowsOf(world.app, 'select id from equipment where company_id = ? and discarded_at is null order by created_at, id', [
    managed,
  ]);
  const shares = await rowsOf(world.app, 'select id from company_share where sender_company_id = ? order by created_at, id', [managed]);
  const number = ++world.number;
  const choice = dice.below(5);
  if (choice === 0)
    return write(world, agency, 'POST', at('/users'), {
      ...{ first_name: 'Mina', last_name: `Managed ${number}`, email: `mina${number}.${agency.company.platformId}@example.com` },
      iam_role_ids: [await roleOf(world, 'driver')],
    });
  if (choice === 1 && shares.length > 0) return write(world, agency, 'DELETE', at(`/company_shares/${dice.of(shares).id}`));
  if (choice === 2 && trucks.length > 0)
    return write(world, agency, 'PATCH', at(`/equipment/${dice.of(trucks).id}`), { name: `Managed ${number}` });
  const people = await rowsOf(world.app, `select id from app_user where company_id = ? and 'driver' = any(roles) order by created_at, id`, [
    managed,
  ]);
  const [type, rows] = dice.chance(0.5) ? ['User', people] : ['Equipment', trucks];
  if (rows.length === 0) return false;
  return write(world, agency, 'POST', at('/company_shares'), {
    ...{ receiver_company_id: agency.company.id, company_shareable_type: type, company_shareable_id: dice.of(rows as Json[]).id },
  });
};

const subscribe: Step = async (world, dice) => {
  const side = dice.of(world.sides);
  const action = dice.of(['pause', 'resume', 'rotate']);
  return write(world, side, 'PUT', `/v1/webhook_subscriptions/${side.subscription}/${action}`, {});
};

/** Another account of the same company, so that there is something to merge. */
const makeRecord: Step = async (world, dice) => {
  const side = dice.of(world.sides);
  const number = ++world.number;
  const site = { name: `Site ${number}`, site_type: 'JobSite', lat: '30.1', lon: '-97.1' };
  if (dice.chance(0.5)) return write(world, side, 'POST', side.path('/sites'), site);
  return write(world, side, 'POST', '/v1/accounts', {
    name: `Account ${number}`,
    account_types: ['customer', 'vendor'],
    auto_accept_orders: false,
  });
};

/** What offices do with each other, and with their people and records. */
export const OFFICES: Readonly<Record<string, Step>> = {
  'share a record': share,
  'change a share': changeShare,
  'end a share': onShare((world, _, found, side) => write(world, side, 'DELETE', side.path(`/company_shares/${found.id}`))),
  'change a record that may be shared': changeShared,
  'use a record no more or again': setActive,
  'connect companies': connection,
  'end a connection': async (world, dice) => (dice.chance(0.3) ? disconnect(world, dice) : false),
  'change an account': changeAccount,
  'invite a person': invite,
  'deactivate a person': onPerson((world, _, person, side) => write(world, side, 'DELETE', `/v1/users/${person.id}`)),
  'reactivate a person': onPerson((world, _, person, side) => write(world, side, 'PUT', `/v1/users/${person.id}/reactivate`, {})),
  'change roles': changeRoles,
  'change limits': changeLimits,
  merge,
  'undo a merge': undoMerge,
  'import orders': ingest,
  'act for a managed company': manage,
  'change a subscription': subscribe,
  'make a record': makeRecord,
  'change a link': async (world, dice) => {
    const link = await anyRow(world, dice, 'job_assignment');
    const side = link && sideOf(world, link.customer_company_id);
    return side
      ? write(world, side, 'PATCH', `/v1/job_assignments/${link.id}`, { rate_value: 1 + dice.below(90) / 10, rate_type: 'RatePerTon' })
      : false;
  },
  'name an account again': async (world, dice) => {
    const [side, to] = [dice.of(world.sides), dice.of(world.sides)];
    const id = side === to ? undefined : await accountFor(side, to).catch(() => undefined);
    return id ? write(world, side, 'PATCH', `/v1/accounts/${id}`, { name: `${to.name} ${word(world, 'passed').slice(-6)}` }) : false;
  },
};
