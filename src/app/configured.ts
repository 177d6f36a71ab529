import { join } from 'node:path';
import { eiaSource } from '../billing/fuel/sources/eia.ts';
import type { FuelPriceSource } from '../billing/fuel/sources/fuel-price-source.ts';
import { type ExternalIssuer, type IdentitySettings, identitySettingsWith } from '../identity/settings.ts';
import type { Logger } from '../platform/log.ts';
import { folderMailer, smtpMailer } from '../platform/outgoing/mail.ts';
import { httpPusher } from '../platform/outgoing/push.ts';
import { folderTexter, twilioTexter } from '../platform/outgoing/sms.ts';
import { withoutSlash } from '../platform/public-url.ts';
import type { ArchiveSettings } from '../platform/storage/archive-settings.ts';
import { type FileStorage, localStorage, s3Storage } from '../platform/storage/storage.ts';
import { openTracing } from '../platform/tracing/open-tracing.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import { httpTicketReader, type TicketReader } from '../proof/reading/ticket-reader.ts';
import type { Config } from './config.ts';
import { SELDOM } from './look-out.ts';
import type { WorkerOptions } from './workers.ts';

/** Further batches of imports next to those that are being written: their addresses are being geocoded, or they hang. */
export const SPARE_BATCHES = 2;
/** Milliseconds between two looks of the worker of notifications by itself. */
const REMINDING = 5_000;
const TWILIO = 'https://api.twilio.com';

/** Returns the settings of identity as configured. */
export function identityOf(config: Config, log: Logger): Readonly<IdentitySettings> {
  return identitySettingsWith({
    issuer: config.HAULGATE_ISSUER,
    audience: config.HAULGATE_AUDIENCE,
    serviceAudiences: config.HAULGATE_SERVICE_AUDIENCES,
    externalIssuer: externalIssuerOf(config),
    sessionSeconds: config.HAULGATE_SESSION_SECONDS,
    refreshSeconds: config.HAULGATE_REFRESH_SECONDS,
    machineSeconds: config.HAULGATE_MACHINE_TOKEN_SECONDS,
    keyDays: config.HAULGATE_KEY_DAYS,
    keyAlgorithm: config.HAULGATE_KEY_ALGORITHM,
    rotateKeysBefore: config.HAULGATE_ROTATE_KEYS_BEFORE,
    dropKeysBefore: config.HAULGATE_DROP_KEYS_BEFORE,
    viewerCacheMs: config.HAULGATE_VIEWER_CACHE_MS,
    intercomSecret: config.HAULGATE_INTERCOM_SECRET,
    signInsPerAddress: config.HAULGATE_SIGN_INS_PER_ADDRESS,
    wrongCodesPerAddress: config.HAULGATE_WRONG_CODES_PER_ADDRESS,
    appUrl: config.HAULGATE_APP_URL && withoutSlash(config.HAULGATE_APP_URL),
    breachedPasswordsUrl: config.HAULGATE_BREACHED_PASSWORDS_URL,
    onBreachedListFailure: (error) =>
      log.warn({ err: error }, 'the list of breached passwords does not answer; passwords are accepted without it'),
    ssoReturnUrls: config.HAULGATE_SSO_RETURN_URLS,
    secretsKeys: config.HAULGATE_SECRETS_KEY,
    ssoDomainProof: config.HAULGATE_SSO_DOMAIN_PROOF === 'on',
    dnsServers: config.HAULGATE_DNS_SERVERS,
    ssoPrivateHosts: config.HAULGATE_SSO_PRIVATE_HOSTS === 'on',
  });
}

function externalIssuerOf(config: Config): ExternalIssuer | undefined {
  const { HAULGATE_EXTERNAL_ISSUER: issuer, HAULGATE_EXTERNAL_JWKS_URL: jwksUrl } = config;
  if (!issuer || !jwksUrl) return undefined;
  const audience = config.HAULGATE_EXTERNAL_AUDIENCE || config.HAULGATE_AUDIENCE;
  return { issuer, jwksUrl, audience, userClaim: config.HAULGATE_EXTERNAL_USER_CLAIM, clientClaim: config.HAULGATE_EXTERNAL_CLIENT_CLAIM };
}

/** Opens the configured storage of files. */
export async function storageOf(config: Config, dataDir: string): Promise<FileStorage> {
  if (config.HAULGATE_FILES === 'local') return localStorage(join(dataDir, 'files'));
  const { HAULGATE_S3_ACCESS_KEY_ID: accessKeyId, HAULGATE_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  return s3Storage({
    bucket: config.HAULGATE_S3_BUCKET,
    region: config.HAULGATE_S3_REGION,
    endpoint: config.HAULGATE_S3_ENDPOINT,
    pathStyle: config.HAULGATE_S3_PATH_STYLE === 'on',
    accessKeyId,
    secretAccessKey,
  });
}

/** The settings of the tables whose old rows leave the database for the storage. */
export const archivesOf = (config: Config): ArchiveSettings => ({
  on: config.HAULGATE_ARCHIVES === 'on',
  auditYears: config.HAULGATE_ARCHIVE_AUDIT_YEARS,
  importYears: config.HAULGATE_ARCHIVE_IMPORT_YEARS,
  eventDays: config.HAULGATE_ARCHIVE_EVENT_DAYS,
  deleteAfter: {
    auditYears: config.HAULGATE_ARCHIVE_DELETE_AUDIT_YEARS,
    importYears: config.HAULGATE_ARCHIVE_DELETE_IMPORT_YEARS,
    deliveryYears: config.HAULGATE_ARCHIVE_DELETE_DELIVERY_YEARS,
    eventYears: config.HAULGATE_ARCHIVE_DELETE_EVENT_YEARS,
    positionDays: config.HAULGATE_ARCHIVE_DELETE_POSITION_DAYS,
  },
});

/** Where traces are sent; undefined if nothing is traced. */
export function collectorOf(config: Config): string | undefined {
  if (config.OTEL_SDK_DISABLED === 'true' || config.OTEL_TRACES_EXPORTER === 'none') return undefined;
  return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT;
}

/** Opens the configured traces; undefined without a collector. */
export async function tracingOf(config: Config, version: string, log: Logger): Promise<Tracing | undefined> {
  const collector = collectorOf(config);
  if (!collector) return undefined;
  const tracing = await openTracing({
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    batches: {
      scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
      exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
      maxExportBatchSize: config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    },
    version,
    report: (state, error) =>
      log.warn(
        { err: error },
        state === 'lost' ? 'the collector takes no traces; they are dropped until it does' : 'the collector takes traces again',
      ),
  });
  log.info({ collector: new URL(collector).host }, 'traces are on');
  return tracing;
}

/** Returns the workers of a process that has all of them, and a look-out that calls them. */
export function workersOf(config: Config, dataDir: string, log: Logger): WorkerOptions {
  const { HAULGATE_INGEST_CONCURRENCY: wanted, HAULGATE_INGEST_SWEEP_MS: sweepEvery, HAULGATE_PREVIEW_CONCURRENCY: previews } = config;
  // Claims, leases and the web must have connections left, however many batches hold one each.
  const most = Math.max(1, config.DATABASE_POOL - 2);
  const concurrency = Math.min(wanted, most);
  const seldom = { sweepEvery: SELDOM };
  return {
    bulkActions: seldom,
    imports: { concurrency, spare: Math.min(SPARE_BATCHES, most - concurrency), sweepEvery },
    downloads: seldom,
    ...(readerOf(config) ? { readings: seldom } : {}),
    reviews: seldom,
    ticketMatches: seldom,
    chases: seldom,
    invoices: seldom,
    webhooks: seldom,
    // It reminds people of what time brings, too, which nobody calls it for.
    notifications: { sweepEvery: REMINDING },
    fleets: seldom,
    accounting: seldom,
    accountingExports: seldom,
    ...(fuelPricesOf(config) ? { fuelPrices: seldom } : {}),
    listExports: seldom,
    positions: seldom,
    ...(previews > 0 ? { previews: { concurrency: previews, ...seldom } } : {}),
    deliveries: { ...deliveriesOf(config, dataDir, log), every: SELDOM },
  };
}

/** The queues that no worker of this configuration empties. */
export const unworkedQueues = (config: Config): string[] => [
  ...(readerOf(config) ? [] : ['readings']),
  ...(fuelPricesOf(config) ? [] : ['fuel_prices']),
  ...(config.HAULGATE_PREVIEW_CONCURRENCY > 0 ? [] : ['file_previews', 'ticket_previews']),
];

/** Returns the reader of pictures of tickets, if one is configured. */
export function readerOf(config: Config): TicketReader | undefined {
  const { HAULGATE_TICKET_READER_URL: url, HAULGATE_TICKET_READER_SECRET: secret } = config;
  return url ? httpTicketReader({ url, secret, allowPrivate: config.HAULGATE_TICKET_READER_PRIVATE === 'on' }) : undefined;
}

/** Where fuel prices are read, if it is configured. */
export function fuelPricesOf(config: Config): FuelPriceSource | undefined {
  const { HAULGATE_FUEL_PRICES: source, HAULGATE_FUEL_PRICES_KEY: key, HAULGATE_FUEL_PRICES_URL: url } = config;
  return source === 'none' ? undefined : eiaSource({ key, url: url && withoutSlash(url) });
}

/** Mails and texts go out by the configured services, or into files below `dataDir`; pushes by a service, or nowhere. */
function deliveriesOf(config: Config, dataDir: string, log: Logger): NonNullable<WorkerOptions['deliveries']> {
  const wrote = (path: string) => log.info({ path }, 'no service is configured for this message; it is in a file');
  const { HAULGATE_SMTP_URL: smtp, HAULGATE_MAIL_FROM: mailFrom, HAULGATE_SMS_ACCOUNT: account } = config;
  const { HAULGATE_PUSH_URL: push, HAULGATE_PUSH_SECRET: secret } = config;
  return {
    mailer: smtp ? smtpMailer(smtp, mailFrom) : folderMailer(join(dataDir, 'mail'), mailFrom, wrote),
    texter: account
      ? twilioTexter({ url: config.HAULGATE_SMS_URL ?? TWILIO, account, token: config.HAULGATE_SMS_TOKEN, from: config.HAULGATE_SMS_FROM })
      : folderTexter(join(dataDir, 'sms'), wrote),
    ...(push ? { pusher: httpPusher({ url: push, secret }) } : {}),
  };
}
