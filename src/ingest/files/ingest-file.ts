import { createHash } from 'node:crypto';
import { Order } from '../../dispatch/model/order.entity.ts';
import { UpdateOrderInput } from '../../dispatch/orders/order.inputs.ts';
import { FILE_CATEGORIES, FileAttachment, type FileCategory } from '../../files/file-attachment.entity.ts';
import { recognise } from '../../files/file-content.ts';
import { safeFileName } from '../../files/file-name.ts';
import { FILE_COLUMNS, lockArrivals } from '../../files/parked-files.ts';
import type { UploadForm } from '../../files/read-form.ts';
import { uploaderColumns } from '../../files/uploader-columns.ts';
import { perApplication } from '../../platform/application.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import type { Query } from '../../platform/database/sql.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid, Missing, TooMany } from '../../platform/errors.ts';
import { ruleOf } from '../../platform/graphql/rules.ts';
import { newId } from '../../platform/ids.ts';
import { ConcurrencyGate } from '../../platform/queue/concurrency-gate.ts';
import { dropReceived } from '../../platform/storage/incoming.ts';
import { fileStorage, storageIsAway } from '../../platform/storage/storage.ts';
import { unstorable } from '../payload/unstorable.ts';

/** Text fields of `POST /ingest/files`. */
export const FILE_FIELDS = ['external_id', 'file_attachable_type', 'category', 'description'] as const;
/** The permission to send files. */
export const FILE_PERMISSION = 'create_order_attachments';
/** The rule of an order's external id: a file for any other id would wait for an order that cannot come. */
const EXTERNAL_ID = ruleOf(UpdateOrderInput, 'externalId');
const DESCRIPTION_LIMIT = 10_000;
/** The most files of a company that may wait for orders; published in the sender's guide. */
const PARKED_LIMIT = 10_000;
/** Seconds of `Retry-After` for a sender of more. */
const PARKED_RETRY_AFTER = 300;

/** Attached, or waiting for the order of this external id. */
export type Ingested = { attached: string } | { parked: string; externalId: string };

/**
 * SPEC `POST /ingest/files`: attaches the file to the order of that external id, or stores it until that order arrives. If the same file
 * with the same fields is sent again, the stored one is returned. The bytes are written before the row, so that no row is without them.
 * @throws Missing if the order of that external id exists but the sender may not see it; Invalid with every problem at once; Unavailable if
 * the storage cannot be reached; TooMany if PARKED_LIMIT files wait for orders already; in all cases nothing stays
 */
export async function ingestFile(ctx: Context, form: UploadForm): Promise<Ingested> {
  const viewer = allow(ctx, FILE_PERMISSION);
  const companyId = companyOf(ctx);
  const { externalId, ...file } = await readUpload(form).catch(dropping(form));
  const id = newId();
  await fileStorage
    .of(ctx.em)
    .keep(id, form.file!.path, { size: form.file!.size, mimeType: file.mimeType })
    .catch(async (error) => {
      await dropping(form)(error).catch(() => undefined);
      storageIsAway(error);
    });
  const row = { id, companyId, fileAttachableType: 'Order' as const, ...file, ...uploaderColumns(viewer) };
  const done = await inTurn(ctx, companyId, () => transact(ctx, (tx) => attach(tx, row, externalId))).catch(async (error) => {
    // The file was certainly refused. After any other failure it is unknown whether the commit succeeded, and the sweeper checks.
    if (error instanceof TooMany || error instanceof Missing) await fileStorage.of(ctx.em).remove(id);
    throw error;
  });
  // The stored file keeps its bytes; these are not needed.
  if (('attached' in done ? done.attached : done.parked) !== id) await fileStorage.of(ctx.em).remove(id);
  return done;
}

/**
 * The most files of a company that wait for its imports at a time, each with a connection. When one import ends, they all go before the
 * next.
 */
const ABREAST = 3;
/** Milliseconds after which a file that waits for a long import no longer keeps the next one waiting. */
const PATIENCE = 5_000;
const turnsByCompany = perApplication('turns of arriving files', () => new Map<string, ConcurrencyGate>());

/**
 * Limits the files of a company that run at a time. They wait for the lock of arrivals in any case, and each that waits in the database
 * occupies a connection.
 */
async function inTurn<T>({ em }: Context, companyId: string, work: () => Promise<T>): Promise<T> {
  const turns = turnsByCompany.of(em);
  const gate = turns.get(companyId) ?? new ConcurrencyGate(ABREAST, PATIENCE);
  turns.set(companyId, gate);
  try {
    return await gate.pass(work);
  } finally {
    if (gate.room === gate.width) turns.delete(companyId);
  }
}

const TWIN = `select id from file_attachment
  where company_id = $1 and file_attachable_type = 'Order' and file_attachable_id = $2 and fingerprint = $3`;

type Row = Record<string, string | number | null> & { id: string; companyId: string; fingerprint: string };

/** Writes the row of a file whose bytes are stored, unless an equal one exists. */
async function attach(tx: TxContext, row: Row & { fileAttachableType: 'Order' }, externalId: string): Promise<Ingested> {
  const query: Query = (sql, parameters) => queryIn(tx.em, sql, parameters);
  const { id, companyId, fingerprint } = row;
  await lockArrivals(query, companyId, 'file');
  const [order] = await query<{ id: string }>('select id from orders where company_id = $1 and external_id = $2', [companyId, externalId]);
  if (!order) return { parked: await park(query, row, externalId), externalId };
  // Access is checked before anything is said of the order's files: people who are limited to sites or own records cannot add files to
  // other orders.
  await find(tx, Order, order.id, { companyId, readable: true });
  const [twin] = await query<{ id: string }>(TWIN, [companyId, order.id, fingerprint]);
  if (twin) return { attached: twin.id };
  const attachment = Object.assign(new FileAttachment(), row, { fileAttachableId: order.id });
  tx.em.persist(attachment);
  emitEvent(tx, 'file_attachment.created', attachment, { file_attachable_type: 'Order', file_attachable_id: order.id });
  return { attached: id };
}

/** @returns the id of the parked file: this one, or an equal one that waits already */
async function park(query: Query, row: Row, externalId: string): Promise<string> {
  const columns = FILE_COLUMNS.split(', ');
  const values = columns.map((column) => row[column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())]);
  const [parked] = await query<{ id: string }>(
    `insert into parked_file (${FILE_COLUMNS}, external_id) values (${columns.map((_, i) => `$${i + 1}`).join(', ')}, $${columns.length + 1})
    on conflict (company_id, file_attachable_type, external_id, fingerprint) do update set updated_at = now() returning id`,
    [...values, externalId],
  );
  if (parked!.id === row.id) await refuseTooMany(query, row.companyId);
  return parked!.id;
}

/** Runs under the lock of arrivals, which only files take, so that none is added meanwhile. */
async function refuseTooMany(query: Query, companyId: string): Promise<void> {
  const [{ waiting } = { waiting: 0 }] = await query<{ waiting: number }>(
    'select count(*)::int as waiting from (select from parked_file where company_id = $1 limit $2) p',
    [companyId, PARKED_LIMIT + 1],
  );
  if (waiting > PARKED_LIMIT) throw new TooMany(PARKED_RETRY_AFTER);
}

interface Upload {
  externalId: string;
  category: FileCategory;
  description: string | null;
  fileName: string;
  mimeType: string;
  byteSize: number;
  sha256: string;
  fingerprint: string;
}

/** Returns the checked form. @throws Invalid with every problem of the form */
async function readUpload(form: UploadForm): Promise<Upload> {
  const items = [...form.items];
  const wrong = (field: string, key: string, params?: ErrorItem['params']) => items.push({ model: 'FileAttachment', field, key, params });
  const text = (name: (typeof FILE_FIELDS)[number]) => {
    const value = form.fields.get(name);
    if (value !== undefined && unstorable(JSON.stringify(value))) wrong(name, 'unstorable_text');
    return value?.trim();
  };
  // Outer blanks mean nothing, as in payloads.
  const externalId = text('external_id') ?? '';
  if (externalId === '') wrong('external_id', 'required');
  else {
    const broken = EXTERNAL_ID.check(externalId);
    if (broken) wrong('external_id', broken.key, broken.params);
  }
  const type = text('file_attachable_type') || undefined;
  if (type === undefined) wrong('file_attachable_type', 'required');
  else if (type !== 'Order') wrong('file_attachable_type', 'not_one_of', { values: 'Order' });
  // An empty text in a form means that nothing was chosen.
  const given = text('category') || 'Other';
  const category = FILE_CATEGORIES.find((name) => name === given);
  if (!category) wrong('category', 'not_one_of', { values: FILE_CATEGORIES.join(', ') });
  const description = text('description') || null;
  if (description && description.length > DESCRIPTION_LIMIT) wrong('description', 'wrong_length', { min: 0, max: DESCRIPTION_LIMIT });
  const { file } = form;
  if (!file && !items.some(({ field }) => field === 'file')) wrong('file', 'required');
  if (file?.size === 0) wrong('file', 'file_empty');
  const found = file && file.size > 0 ? await recognise(file.path, file.size) : undefined;
  if (typeof found === 'string') wrong('file', found);
  if (items.length > 0 || !file || !category || typeof found !== 'object') throw new Invalid(items);
  const fileName = safeFileName(file.name, found.extensions);
  const { sha256, size } = file;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([sha256, category, description, fileName]))
    .digest('hex');
  return { externalId, category, description, fileName, mimeType: found.mimeType, byteSize: size, sha256, fingerprint };
}

const dropping =
  (form: UploadForm) =>
  async (error: unknown): Promise<never> => {
    if (form.file) await dropReceived(form.file.path);
    throw error;
  };
