import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { countProcesses } from '../supervise.ts';
import { examineIdleSettings } from './examine-idle-settings.ts';
import { type Finding, good, look, those, wrong } from './finding.ts';

/** Bytes below which a disk is nearly full. */
const LITTLE_SPACE = 1024 ** 3;

/** Examines what the configuration alone says, and the machine on which the examination runs. @param machines that have the same settings */
export function examineSettings(config: Config, machines: number): Finding[] {
  return [
    ...examineKeeping(config),
    ...(config.HAULGATE_ROLE === 'worker' ? [] : examineAddress(config)),
    ...examineLimits(config),
    ...examineMessages(config),
    ...examinePrivateHosts(config),
    ...(machines > 1 ? examineMachines(config, machines) : []),
    ...examineProcesses(config),
    ...examineIdleSettings(config),
    examineFolder(resolve(config.HAULGATE_DATA)),
  ];
}

/** Where data and secrets are kept. */
function examineKeeping(config: Config): Finding[] {
  const own = config.DATABASE_URL === undefined;
  return those(
    own &&
      look(
        'DATABASE_URL',
        'is not set, so that data is in the PostgreSQL that Haulgate starts itself. For production, name a server that is backed up.',
      ),
    !own &&
      config.HAULGATE_SECRETS_KEY.length === 0 &&
      wrong(
        'HAULGATE_SECRETS_KEY',
        'is not set, so that every backup contains the key of the secrets in it. Make one with "openssl rand -base64 32".',
      ),
    config.HAULGATE_DEMO === 'on' &&
      !own &&
      look('HAULGATE_DEMO', 'is on: an empty database gets a demo company with logins. Switch it off where real data is.'),
  );
}

/** How clients reach it, of what answers them. */
function examineAddress(config: Config): Finding[] {
  const isOpen = !['127.0.0.1', 'localhost', '::1'].includes(config.HOST);
  const isSecure = config.BASE_URL?.startsWith('https:');
  return those(
    !config.BASE_URL &&
      isOpen &&
      wrong(
        'BASE_URL',
        'is not set, so that links in mails and files name an address that only this machine may know. Set it to the public one.',
      ),
    config.BASE_URL !== undefined &&
      !isSecure &&
      look('BASE_URL', 'has no TLS: tokens and passwords travel readable. Put a proxy with TLS before it.'),
    isSecure &&
      config.HAULGATE_TRUSTED_PROXIES.length === 0 &&
      look(
        'HAULGATE_TRUSTED_PROXIES',
        'is not set although something else ends TLS: all clients seem to come from its address, and share the limits of one. Name the proxy.',
      ),
    isOpen &&
      config.HAULGATE_HEALTH_PORT === 0 &&
      look('HAULGATE_HEALTH_PORT', 'is 0, so that strangers can read /metrics and /version on PORT. Set a port that is not public.'),
  );
}

function examineLimits(config: Config): Finding[] {
  return those(
    config.HAULGATE_CORS_ORIGINS.includes('*') &&
      look('HAULGATE_CORS_ORIGINS', 'is *: pages of any origin may use the API with a token they have.'),
    config.HAULGATE_ROLE !== 'worker' &&
      config.HAULGATE_REQUESTS_PER_MINUTE === 0 &&
      look('HAULGATE_REQUESTS_PER_MINUTE', 'is 0: one program in a loop can take the server from all others.'),
    config.HAULGATE_STATEMENT_SECONDS === 0 &&
      look('HAULGATE_STATEMENT_SECONDS', 'is 0: a statement that never ends keeps its connection.'),
  );
}

function examineMessages(config: Config): Finding[] {
  return those(
    !config.HAULGATE_SMTP_URL &&
      look('HAULGATE_SMTP_URL', 'is not set: invitations and links become files in HAULGATE_DATA/mail instead of mails.'),
    config.HAULGATE_SMTP_URL !== undefined &&
      /@localhost>?$/.test(config.HAULGATE_MAIL_FROM) &&
      wrong('HAULGATE_MAIL_FROM', 'ends in @localhost, which mail servers refuse. Set an address of a domain of yours.'),
  );
}

function examinePrivateHosts(config: Config): Finding[] {
  const open = (['SSO', 'ACCOUNTING', 'WEBHOOK', 'TELEMATICS'] as const).filter(
    (kind) => config[`HAULGATE_${kind}_PRIVATE_HOSTS`] === 'on',
  );
  return open.map((kind) =>
    look(`HAULGATE_${kind}_PRIVATE_HOSTS`, 'is on: companies can make this server call addresses of your network.'),
  );
}

/** What several machines must have in common. */
function examineMachines(config: Config, machines: number): Finding[] {
  return those(
    config.DATABASE_URL === undefined &&
      wrong('DATABASE_URL', `is not set, so that each of ${machines} machines would have a PostgreSQL of its own. Name the one of all.`),
    config.HAULGATE_FILES === 'local' &&
      look(
        'HAULGATE_FILES',
        `is local: all ${machines} machines must have the same folder mounted as HAULGATE_DATA, or none finds the files of the others. Or keep them in a bucket (s3).`,
      ),
    !config.REDIS_URL &&
      look(
        'REDIS_URL',
        `is not set: workers of ${machines} machines learn of what came to another one when they look, up to a second later.`,
      ),
  );
}

/** The processes of one start, and what they share. */
function examineProcesses(config: Config): Finding[] {
  const cores = availableParallelism();
  const processes = countProcesses(config);
  const concurrency = config.HAULGATE_INGEST_CONCURRENCY;
  return those(
    concurrency > config.DATABASE_POOL - 2 &&
      look(
        'HAULGATE_INGEST_CONCURRENCY',
        `is ${concurrency}, of which DATABASE_POOL (${config.DATABASE_POOL}) allows ${config.DATABASE_POOL - 2}.`,
      ),
    cores > 1 &&
      processes === 1 &&
      config.HAULGATE_ROLE === 'all' &&
      look('HAULGATE_PROCESSES', `is 1 on a machine with ${cores} cores: "auto" uses all of them.`),
    processes > 4 * cores &&
      look('HAULGATE_PROCESSES', `starts ${processes} processes on ${cores} cores, which finish nothing sooner than fewer.`),
  );
}

function examineFolder(folder: string): Finding {
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  try {
    accessSync(there, constants.W_OK);
    if (!statSync(there).isDirectory()) throw new Error('a file is in the way');
  } catch {
    return wrong('HAULGATE_DATA', `${folder} cannot be written by this user. Give it the folder, or name another one.`);
  }
  const { bavail, bsize } = statfsSync(there);
  const free = bavail * bsize;
  const gigabytes = (free / 1024 ** 3).toFixed(1);
  return free < LITTLE_SPACE
    ? wrong('HAULGATE_DATA', `${folder} is on a disk with ${gigabytes} GB left. Uploads are refused when it is full: make room.`)
    : good('HAULGATE_DATA', `${folder} can be written; ${gigabytes} GB are free.`);
}
