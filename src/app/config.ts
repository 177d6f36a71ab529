import { availableParallelism } from 'node:os';
import { USUAL_STREAMS } from '../platform/http/open-streams.ts';
import { StartError } from '../platform/start-error.ts';
import { SAMPLERS } from '../platform/tracing/open-tracing.ts';
import {
  address,
  databaseUrl,
  databaseUrls,
  email,
  list,
  networks,
  oneOf,
  origins,
  processes,
  ratio,
  secretKeys,
  sender,
  servers,
  smsNumbers,
  text,
  tileUrl,
  time,
  url,
  urls,
  type Variable,
  whole,
} from './config-values.ts';

const VARIABLES = {
  PORT: whole(0, 65_535, 3000),
  HOST: text('127.0.0.1'),
  BASE_URL: url(['http:', 'https:']),
  DATABASE_URL: databaseUrl,
  DATABASE_OWNER_URL: databaseUrl,
  DATABASE_READ_URLS: databaseUrls,
  DATABASE_READ_LAG: whole(1, 3_600, 10),
  DATABASE_POOL: whole(3, 200, 10),
  HAULGATE_DATABASE_WAIT: whole(0, 3600, 60),
  REDIS_URL: url(['redis:', 'rediss:']),
  HAULGATE_HEALTH_PORT: whole(0, 65_535, 0),
  HAULGATE_STOP_DELAY_SECONDS: whole(0, 60, 0),
  HAULGATE_ROLE: oneOf(['web', 'worker', 'all'], 'all'),
  HAULGATE_PROCESSES: processes,
  HAULGATE_DEMO: oneOf(['on', 'off'], 'on'),
  HAULGATE_ADMIN_EMAIL: email,
  HAULGATE_DATA: text('.data'),
  HAULGATE_ISSUER: url(['http:', 'https:']),
  HAULGATE_AUDIENCE: text('haulgate-api'),
  HAULGATE_SERVICE_AUDIENCES: list,
  HAULGATE_EXTERNAL_ISSUER: url(['http:', 'https:']),
  HAULGATE_EXTERNAL_JWKS_URL: url(['http:', 'https:']),
  HAULGATE_EXTERNAL_AUDIENCE: text(''),
  HAULGATE_EXTERNAL_USER_CLAIM: text('email'),
  HAULGATE_EXTERNAL_CLIENT_CLAIM: text('client_id'),
  HAULGATE_SESSION_SECONDS: whole(60, 86_400, 900),
  HAULGATE_REFRESH_SECONDS: whole(300, 30 * 86_400, 7 * 86_400),
  HAULGATE_MACHINE_TOKEN_SECONDS: whole(60, 86_400, 3600),
  HAULGATE_REQUESTS_PER_MINUTE: whole(0, 10_000_000, 6000),
  HAULGATE_ANONYMOUS_PER_MINUTE: whole(0, 10_000_000, 1200),
  HAULGATE_REQUESTS_AT_ONCE: whole(0, 1_000, 4),
  HAULGATE_STREAMS_PER_CALLER: whole(0, 100_000, USUAL_STREAMS.perCaller),
  HAULGATE_STREAMS_PER_COMPANY: whole(0, 1_000_000, USUAL_STREAMS.perCompany),
  HAULGATE_STREAMS_PER_ADDRESS: whole(0, 1_000_000, USUAL_STREAMS.perAddress),
  HAULGATE_STATEMENT_SECONDS: whole(0, 60, 10),
  HAULGATE_TRUSTED_PROXIES: networks,
  HAULGATE_CORS_ORIGINS: origins,
  HAULGATE_KEY_DAYS: whole(0, 3650, 90),
  HAULGATE_KEY_ALGORITHM: oneOf(['ES256', 'RS256'], 'ES256'),
  HAULGATE_ROTATE_KEYS_BEFORE: time,
  HAULGATE_DROP_KEYS_BEFORE: time,
  HAULGATE_VIEWER_CACHE_MS: whole(0, 4_000, 2000),
  HAULGATE_INGEST_CONCURRENCY: whole(1, 64, Math.max(2, Math.min(availableParallelism(), 4))),
  HAULGATE_INGEST_SWEEP_MS: whole(50, 60_000, 1000),
  HAULGATE_PREVIEW_CONCURRENCY: whole(0, 16, 1),
  HAULGATE_GEOCODER: oneOf(['none', 'openstreetmap', 'google', 'here', 'mapbox', 'opencage', 'locationiq', 'tomtom'], 'none'),
  HAULGATE_GEOCODER_KEY: text(''),
  HAULGATE_GEOCODER_URL: url(['http:', 'https:']),
  HAULGATE_ROUTER_URL: url(['http:', 'https:']),
  HAULGATE_TILE_URL: tileUrl,
  HAULGATE_TILE_ATTRIBUTION: text(''),
  HAULGATE_INTERCOM_SECRET: text(''),
  HAULGATE_BREACHED_PASSWORDS_URL: url(['http:', 'https:']),
  HAULGATE_APP_URL: url(['http:', 'https:']),
  HAULGATE_SIGN_INS_PER_ADDRESS: whole(5, 1_000_000, 120),
  HAULGATE_WRONG_CODES_PER_ADDRESS: whole(5, 1_000_000, 20),
  HAULGATE_SMTP_URL: url(['smtp:', 'smtps:']),
  HAULGATE_MAIL_FROM: sender('Haulgate <no-reply@localhost>'),
  HAULGATE_SMS_URL: url(['http:', 'https:']),
  HAULGATE_SMS_ACCOUNT: text(''),
  HAULGATE_SMS_TOKEN: text(''),
  HAULGATE_SMS_FROM: text(''),
  HAULGATE_PUSH_URL: url(['http:', 'https:']),
  HAULGATE_PUSH_SECRET: text(''),
  HAULGATE_FUEL_PRICES: oneOf(['none', 'eia'], 'none'),
  HAULGATE_FUEL_PRICES_KEY: text(''),
  HAULGATE_FUEL_PRICES_URL: url(['http:', 'https:']),
  HAULGATE_TICKET_READER_URL: url(['http:', 'https:']),
  HAULGATE_TICKET_READER_SECRET: text(''),
  HAULGATE_TICKET_READER_PRIVATE: oneOf(['on', 'off'], 'off'),
  HAULGATE_SMS_NUMBERS: smsNumbers,
  HAULGATE_INTROSPECTION: oneOf(['on', 'off'], 'on'),
  HAULGATE_SECRETS_KEY: secretKeys,
  HAULGATE_SSO_RETURN_URLS: urls,
  HAULGATE_SSO_DOMAIN_PROOF: oneOf(['on', 'off'], 'on'),
  HAULGATE_DNS_SERVERS: servers,
  HAULGATE_SSO_PRIVATE_HOSTS: oneOf(['on', 'off'], 'off'),
  HAULGATE_ACCOUNTING_PRIVATE_HOSTS: oneOf(['on', 'off'], 'off'),
  HAULGATE_WEBHOOK_PRIVATE_HOSTS: oneOf(['on', 'off'], 'off'),
  HAULGATE_TELEMATICS_PRIVATE_HOSTS: oneOf(['on', 'off'], 'off'),
  HAULGATE_SHA: text(''),
  HAULGATE_REPORTING_ADDRESS: address,
  HAULGATE_REPORTING_TRUSTED: oneOf(['on', 'off'], 'off'),
  HAULGATE_FILES: oneOf(['local', 's3'], 'local'),
  HAULGATE_S3_BUCKET: text(''),
  HAULGATE_S3_REGION: text('us-east-1'),
  HAULGATE_S3_ENDPOINT: url(['http:', 'https:']),
  HAULGATE_S3_ACCESS_KEY_ID: text(''),
  HAULGATE_S3_SECRET_ACCESS_KEY: text(''),
  HAULGATE_S3_PATH_STYLE: oneOf(['on', 'off'], 'off'),
  HAULGATE_ARCHIVES: oneOf(['on', 'off'], 'off'),
  HAULGATE_ARCHIVE_AUDIT_YEARS: whole(0, 30, 0),
  HAULGATE_ARCHIVE_IMPORT_YEARS: whole(0, 30, 0),
  HAULGATE_ARCHIVE_EVENT_DAYS: whole(30, 3650, 90),
  HAULGATE_ARCHIVE_DELETE_AUDIT_YEARS: whole(0, 100, 0),
  HAULGATE_ARCHIVE_DELETE_IMPORT_YEARS: whole(0, 100, 0),
  HAULGATE_ARCHIVE_DELETE_DELIVERY_YEARS: whole(0, 100, 0),
  HAULGATE_ARCHIVE_DELETE_EVENT_YEARS: whole(0, 100, 0),
  HAULGATE_ARCHIVE_DELETE_POSITION_DAYS: whole(0, 36_500, 0),
  OTEL_SDK_DISABLED: oneOf(['true', 'false'], 'false'),
  OTEL_TRACES_EXPORTER: oneOf(['otlp', 'none'], 'otlp'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:']),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url(['http:', 'https:']),
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS, 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: ratio,
  OTEL_BSP_SCHEDULE_DELAY: whole(0, 3_600_000, 5_000),
  OTEL_BSP_EXPORT_TIMEOUT: whole(1, 3_600_000, 30_000),
  OTEL_BSP_MAX_QUEUE_SIZE: whole(1, 1_000_000, 2_048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: whole(1, 1_000_000, 512),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
} satisfies Record<string, Variable<unknown>>;

/** Variables of `haulgate-send`, which may run in the same shell. */
const OF_THE_SENDER = new Set(['HAULGATE_URL', 'HAULGATE_CLIENT_ID', 'HAULGATE_CLIENT_SECRET']);

type Name = keyof typeof VARIABLES;
/** The parsed environment; frozen. */
export type Config = Readonly<{
  [K in Name]: ReturnType<(typeof VARIABLES)[K]['parse']> extends infer T
    ? (typeof VARIABLES)[K]['fallback'] extends undefined
      ? T
      : Exclude<T, undefined>
    : never;
}>;

/** A value of the environment that cannot be used; the message names the variable. */
export class ConfigError extends StartError {}

/**
 * Returns the parsed environment. An empty value counts as not set.
 * @throws ConfigError with a sentence for each wrong variable
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries(VARIABLES) as [Name, Variable<unknown>][]) {
    const given = env[name];
    if (given === undefined || given === '') {
      config[name] = variable.fallback;
      continue;
    }
    const value = variable.parse(given);
    // The value is not repeated, because it may be a secret.
    if (value === undefined) problems.push(`${name} must ${variable.mustRather?.(given) ?? variable.must}.`);
    config[name] = value;
  }
  // The demo writes a company with logins into a file. With the operator's own database, it must be switched on.
  if (!env.HAULGATE_DEMO && config.DATABASE_URL) config.HAULGATE_DEMO = 'off';
  for (const name of Object.keys(env)) {
    if (name.startsWith('HAULGATE_') && !(name in VARIABLES) && !OF_THE_SENDER.has(name) && !name.startsWith('HAULGATE_TEST_'))
      problems.push(`${name} is not a variable Haulgate knows.`);
  }
  if (config.DATABASE_OWNER_URL && !config.DATABASE_URL) problems.push('DATABASE_URL must be set when DATABASE_OWNER_URL is.');
  // A wrong value is undefined here, and said above.
  if (((config.DATABASE_READ_URLS as readonly string[] | undefined)?.length ?? 0) > 0 && !config.DATABASE_URL)
    problems.push('DATABASE_URL must be set when DATABASE_READ_URLS is.');
  // A worker does not listen on PORT.
  if (config.HAULGATE_HEALTH_PORT !== 0 && config.HAULGATE_HEALTH_PORT === config.PORT && config.HAULGATE_ROLE !== 'worker')
    problems.push('HAULGATE_HEALTH_PORT must be another port than PORT.');
  if (config.HAULGATE_GEOCODER && !['none', 'openstreetmap'].includes(config.HAULGATE_GEOCODER as string) && !config.HAULGATE_GEOCODER_KEY)
    problems.push(`HAULGATE_GEOCODER_KEY must be set when HAULGATE_GEOCODER is ${config.HAULGATE_GEOCODER}.`);
  if (config.HAULGATE_FILES === 's3' && !config.HAULGATE_S3_BUCKET)
    problems.push('HAULGATE_S3_BUCKET must be set when HAULGATE_FILES is s3.');
  if (!config.HAULGATE_S3_ACCESS_KEY_ID !== !config.HAULGATE_S3_SECRET_ACCESS_KEY)
    problems.push('HAULGATE_S3_ACCESS_KEY_ID and HAULGATE_S3_SECRET_ACCESS_KEY must be set together.');
  if (!config.HAULGATE_EXTERNAL_ISSUER !== !config.HAULGATE_EXTERNAL_JWKS_URL)
    problems.push('HAULGATE_EXTERNAL_ISSUER and HAULGATE_EXTERNAL_JWKS_URL must be set together.');
  if (config.HAULGATE_SMS_ACCOUNT && !(config.HAULGATE_SMS_TOKEN && config.HAULGATE_SMS_FROM))
    problems.push('HAULGATE_SMS_TOKEN and HAULGATE_SMS_FROM must be set when HAULGATE_SMS_ACCOUNT is.');
  if (!config.HAULGATE_PUSH_URL !== !config.HAULGATE_PUSH_SECRET)
    problems.push('HAULGATE_PUSH_URL and HAULGATE_PUSH_SECRET must be set together.');
  if (config.HAULGATE_FUEL_PRICES === 'eia' && !config.HAULGATE_FUEL_PRICES_KEY)
    problems.push('HAULGATE_FUEL_PRICES_KEY must be set when HAULGATE_FUEL_PRICES is eia.');
  if (!config.HAULGATE_TICKET_READER_URL !== !config.HAULGATE_TICKET_READER_SECRET)
    problems.push('HAULGATE_TICKET_READER_URL and HAULGATE_TICKET_READER_SECRET must be set together.');
  if ((config.HAULGATE_REFRESH_SECONDS as number) < (config.HAULGATE_SESSION_SECONDS as number))
    problems.push('HAULGATE_REFRESH_SECONDS must be at least HAULGATE_SESSION_SECONDS: a session would end before its first token.');
  for (const kind of ['AUDIT', 'IMPORT']) {
    const [atHand, end] = [`HAULGATE_ARCHIVE_${kind}_YEARS`, `HAULGATE_ARCHIVE_DELETE_${kind}_YEARS`] as const;
    if ((config[end] as number) > 0 && (config[end] as number) < (config[atHand] as number))
      problems.push(`${end} must be at least ${atHand}, or 0: archives would be deleted although their records are at hand for so long.`);
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.freeze(config) as Config;
}
