import { insertRows } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { addressesOf } from '../addresses.ts';
import { isSame, shownValue, writeColumns } from '../columns.ts';
import type { BatchTx, ClaimedRecord, Failure, Importer, Outcome } from '../importer.ts';
import { keyOf, notAllowed } from '../key.ts';
import { contactRows } from '../orders/import-order.ts';
import { type Matches, matchNested } from '../orders/match.ts';
import { dispatchNumbers } from '../orders/order-references.ts';
import { regionOf } from '../region.ts';
import { upsertWaypoints } from '../waypoints.ts';
import { type ExistingProject, findProjects } from './existing-projects.ts';
import { type ProjectDraft, parseProject } from './parse-project.ts';
import { namesOf } from './project-names.ts';
import { syncMaterials, syncPhases } from './sync-parts.ts';

/** A record that will be written: its draft, the project it matched (if any), its name, and what its nested records resolved to. */
interface Item {
  record: ClaimedRecord;
  draft: ProjectDraft;
  existing?: ExistingProject;
  id: string;
  routeId: string;
  name: string;
  /** Columns as the payload wants them. */
  wanted: Record<string, unknown>;
}

/** Columns a new project has when its payload says nothing of them. */
const DEFAULTS = {
  state: 'active',
  recurring_loads: false,
  chase_missing_tickets: false,
  default_digital_ticket_view: false,
  tax_freight: false,
  tax_material: false,
  tax_add_ons: false,
  version: 1,
};

/** `POST /ingest/projects`: creates and updates projects, a batch at a time, in a number of statements that does not grow with it. */
export const projectImporter: Importer = {
  kind: 'project',
  supersedes: true,
  importedFor(element) {
    return keyOf(element.external_id);
  },
  addresses: addressesOf,
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

async function write(
  tx: BatchTx,
  sent: { record: ClaimedRecord; draft: ProjectDraft }[],
  outcomes: Map<ClaimedRecord, Outcome>,
): Promise<void> {
  // Two batches must not give two projects the same name.
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('haulgate:project-names:' || $1, 0))`, [tx.company.id]);
  const existing = await findProjects(
    tx,
    sent.map(({ draft }) => draft.externalId),
  );
  const read = sent.filter(({ record, draft }) => {
    const refusal = refusalOf(record, draft, existing.get(draft.externalId));
    if (refusal) outcomes.set(record, refusal);
    return !refusal;
  });
  for (const { record, draft } of read) {
    const project = existing.get(draft.externalId);
    if (project) tx.matched(record, { pointer: '', model: 'Project', id: project.id, by: 'external_id' });
  }
  const matches = await matchNested(tx, read);
  const numbers = await dispatchNumbers(
    tx,
    read.flatMap(({ draft }) => draft.dispatchNumber ?? []),
  );
  const services = await servicesNamed(
    tx,
    read.map(({ draft }) => draft),
  );
  const names = await namesOf(tx, new Map(read.flatMap(({ draft }) => nameWanted(draft, existing.get(draft.externalId)))));
  const contacts: object[] = [];
  const items = read.map(({ record, draft }): Item => {
    const project = existing.get(draft.externalId);
    const name = names.get(draft.externalId) ?? project?.name ?? draft.externalId;
    const wanted = columnsOf(tx, draft, name, matches, contacts);
    if (draft.dispatchNumber) wanted.dispatch_number_id = numbers.get(draft.dispatchNumber);
    const service = draft.service && services.get(draft.service.toLowerCase());
    if (service) wanted.service_id = service;
    else if (draft.service) draft.warnings.push({ code: 'unknown_service', pointer: '/service', given: draft.service });
    return { record, draft, existing: project, id: project?.id ?? newId(), routeId: project?.routeId ?? newId(), name, wanted };
  });
  await insertRows(tx.em, 'contact', contacts);
  await create(
    tx,
    items.filter((item) => !item.existing),
    outcomes,
  );
  const touched = await update(
    tx,
    items.filter((item) => item.existing),
  );
  const routes = await upsertWaypoints(
    tx,
    items.flatMap(({ routeId, draft }) => (draft.sites.length > 0 ? [{ routeId, sites: draft.sites }] : [])),
    matches,
  );
  const phased = await syncPhases(tx, items);
  const supplied = await syncMaterials(tx, items, matches);
  for (const item of items) {
    if (!item.existing) continue;
    const { changed, kept } = touched.get(item)!;
    settle(tx, item, changed || routes.has(item.routeId) || phased.has(item.id) || supplied.has(item.id), kept, outcomes);
  }
}

/** Rules that need to know the project there is. */
function refusalOf(record: ClaimedRecord, draft: ProjectDraft, existing: ExistingProject | undefined): Failure | undefined {
  if (!existing) return undefined;
  if (!record.mayEdit) return notAllowed('edit_project');
  // SPEC: strictly before, also when the two come in different payloads; what a person edited stays, and counts.
  const instant = (column: 'effective_at' | 'expires_at', given: Date | null | undefined): number | undefined => {
    const kept = existing.columns[column] ?? null;
    const text = given === undefined || existing.edited.has(column) ? kept : (given?.toISOString() ?? null);
    return text === null ? undefined : Date.parse(text);
  };
  const [from, to] = [instant('effective_at', draft.effectiveAt), instant('expires_at', draft.expiresAt)];
  if (from === undefined || to === undefined || from < to || (!draft.effectiveAt && !draft.expiresAt)) return undefined;
  const pointer = draft.expiresAt ? '/expires_at' : '/effective_at';
  return { state: 'failed', code: 'effective_not_before_expires', pointer, key: 'effective_not_before_expires' };
}

/** The company's services by name in lower case; payloads make none. */
async function servicesNamed(tx: BatchTx, drafts: ProjectDraft[]): Promise<Map<string, string>> {
  if (!drafts.some(({ service }) => service)) return new Map();
  const rows = await tx.query<{ id: string; name: string }>(
    'select id, lower(btrim(name)) as name from service where company_id = $1 and discarded_at is null and visible order by created_at desc, id desc',
    [tx.company.id],
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** A project that is known keeps its name when the payload names none. */
function nameWanted(draft: ProjectDraft, existing: ExistingProject | undefined): [string, string][] {
  if (draft.name !== undefined) return [[draft.externalId, draft.name]];
  return existing ? [] : [[draft.externalId, draft.externalId]];
}

function columnsOf(tx: BatchTx, draft: ProjectDraft, name: string, matches: Matches, contacts: object[]): Record<string, unknown> {
  const people = (list: ProjectDraft['foremen']) => [...new Set(list.flatMap((person) => matches.person(person) ?? []))];
  const wanted: Record<string, unknown> = {
    ...draft.root,
    name,
    account_id: matches.account(draft.customer)!,
    // Replaced also when omitted (SPEC: array update patterns).
    foreman_ids: people(draft.foremen),
    collaborator_ids: people(draft.collaborators),
    salesperson_ids: people(draft.salespeople),
  };
  if (draft.equipmentType) wanted.equipment_type_id = matches.equipmentType(draft.equipmentType);
  if (draft.effectiveAt !== undefined) wanted.effective_at = draft.effectiveAt?.toISOString() ?? null;
  if (draft.expiresAt !== undefined) wanted.expires_at = draft.expiresAt?.toISOString() ?? null;
  for (const [kind, id] of Object.entries(contactRows(tx, draft, contacts))) wanted[`${kind}_contact_id`] = id;
  return wanted;
}

async function create(tx: BatchTx, items: Item[], outcomes: Map<ClaimedRecord, Outcome>): Promise<void> {
  if (items.length === 0) return;
  const first = await tx.numbers('project', items.length);
  const columns = [...new Set(items.flatMap(({ wanted }) => Object.keys(wanted)))];
  const blank = Object.fromEntries(columns.map((column) => [column, (DEFAULTS as Record<string, unknown>)[column] ?? null]));
  const stamps = { created_at: tx.now.toISOString(), updated_at: tx.now.toISOString(), company_id: tx.company.id };
  const rows = items.map(({ id, routeId, draft, wanted }, i) => ({
    ...DEFAULTS,
    ...blank,
    ...wanted,
    ...stamps,
    id,
    number: first + i,
    project_id: `P-${first + i}`,
    external_id: draft.externalId,
    route_id: routeId,
  }));
  await insertRows(tx.em, 'project', rows);
  for (const { record, draft, id, wanted } of items) {
    const at = { type: 'Project', id, companyId: tx.company.id };
    tx.event(record, { name: 'project.created', ...at });
    const changes = { external_id: draft.externalId, ...wanted };
    tx.audit(record, {
      event: 'create',
      ...at,
      changes: Object.fromEntries(Object.entries(changes).map(([column, after]) => [column, [null, after]])),
    });
    outcomes.set(record, { state: 'processed', resultId: id, warnings: draft.warnings });
  }
}

interface Touched {
  changed: boolean;
  /** Fields that were left because a person edited them. */
  kept: string[];
}

async function update(tx: BatchTx, items: Item[]): Promise<Map<Item, Touched>> {
  const touched = new Map<Item, Touched>();
  const rows: { id: string; c: Record<string, unknown> }[] = [];
  for (const item of items) {
    const { record, draft, existing, id, wanted } = item;
    const set: Record<string, unknown> = existing!.routeId === null && draft.sites.length > 0 ? { route_id: item.routeId } : {};
    const audit: Record<string, [unknown, unknown]> = {};
    const kept: string[] = [];
    for (const [column, after] of Object.entries(wanted)) {
      const before = existing!.columns[column] ?? null;
      if (isSame(column, before, after)) continue;
      if (existing!.edited.has(column)) {
        kept.push(column);
        draft.warnings.push({ code: 'user_edit_kept', pointer: `/${column}`, given: after, used: shownValue(column, before) });
        continue;
      }
      set[column] = after;
      audit[column] = [shownValue(column, before), after];
    }
    if (Object.keys(set).length > 0) rows.push({ id, c: set });
    if (Object.keys(audit).length > 0) tx.audit(record, { event: 'update', type: 'Project', id, companyId: tx.company.id, changes: audit });
    touched.set(item, { changed: Object.keys(audit).length > 0, kept });
  }
  await writeColumns(tx, 'project', rows);
  return touched;
}

function settle(tx: BatchTx, item: Item, changed: boolean, kept: string[], outcomes: Map<ClaimedRecord, Outcome>): void {
  const { record, draft, id } = item;
  if (changed) tx.event(record, { name: 'project.updated', type: 'Project', id, companyId: tx.company.id });
  outcomes.set(record, {
    state: kept.length > 0 && !changed ? 'skipped_update' : 'processed',
    resultId: id,
    warnings: draft.warnings,
    lastError: kept.length > 0 ? `user_edit_kept: ${kept.map((field) => `/${field}`).join(' ')}: edited in the application` : undefined,
  });
}
