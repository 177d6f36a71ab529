import { Agent } from 'node:http';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { CompanyShare } from '../../../src/directory/shares/company-share.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { forgetViewers } from '../../../src/identity/access/viewer.ts';
import type { ApprovableType } from '../../../src/proof/approvals/approval-assignment.entity.ts';
import { ApprovalState } from '../../../src/proof/approvals/approval-state.entity.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { makeTenant, type Tenant } from '../tenant.ts';
import { APPROVED } from '../walk/billing-makers.ts';
import { type Ids, idsUsed, makeIds, reach } from '../walk.ts';
import { CALLERS, type Call, type Caller, RELATIONS, type Relation, type Target, type Verdict } from './matrix.ts';
import type { MatrixCell } from './matrix-cells.ts';
import { type Answer, send } from './matrix-send.ts';
import { absentTarget } from './matrix-targets.ts';

/** The statuses of each verdict. A conflict means that the caller may do it, but the record is in another state. */
const STATUSES: Record<Verdict, readonly number[]> = {
  // There may be nothing to end or to change.
  'about oneself': [200, 201, 202, 204, 404, 409, 422],
  // A caller who asks too often has to wait.
  open: [200, 201, 202, 204, 429],
  done: [200, 201, 202, 204, 409],
  // A record of somebody else has no list.
  'only own': [200, 404],
  // Over REST some operations do not want to say that there is something (`denied`).
  refused: [403],
  'nothing there': [403, 404],
  'no token': [401],
  'no credentials': [401, 429],
};

/** Kinds of records that connect the companies of a relation, for every operation. */
const LINKED: Partial<Record<Relation, readonly (keyof Ids)[]>> = {
  shared: ['driver', 'foreman', 'user', 'equipment', 'site'],
  'expired share': ['driver', 'foreman', 'user', 'equipment', 'site'],
  'vendor link': ['job', 'finishedJob'],
};

/** Returns a text without its ids, which differ from request to request. */
const plain = (text: string) => text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>');

/** Returns the ids of work, which people may have a part in or not. */
const work = ({ ids }: Target) => [ids.order, ids.job, ids.finishedJob, ids.load, ids.project, ids.ticket, ids.driver];

/** A request that changes something, perhaps other records, too. */
interface Change {
  make: (target: Target) => Call;
  call: Call;
  verdict: Verdict;
}

/** Calls that end a record come last, so that the others find it. */
const ends = ({ root }: Call) => /^(delete|discard|cancel|revoke|end|reject|complete|move)/.test(root);
/** Calls that remove people or companies for all others come after that: otherwise each would require its own company. */
const closes = ({ root }: Call) => /^(deactivate|unmanage)/.test(root);

/** A caller of every role in one company, and companies around it in every relation. */
export class Matrix {
  readonly app: TestApp;
  readonly #tenants: Record<Relation, Tenant>;
  readonly #tokens: Map<Caller, string>;
  readonly #at: { url: string; agent: Agent };
  readonly #given = new Set<string>();
  readonly #kept = new Map<Relation, Target>();
  asked = 0;
  leaks = 0;

  private constructor(app: TestApp, tenants: Record<Relation, Tenant>, tokens: Map<Caller, string>) {
    this.app = app;
    this.#at = { url: app.url, agent: new Agent({ keepAlive: true, maxSockets: 8 }) };
    this.#tenants = tenants;
    this.#tokens = tokens;
  }

  static async open(): Promise<Matrix> {
    // Each connection plans each of hundreds of wide reads for itself, which takes longer than the reads. Races have separate tests.
    const app = await startTestApp({ poolSize: 2 });
    const parent = await makeTenant(app);
    const under = { company: { parentCompany: ref(parent.company) } };
    const own = await makeTenant(app, under);
    const tenants: Record<Relation, Tenant> = {
      own,
      parent,
      sibling: await makeTenant(app, under),
      child: await makeTenant(app, { company: { parentCompany: ref(own.company) } }),
      foreign: await makeTenant(app),
      shared: await makeTenant(app),
      'expired share': await makeTenant(app),
      'vendor link': await makeTenant(app),
    };
    const customer = tenants['vendor link'];
    const hired = { name: 'Hired', accountTypes: ['vendor'], company: ref(customer.company), connectedCompany: ref(own.company) };
    customer.vendor = await customer.save(Account, hired);
    const hiring = { name: 'Hiring', accountTypes: ['customer'], company: ref(own.company), connectedCompany: ref(customer.company) };
    await own.save(Account, hiring);
    const tokens = new Map<Caller, string>();
    for (const caller of CALLERS) tokens.set(caller, caller === 'nobody' ? '' : (await own.person({ roles: [caller] })).token);
    return new Matrix(app, tenants, tokens);
  }

  async close(): Promise<void> {
    this.#at.agent.destroy();
    await this.app.close();
  }

  /** Sends the calls of one caller, in every relation. @returns a line for every cell with a wrong answer */
  async ask(caller: Caller, cells: readonly MatrixCell[]): Promise<string[]> {
    const token = this.#tokens.get(caller)!;
    const nothing = absentTarget(this.#tenants.own);
    const usual = new Map<string, Answer>();
    const wrong: string[] = [];
    for (const relation of RELATIONS) {
      // A caller who sees every company needs no path through another one, and passes the owner's work on to the owner's vendors.
      const fresh = async (call?: Pick<Call, 'root'>, only?: ReadonlySet<string>) => ({
        ...(await this.#fresh(relation, call?.root, only)),
        ...(caller === 'platform_admin' ? { through: undefined, tenant: this.#tenants[relation] } : {}),
      });
      const here = cells.filter((cell) => cell.caller === caller && cell.relation === relation);
      if (here.length === 0) continue;
      const target = await this.#target(caller, relation, fresh);
      const asked = here.map(({ make, kind: verdict }) => ({ make, call: make(target), verdict }));
      this.asked += asked.length;
      const complain = ({ name }: Call, verdict: string, { status, text }: Answer) =>
        void wrong.push(`${relation}: ${name}: ${status}, expected ${verdict}: ${text.slice(0, 160)}`);
      const changing = asked.filter(({ call, verdict }) => call.writes && verdict === 'done');
      await eachOf(
        asked.filter((one) => !changing.includes(one)),
        async ({ make, call, verdict }) => {
          const answer = await send(this.#at, call, token);
          const expected = verdict === 'refused' ? [call.denied] : STATUSES[verdict];
          if (!expected.includes(answer.status)) complain(call, verdict, answer);
          if (verdict === 'only own' && work(target).some((id) => answer.text.includes(id))) {
            this.leaks++;
            complain(call, verdict, answer);
          }
          if (verdict !== 'nothing there') return;
          const absent = usual.get(call.name) ?? (await send(this.#at, make(nothing), token));
          usual.set(call.name, absent);
          const same = absent.status === answer.status && plain(absent.text) === plain(answer.text);
          if (same && !answer.text.includes(target.tenant.company.legalName)) return;
          this.leaks++;
          complain(call, `what is said of nothing: ${absent.status} ${absent.text.slice(0, 80)}`, answer);
        },
      );
      const change = async (all: readonly Change[], records?: (one: Change) => Promise<Target>, atOnce?: number) => {
        const failed: (Change & { answer: Answer })[] = [];
        await eachOf(
          all,
          async (one) => {
            const { make, call } = one;
            const session = call.expected.who === 'session';
            const as = session ? (await this.#tenants.own.person({ roles: [caller] })).token : token;
            const answer = await send(this.#at, make(records ? await records(one) : target), as);
            if (!STATUSES[session ? 'about oneself' : 'done'].includes(answer.status)) failed.push({ ...one, answer });
          },
          atOnce,
        );
        return failed;
      };
      const unused = ({ make, call }: Change) =>
        fresh(
          call,
          idsUsed((ids) => make({ ...target, ids, through: undefined })),
        );
      const lasting = await change(changing.filter(({ call }) => !ends(call) && !closes(call)));
      const ended = await change(changing.filter(({ call }) => ends(call)));
      const closed = await change(changing.filter(({ call }) => closes(call)));
      // A record may have been used up, or be in another state than a call expects; in the end each call is sent alone.
      const failed = await change(await change([...lasting, ...ended, ...closed], unused), unused, 1);
      for (const { call, verdict, answer } of failed) complain(call, verdict, answer);
    }
    return wrong;
  }

  /** Returns shared records if nobody may change them; otherwise new ones for each caller. */
  async #target(caller: Caller, relation: Relation, fresh: () => Promise<Target>): Promise<Target> {
    const changes = caller !== 'nobody' && (caller === 'platform_admin' || ['own', 'child', 'vendor link'].includes(relation));
    if (changes) return fresh();
    const kept = this.#kept.get(relation) ?? (await this.#fresh(relation));
    this.#kept.set(relation, kept);
    return kept;
  }

  /** Creates new records of a relation; along the vendor link two jobs are passed on. */
  async #fresh(relation: Relation, root?: string, only?: ReadonlySet<string>): Promise<Target> {
    const tenant = this.#tenants[relation];
    // A job that is under way cannot be passed on any more.
    const begun = relation === 'vendor link' && root === 'handOverJob';
    const ids = await makeIds(tenant, begun ? undefined : root, only && new Set([...only, ...(LINKED[relation] ?? [])]));
    if (relation === 'shared' || relation === 'expired share') return this.#share(ids, tenant, relation === 'shared');
    if (relation !== 'vendor link') return { ids, tenant };
    const finished = (state: 'created' | 'completed') =>
      this.app.orm.em.fork().nativeUpdate(Job, { id: ids.finishedJob }, { state }, { filters: { tenant: false } });
    await finished('created');
    for (const id of [ids.job, ids.finishedJob]) await tenant.must('PUT', `/v1/jobs/${id}/assign_vendor`, { vendor_id: tenant.vendor.id });
    await finished('completed');
    // The driver whom the vendor sends: passing a job on removes the owner's driver.
    if (root?.startsWith('text') || root === 'askForMissingTickets') {
      const { user } = await this.#tenants.own.person({ roles: ['driver'], phone: reach().phone });
      const id = { $in: [ids.job, ids.finishedJob] };
      await this.app.orm.em.fork().nativeUpdate(Job, { id }, { driver: user.id }, { filters: { tenant: false } });
    }
    if (begun) {
      const [first, second] = [
        await this.#tenants.own.person({ roles: ['driver'] }),
        await this.#tenants.own.person({ roles: ['driver'] }),
      ];
      const driven = { driver: first.user.id, state: 'load_completed' as const };
      await this.app.orm.em.fork().nativeUpdate(Job, { id: ids.job }, driven, { filters: { tenant: false } });
      ids.driver = second.user.id;
    }
    // The approval that the company takes back is its own.
    if (root === 'unapproveJob') await this.#approved('Job', ids.finishedJob);
    if (root === 'unapproveLoad') await this.#approved('Load', ids.load);
    // A company that hauls sends files of its own.
    if (!only || only.has('upload')) ids.upload = (await makeIds(this.#tenants.own, root, new Set(['upload']))).upload;
    // A company that passes a job on names its own vendor.
    return {
      ids,
      tenant: { ...tenant, vendor: this.#tenants.own.vendor },
      through: { companyId: this.#tenants.own.company.id, by: 'vendor link' },
    };
  }

  #approved(approvableType: ApprovableType, approvableId: string): Promise<unknown> {
    const { own } = this.#tenants;
    return own.save(ApprovalState, { company: ref(own.company), approvableType, approvableId, ...APPROVED });
  }

  /** Shares people, a truck and a site with the callers' company, until tomorrow or until yesterday. */
  async #share(ids: Ids, tenant: Tenant, valid: boolean): Promise<Target> {
    const { company } = this.#tenants.own;
    const expiresAt = new Date(Date.now() + (valid ? 1 : -1) * 86_400_000);
    const sides = {
      companyId: tenant.company.id,
      senderCompany: ref(tenant.company),
      receiverCompany: ref(company),
      dispatchable: true,
      expiresAt,
    };
    for (const [companyShareableType, id] of [
      ['User', ids.driver],
      ['User', ids.foreman],
      ['User', ids.user],
      ['Equipment', ids.equipment],
      ['Site', ids.site],
    ] as const) {
      // The driver and the truck of a tenant are the same for all its records.
      if (this.#given.has(id)) continue;
      this.#given.add(id);
      await tenant.save(CompanyShare, { ...sides, companyShareableType, companyShareableId: id });
    }
    forgetViewers(tenant.app.application);
    return { ids, tenant, through: valid ? { companyId: company.id, by: 'shared' } : undefined };
  }
}

/** Runs the work for some at a time. */
export async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>, atOnce = 8): Promise<void> {
  let at = 0;
  const next = async () => {
    while (at < all.length) await work(all[at++]!);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}
