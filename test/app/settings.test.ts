import { expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/app/config.ts';

/** Returns what a start says of an environment; nothing if it goes on. */
function saidOf(env: Record<string, string>): string {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

const REDIS = 'REDIS_URL must be a URL that starts with redis:// or rediss://.';
const POSTGRES = 'must be a URL that starts with postgres:// or postgresql://.';

test.each<[Record<string, string>, string]>([
  // A host and a port alone are a URL of another kind, which leads to this machine.
  [{ REDIS_URL: 'redis:6379' }, REDIS],
  [{ DATABASE_URL: 'postgres:5432/haulgate' }, `DATABASE_URL ${POSTGRES}`],
  [{ HAULGATE_SMTP_URL: 'smtp:1025' }, 'HAULGATE_SMTP_URL must be a URL that starts with smtp:// or smtps://.'],
  [{ REDIS_URL: 'redis://' }, 'REDIS_URL must name a host after redis://.'],
  [{ HAULGATE_SMTP_URL: 'smtp:///?name=us' }, 'HAULGATE_SMTP_URL must name a host after smtp://.'],
  [
    { DATABASE_READ_URLS: 'redis://one, two' },
    'DATABASE_READ_URLS must be URLs that start with postgres:// or postgresql://, with commas between.',
  ],
  [
    { HAULGATE_GEOCODER: 'bing' },
    'HAULGATE_GEOCODER must be one of none, openstreetmap, google, here, mapbox, opencage, locationiq, tomtom.',
  ],
  // Characters of passwords that mean something else in a URL.
  [{ DATABASE_URL: 'postgres://u:5%f@db/x' }, 'DATABASE_URL must have %25 in place of each % of its user and password.'],
  [{ HAULGATE_SMTP_URL: 'smtp://u:5%f@mail' }, 'HAULGATE_SMTP_URL must have %25 in place of each % of its user and password.'],
  [
    { DATABASE_URL: 'postgres://u:a/b@db/x' },
    'DATABASE_URL must have %2F in place of each / of its password, %23 of each # and %3F of each ?.',
  ],
  [{ DATABASE_URL: 'postgres://u:p@db:543210/x' }, `DATABASE_URL ${POSTGRES}`],
  [{ DATABASE_URL: 'postgres://u:5%f@one:5432,two:5432/x' }, 'DATABASE_URL must have %25 in place of each % of its user and password.'],
  // What a file of settings adds unseen.
  [{ BASE_URL: 'https://haul.example\r' }, 'BASE_URL must have no blanks or line ends around it.'],
  [{ HAULGATE_S3_BUCKET: ' ' }, 'HAULGATE_S3_BUCKET must be a text without blanks or line ends around it.'],
  [{ HAULGATE_DATA: '/var/lib/haulgate\r' }, 'HAULGATE_DATA must be a text without blanks or line ends around it.'],
  [{ HOST: ' ' }, 'HOST must be a text without blanks or line ends around it.'],
  [{ PORT: ' ' }, 'PORT must be a whole number from 0 to 65535.'],
  [{ PORT: '-1' }, 'PORT must be a whole number from 0 to 65535.'],
  [{ DATABASE_POOL: '1e1' }, 'DATABASE_POOL must be a whole number from 3 to 200.'],
  // What would fail later, one mail, batch or request at a time.
  [
    { HAULGATE_MAIL_FROM: 'Haulgate' },
    'HAULGATE_MAIL_FROM must be an e-mail address, or a name with one such as Haulgate <haulgate@example.com>.',
  ],
  [
    { HAULGATE_MAIL_FROM: 'Sand, Stone <us@haul.example>' },
    'HAULGATE_MAIL_FROM must be an e-mail address, or a name with one such as Haulgate <haulgate@example.com>.',
  ],
  [{ HAULGATE_GEOCODER: 'here' }, 'HAULGATE_GEOCODER_KEY must be set when HAULGATE_GEOCODER is here.'],
  [{ HAULGATE_TRUSTED_PROXIES: '10.0.0.1, 0.0.0.0/0' }, 'HAULGATE_TRUSTED_PROXIES must name the proxies, and not all addresses (/0).'],
  // What contradicts another setting, or itself.
  [{ PORT: '3100', HAULGATE_HEALTH_PORT: '3100' }, 'HAULGATE_HEALTH_PORT must be another port than PORT.'],
  [{ HAULGATE_HEALTH_PORT: '3000' }, 'HAULGATE_HEALTH_PORT must be another port than PORT.'],
  [
    { HAULGATE_SESSION_SECONDS: '3600', HAULGATE_REFRESH_SECONDS: '900' },
    'HAULGATE_REFRESH_SECONDS must be at least HAULGATE_SESSION_SECONDS: a session would end before its first token.',
  ],
  [
    { DATABASE_URL: 'postgres://u@db/x', DATABASE_READ_URLS: 'postgres://u@one/x, postgres://u@one/x' },
    'DATABASE_READ_URLS must name each replica once.',
  ],
])('a start with %j says: %s', (env, said) => {
  expect(saidOf(env)).toBe(said);
});

test('what is usual is taken as it is', () => {
  const env = {
    DATABASE_URL: 'postgres://haul%25gate:a%2Fb@one:5432,two:5432/haulgate?sslmode=require',
    DATABASE_OWNER_URL: 'postgresql:///haulgate?host=/var/run/postgresql',
    REDIS_URL: 'rediss://:secret@redis:6379/1',
    HAULGATE_SMTP_URL: 'smtps://us%40haul.example:pass@mail.example',
    HAULGATE_TRUSTED_PROXIES: '10.0.0.0/8, loopback, ::1, fd00::/8',
    HAULGATE_GEOCODER: 'openstreetmap',
    HAULGATE_TILE_ATTRIBUTION: '© OpenStreetMap contributors',
  };
  expect(readConfig(env)).toMatchObject({ ...env, HAULGATE_TRUSTED_PROXIES: ['10.0.0.0/8', 'loopback', '::1', 'fd00::/8'] });
  for (const from of [
    'us@haul.example',
    'Haulgate <no-reply@mailhost>',
    '"Sand, Stone" <us@haul.example>',
    String.raw`"Sand \"Sam\" Stone" <us@haul.example>`,
    '<us@haul.example>',
  ])
    expect(readConfig({ HAULGATE_MAIL_FROM: from }).HAULGATE_MAIL_FROM).toBe(from);
  // A worker listens on no other port.
  expect(readConfig({ HAULGATE_ROLE: 'worker', PORT: '3100', HAULGATE_HEALTH_PORT: '3100' }).HAULGATE_HEALTH_PORT).toBe(3100);
});
