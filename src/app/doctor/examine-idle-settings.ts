import { type Config, readConfig } from '../config.ts';
import { type Finding, look } from './finding.ts';

/** Settings that do something only together with another one. */
interface Group {
  names: readonly (keyof Config)[];
  works(config: Config): boolean;
  /** What happens in place of what they are for, and what to do. */
  says: string;
}

const GROUPS: readonly Group[] = [
  {
    names: [
      'HAULGATE_S3_BUCKET',
      'HAULGATE_S3_REGION',
      'HAULGATE_S3_ENDPOINT',
      'HAULGATE_S3_ACCESS_KEY_ID',
      'HAULGATE_S3_SECRET_ACCESS_KEY',
      'HAULGATE_S3_PATH_STYLE',
    ],
    works: (config) => config.HAULGATE_FILES === 's3',
    says: 'HAULGATE_FILES is local, so that files are kept in HAULGATE_DATA and not in a bucket. Set it to s3',
  },
  {
    names: ['HAULGATE_SMS_TOKEN', 'HAULGATE_SMS_FROM', 'HAULGATE_SMS_URL'],
    works: (config) => config.HAULGATE_SMS_ACCOUNT !== '',
    says: 'HAULGATE_SMS_ACCOUNT is not set, so that text messages become files in HAULGATE_DATA/sms. Set it',
  },
  {
    names: ['HAULGATE_GEOCODER_KEY'],
    works: (config) => config.HAULGATE_GEOCODER !== 'none',
    says: 'HAULGATE_GEOCODER is none, so that imported sites without coordinates get none. Name the service there',
  },
  {
    names: ['HAULGATE_GEOCODER_URL'],
    works: (config) => config.HAULGATE_GEOCODER === 'openstreetmap',
    says: 'HAULGATE_GEOCODER is not openstreetmap, so that this server is not asked. Set it to that',
  },
  {
    names: ['HAULGATE_FUEL_PRICES_KEY', 'HAULGATE_FUEL_PRICES_URL'],
    works: (config) => config.HAULGATE_FUEL_PRICES !== 'none',
    says: 'HAULGATE_FUEL_PRICES is none, so that no prices are read. Set it to eia',
  },
  {
    names: ['HAULGATE_TILE_ATTRIBUTION'],
    works: (config) => config.HAULGATE_TILE_URL !== undefined,
    says: 'HAULGATE_TILE_URL is not set, so that there are no tiles. Set it',
  },
  {
    names: ['HAULGATE_EXTERNAL_AUDIENCE', 'HAULGATE_EXTERNAL_USER_CLAIM', 'HAULGATE_EXTERNAL_CLIENT_CLAIM'],
    works: (config) => config.HAULGATE_EXTERNAL_ISSUER !== undefined,
    says: 'HAULGATE_EXTERNAL_ISSUER is not set, so that no tokens of others are accepted. Set it',
  },
  {
    names: ['HAULGATE_TICKET_READER_PRIVATE'],
    works: (config) => config.HAULGATE_TICKET_READER_URL !== undefined,
    says: 'HAULGATE_TICKET_READER_URL is not set, so that no pictures are read. Set it',
  },
  {
    names: [
      'HAULGATE_ARCHIVE_AUDIT_YEARS',
      'HAULGATE_ARCHIVE_IMPORT_YEARS',
      'HAULGATE_ARCHIVE_EVENT_DAYS',
      'HAULGATE_ARCHIVE_DELETE_AUDIT_YEARS',
      'HAULGATE_ARCHIVE_DELETE_IMPORT_YEARS',
      'HAULGATE_ARCHIVE_DELETE_DELIVERY_YEARS',
      'HAULGATE_ARCHIVE_DELETE_EVENT_YEARS',
      'HAULGATE_ARCHIVE_DELETE_POSITION_DAYS',
    ],
    works: (config) => config.HAULGATE_ARCHIVES === 'on',
    says: 'HAULGATE_ARCHIVES is off, so that nothing is archived, and no archive is deleted. Set it to on',
  },
  {
    names: ['HAULGATE_ADMIN_EMAIL'],
    works: (config) => config.HAULGATE_DEMO === 'off',
    says: 'HAULGATE_DEMO is on, so that nobody is invited. Set it to off',
  },
];

/** Finds settings that somebody has changed, and that change nothing because the one that they belong to was forgotten. */
export function examineIdleSettings(config: Config): Finding[] {
  const usual = readConfig({});
  return GROUPS.filter(({ works }) => !works(config)).flatMap(({ names, says }) => {
    const set = names.filter((name) => config[name] !== usual[name]);
    const [first, ...others] = set;
    if (first === undefined) return [];
    const [subject, them] = others.length > 0 ? [`and ${others.join(', ')} do`, 'them'] : ['does', 'it'];
    return [look(first, `${subject} nothing: ${says}, or remove ${them}.`)];
  });
}
