import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import { webhookSettings } from '../../events/webhooks/settings.ts';
import { seal, unseal } from '../../identity/tokens/sealing.ts';
import type { InApplication } from '../../platform/application.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';
import { queryAs, queryIn } from '../../platform/database/sql.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { guardedFetch } from '../../platform/http/calls/guarded-fetch.ts';
import { AddressRefused, problemOfAddress } from '../../platform/http/calls/public-addresses.ts';
import type { ExportStorage } from './export-schedule.entity.ts';
import type { ExportStorageInput } from './export-schedule.inputs.ts';

/** Keeps and reads what opens the storage of companies, apart from their schedules. */
export const LIST_EXPORT_SECRETS = definePurpose('list_export_secrets', {
  export_secret: ['select (export_schedule_id, sealed)', 'insert', 'update (sealed)', 'delete'],
});
export const exportSecretReserved = reserveForPurposes('export_secret');

/** The largest file that is put into a storage, in megabytes: what S3 takes by one request. */
export const LARGEST_STORED = 5_000;
/** Milliseconds that it may take to put a file there, and those for each megabyte of it in addition. */
const TIMEOUT = 100_000;
const TIMEOUT_OF_MEGABYTE = 1_000;
/** Seconds for which the request is signed. */
const SIGNED = 900;
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Names of buckets that are opened by sessions or other ways of AWS's own, which the SDK would call by itself, past our checks of addresses. */
const SPECIAL_BUCKET = /(--[a-z0-9]+-s3|-s3alias|\.mrap)$/;
const REGION = /^[a-z0-9-]{1,40}$/;
const MODEL = 'ExportSchedule';

/** Collects what is wrong with a storage. */
export function checkStorage(
  application: InApplication,
  { bucket, region, endpoint, prefix, accessKeyId, secretAccessKey }: ExportStorageInput,
  items: ErrorItem[],
): void {
  const problem = (field: string, key: string): number => items.push({ model: MODEL, field: `storage.${field}`, key });
  if (!BUCKET.test(bucket) || SPECIAL_BUCKET.test(bucket)) problem('bucket', 'export_bucket');
  if (region && !REGION.test(region)) problem('region', 'export_bucket');
  if (prefix && /^\/|\/\/|(^|\/)\.\.?(\/|$)/.test(prefix)) problem('prefix', 'export_prefix');
  const key = endpoint && problemOfAddress(endpoint, webhookSettings.of(application).privateHosts);
  if (key) problem('endpoint', key);
  for (const [field, text] of Object.entries({ accessKeyId, secretAccessKey })) if (text && text.trim() === '') problem(field, 'required');
}

/** Keeps the secret key of a schedule, sealed. */
export async function keepSecretKey(tx: TxContext, scheduleId: string, secret: string): Promise<void> {
  const sealed = await seal(tx.em, secret, scheduleId);
  const sql =
    'insert into export_secret (export_schedule_id, sealed) values ($1, $2) on conflict (export_schedule_id) do update set sealed = excluded.sealed';
  await runAsPurpose(LIST_EXPORT_SECRETS, () => queryIn(tx.em, sql, [scheduleId, sealed]));
}

export const forgetSecretKey = (tx: TxContext, scheduleId: string): Promise<unknown> =>
  runAsPurpose(LIST_EXPORT_SECRETS, () => queryIn(tx.em, 'delete from export_secret where export_schedule_id = $1', [scheduleId]));

/** The storage refuses the file: trying again is of no use. */
export class StorageRefused extends Error {}

interface Stored {
  scheduleId: string;
  storage: ExportStorage;
  name: string;
  /** On this machine. */
  path: string;
  /** Bytes. */
  size: number;
  type: string;
  /** Called while it is sent, again and again. */
  renew(): Promise<void>;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Puts a file into the storage of a company, under its prefix and name, as it is read from the disk: the same again replaces it.
 * @throws StorageRefused if it is refused for good
 */
export async function putIntoStorage(em: EntityManager, file: Stored): Promise<void> {
  const { scheduleId, storage, name, size, type } = file;
  const rows = await queryAs<{ sealed: string }>(
    LIST_EXPORT_SECRETS,
    em,
    'select sealed from export_secret where export_schedule_id = $1',
    [scheduleId],
  );
  if (!rows[0]) throw new StorageRefused('the secret key of the storage is missing');
  const secretAccessKey = await unseal(em, rows[0].sealed, scheduleId);
  // Loaded on demand, because it takes 39 MB of memory.
  const [{ PutObjectCommand, S3Client }, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  const client = new S3Client({
    region: storage.region,
    ...(storage.endpoint ? { endpoint: storage.endpoint } : {}),
    forcePathStyle: storage.pathStyle,
    credentials: { accessKeyId: storage.accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    // It only signs. What it would send itself would go to addresses that nobody has checked.
    requestHandler: { handle: () => Promise.reject(new StorageRefused('the storage asks for more than a signed request')) },
  });
  try {
    const command = new PutObjectCommand({ Bucket: storage.bucket, Key: `${storage.prefix}${name}`, ContentType: type });
    const url = await getSignedUrl(client, command, { expiresIn: SIGNED, signableHeaders: new Set(['content-type']) });
    const timeout = TIMEOUT + Math.ceil(size / 1_000_000) * TIMEOUT_OF_MEGABYTE;
    const call = guardedFetch({ allowPrivate: webhookSettings.of(em).privateHosts, timeout, cut: true });
    const headers = { 'Content-Type': type, 'Content-Length': String(size) };
    const body = Readable.toWeb(Readable.from(partsOf(file))) as ReadableStream;
    const answer = await call(url, { method: 'PUT', body, headers, signal: file.signal }).catch((error: Error) => {
      // To which address a name leads is nobody's business.
      throw error instanceof AddressRefused ? new StorageRefused('its address is not a public one') : error;
    });
    if (answer.ok) return;
    // Busy servers are asked again; all other answers stay what they are.
    if (answer.status >= 500 || answer.status === 429) throw new Error(`the storage answers ${answer.status}`);
    throw new StorageRefused(`the storage answers ${answer.status}`);
  } finally {
    client.destroy();
  }
}

/** The bytes of a file, a piece at a time. */
async function* partsOf({ path, renew }: Stored): AsyncGenerator<Buffer> {
  for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
    await renew();
    yield part;
  }
}
