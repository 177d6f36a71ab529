import { datesOutOfOrder } from '../../dispatch/projects/project.messages.ts';
import { LOCK_PROJECT_NAMES } from '../../dispatch/projects/project-fields.ts';
import { updateProjects } from '../../dispatch/projects/write-projects.ts';
import { foldText } from '../../platform/fold.ts';
import { newId } from '../../platform/ids.ts';
import { addressesOf } from '../apply/addresses.ts';
import { Change } from '../apply/change.ts';
import { upsertContacts } from '../apply/contacts.ts';
import { mayMake } from '../apply/create-permissions.ts';
import { inNameOf } from '../apply/in-name-of.ts';
import { openSites } from '../apply/open-sites.ts';
import { syncPhases } from '../apply/phases.ts';
import { seenBy } from '../apply/visible-to-sender.ts';
import { upsertWaypoints } from '../apply/waypoints.ts';
import type { BatchTx, ClaimedRecord, Failure, Importer, Outcome } from '../importer.ts';
import { matchNested } from '../nested/match.ts';
import { customerKept, type Matches } from '../nested/nested.ts';
import { dispatchNumbers } from '../orders/order-references.ts';
import { notAllowed } from '../payload/key.ts';
import { regionOf } from '../payload/region.ts';
import { referredTo } from '../payload/sent-fields.ts';
import { createProjects } from './create-projects.ts';
import { type ExistingProject, findProjects } from './existing-projects.ts';
import { type ProjectDraft, parseProject } from './parse-project.ts';
import type { Item } from './project-item.ts';
import { namesOf } from './project-names.ts';
import { syncMaterials } from './sync-materials.ts';

/** A payload that could be read. */
interface Sent {
  record: ClaimedRecord;
  draft: ProjectDraft;
}

/** `POST /ingest/projects`: creates and updates projects, a batch at a time, in a number of statements that does not grow with it. */
export const projectImporter: Importer = {
  kind: 'project',
  supersedes: true,
  keyField: 'external_id',
  addresses: addressesOf,
  gone: { code: 'project_discarded', sql: 'select id from project where id = any($1::uuid[]) and discarded_at is not null' },
  limited: { table: 'project', failure: notAllowed('edit_project') },
  async apply(tx, records) {
    const outcomes = new Map<ClaimedRecord, Outcome>();
    const region = regionOf(tx.company.timeZone);
    const parsed = records.map((record) => ({ record, ...parseProject(record.payload, tx.company.timeZone, region) }));
    for (const { record, failure } of parsed) if (failure) outcomes.set(record, failure);
    const read = parsed.flatMap(({ record, draft }) => (draft ? [{ record, draft }] : []));
    if (read.length > 0) await write(tx, read, outcomes);
    return records.map((record) => outcomes.get(record)!);
  },
};

async function write(tx: BatchTx, sent: readonly Sent[], outcomes: Map<ClaimedRecord, Outcome>): Promise<void> {
  // Two batches must not use the same name for two projects.
  await tx.query(LOCK_PROJECT_NAMES, [tx.company.id]);
  const existing = await findProjects(
    tx,
    sent.map(({ draft }) => draft.externalId),
  );
  await refuse(tx, sent, existing, outcomes);
  const read = sent.filter(({ record }) => !outcomes.has(record));
  for (const { record, draft } of read) {
    const project = existing.get(draft.externalId);
    if (project) tx.matched(record, { pointer: '', model: 'Project', id: project.id, by: 'external_id' });
  }
  const matches = await matchNested(tx, read);
  const items = await itemsOf(tx, read, existing, matches);
  await createProjects(
    tx,
    items.filter((item) => !item.change),
    matches,
    outcomes,
  );
  await update(tx, items, matches);
  const changes = items.flatMap(({ change }) => change ?? []);
  await settle(tx, changes, outcomes);
}

/** Writes the changes of existing projects, and the stops, phases and materials of all. */
async function update(tx: BatchTx, items: readonly Item[], matches: Matches): Promise<void> {
  for (const { change, wanted } of items) change?.columns(wanted);
  await upsertContacts(
    tx,
    items.flatMap(({ change, draft: { contacts } }) => (change ? [{ change, contacts }] : [])),
  );
  await upsertWaypoints(
    tx,
    items.flatMap(({ routeId, draft: { sites }, change }) => (sites.length > 0 ? [{ routeId, sites, change }] : [])),
    matches,
  );
  for (const { change, routeId } of items) if (change?.audit.waypoints && !change.known.routeId) change.set.route_id = routeId;
  await syncPhases(
    tx,
    'project_id',
    items.map(({ id, draft: { phases }, change }) => ({ id, phases, change })),
  );
  await syncMaterials(tx, items, matches);
  await updateProjects(
    tx,
    tx.company.id,
    items.flatMap(({ change, record }) =>
      change ? [{ id: change.known.id, by: inNameOf(tx, record), set: change.set, changes: change.audit }] : [],
    ),
  );
}

/**
 * Notes why payloads are not applied: their senders may not see, change, name or create something. It is called before anything is written.
 */
async function refuse(
  tx: BatchTx,
  sent: readonly Sent[],
  existing: ReadonlyMap<string, ExistingProject>,
  outcomes: Map<ClaimedRecord, Outcome>,
): Promise<void> {
  const seen = await seenBy(
    tx,
    'project',
    sent.map(({ record }) => record),
    [...existing.values()].map(({ id }) => id),
  );
  for (const { record, draft } of sent) {
    const project = existing.get(draft.externalId);
    const refusal = project && !seen(record, project.id) ? notAllowed('edit_project') : refusalOf(record, draft, project);
    if (refusal) outcomes.set(record, { ...refusal, warnings: draft.warnings });
  }
  const isOpen = ({ record }: Sent) => !outcomes.has(record);
  const routed = sent.filter(isOpen).map((one) => ({ ...one, routeId: existing.get(one.draft.externalId)?.routeId }));
  for (const [record, failure] of await openSites(tx, routed)) outcomes.set(record, failure);
  for (const [record, failure] of await mayMake(tx, sent.filter(isOpen))) outcomes.set(record, failure);
}

async function itemsOf(
  tx: BatchTx,
  read: readonly Sent[],
  existing: ReadonlyMap<string, ExistingProject>,
  matches: Matches,
): Promise<Item[]> {
  const numbers = await dispatchNumbers(
    tx,
    read.flatMap(({ draft }) => draft.dispatchNumber ?? []),
  );
  const services = await servicesNamed(
    tx,
    read.map(({ draft }) => draft),
  );
  const names = await namesOf(tx, new Map(read.flatMap(({ draft }) => nameWanted(draft, existing.get(draft.externalId)))));
  return read.map(({ record, draft }): Item => {
    const project = existing.get(draft.externalId);
    const asked = draft.name ?? project?.name ?? draft.externalId;
    const name = names.get(draft.externalId) ?? asked;
    if (name !== asked && !project?.edited.has('name'))
      draft.warnings.push({ code: 'name_taken', pointer: '/name', given: asked, used: name });
    const wanted = columnsOf(draft, name, matches);
    // SPEC: the account of an order in a project is the project's, so that the project keeps that of its orders.
    if (project?.hasOrders && wanted.account_id !== project.columns.account_id) {
      wanted.account_id = project.columns.account_id;
      draft.warnings.push(customerKept(draft.customer));
    }
    if (draft.dispatchNumber) wanted.dispatch_number_id = numbers.get(draft.dispatchNumber);
    const service = draft.service && services.get(foldText(draft.service));
    if (service) wanted.service_id = service;
    else if (draft.service) draft.warnings.push({ code: 'unknown_service', pointer: '/service', given: draft.service });
    const change = project && new Change(record, project, draft.warnings);
    return { record, draft, id: project?.id ?? newId(), routeId: project?.routeId ?? newId(), wanted, change };
  });
}

/** Returns the rule that depends on the existing project. */
function refusalOf(record: ClaimedRecord, draft: ProjectDraft, existing: ExistingProject | undefined): Failure | undefined {
  if (!existing) return undefined;
  if (!record.mayEdit) return notAllowed('edit_project');
  // SPEC: strictly before, even if the two come in different payloads; what a person edited is kept, and counts.
  const isTaken = (column: 'effective_at' | 'expires_at', given: Date | null | undefined): given is Date =>
    given instanceof Date && !existing.edited.has(column);
  const dateOf = (column: 'effective_at' | 'expires_at', given: Date | null | undefined): Date | undefined => {
    if (given !== undefined && !existing.edited.has(column)) return given ?? undefined;
    const kept = existing.columns[column];
    return kept ? new Date(kept) : undefined;
  };
  const [from, until] = [dateOf('effective_at', draft.effectiveAt), dateOf('expires_at', draft.expiresAt)];
  if (!from || !until || from < until) return undefined;
  // If the payload has both dates, the later one gets the error; a date that it does not change gets none.
  if (isTaken('expires_at', draft.expiresAt))
    return { state: 'failed', code: 'effective_not_before_expires', pointer: '/expires_at', ...datesOutOfOrder('expires', from, until) };
  if (isTaken('effective_at', draft.effectiveAt))
    return {
      state: 'failed',
      code: 'effective_not_before_expires',
      pointer: '/effective_at',
      ...datesOutOfOrder('effective', from, until),
    };
  return undefined;
}

/** Returns the company's services by folded name; payloads create none. */
async function servicesNamed(tx: BatchTx, drafts: ProjectDraft[]): Promise<Map<string, string>> {
  if (!drafts.some(({ service }) => service)) return new Map();
  const rows = await tx.query<{ id: string; name: string }>(
    'select id, name from service where company_id = $1 and discarded_at is null and visible order by created_at desc, id desc',
    [tx.company.id],
  );
  return new Map(rows.map(({ id, name }) => [foldText(name), id]));
}

/** Returns the name of a project; an existing one keeps its name if the payload has none. */
function nameWanted(draft: ProjectDraft, existing: ExistingProject | undefined): [string, string][] {
  if (draft.name !== undefined) return [[draft.externalId, draft.name]];
  return existing ? [] : [[draft.externalId, draft.externalId]];
}

function columnsOf(draft: ProjectDraft, name: string, matches: Matches): Record<string, unknown> {
  const people = (list: ProjectDraft['foremen']) => [...new Set(list.flatMap((person) => matches.person(person) ?? []))];
  const wanted: Record<string, unknown> = {
    ...draft.root,
    name,
    account_id: matches.account(draft.customer)!,
    // Replaced even if omitted (SPEC: array update patterns).
    foreman_ids: people(draft.foremen),
    collaborator_ids: people(draft.collaborators),
    salesperson_ids: people(draft.salespeople),
  };
  if (draft.equipmentType) wanted.equipment_type_id = matches.equipmentType(draft.equipmentType);
  if (draft.effectiveAt !== undefined) wanted.effective_at = draft.effectiveAt?.toISOString() ?? null;
  if (draft.expiresAt !== undefined) wanted.expires_at = draft.expiresAt?.toISOString() ?? null;
  return wanted;
}

async function settle(tx: BatchTx, changes: readonly Change[], outcomes: Map<ClaimedRecord, Outcome>): Promise<void> {
  const used = await referredTo(
    tx,
    changes.flatMap(({ kept }) => kept.flatMap(({ reference }) => reference ?? [])),
  );
  for (const change of changes) outcomes.set(change.record, change.settle(tx.company.language, used));
}
