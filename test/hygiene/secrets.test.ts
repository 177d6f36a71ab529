import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readAudit } from '../../scripts/hygiene/advisories.ts';
import { findSecrets } from '../../scripts/hygiene/secrets.ts';
import { findTrackedSecrets } from '../../scripts/hygiene/tracked.ts';

let drawn = 0;
/** The same in every run: dice that happen to look like words would fail one run in a hundred. */
const bytes = (count: number) =>
  Buffer.concat(Array.from({ length: Math.ceil(count / 64) }, () => hash('sha512', `canary ${++drawn}`, 'buffer'))).subarray(0, count);
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const dice = (count: number, of: string) => Array.from(bytes(count), (byte) => of[byte % of.length]).join('');
const word = (count: number) => dice(count, `${LETTERS}0123456789`);
const upper = (count: number) => dice(count, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
const hex = (count: number) => dice(count, '0123456789abcdef');
const digits = (count: number) => dice(count, '123456789');
const base64 = (count: number) => bytes(count).toString('base64');
const key = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** Put together at run time, so that this file holds none itself. */
const CANARIES: [file: string, text: string][] = [
  ['keys/server.pem', key.privateKey],
  ['src/key.ts', `export const KEY = ${JSON.stringify(key.privateKey)};`],
  ['deploy/aws.env', `AWS_ACCESS_KEY_ID=AK${'IA'}${upper(16)}`],
  ['deploy/aws-secret.env', `AWS_SECRET_ACCESS_KEY=${base64(30)}`],
  ['web/map.html', `<script src="https://maps.invalid/js?key=AI${'za'}${word(35)}"></script>`],
  ['config/google.json', `{ "client_secret": "GOC${'SPX'}-${word(28)}" }`],
  ['config/azure.yaml', `blob: DefaultEndpointsProtocol=https;Account${'Key'}=${base64(64)}`],
  ['scripts/release.sh', `export GH=gh${'p_'}${word(36)}`],
  ['scripts/fine.sh', `git clone https://github${'_pat'}_${word(22)}_${word(59)}@github.com/a/b`],
  ['.gitlab-ci.yml', `  TOKEN: gl${'pat'}-${word(20)}`],
  ['.npmrc', `//registry.npmjs.org/:_authToken=npm${'_'}${word(36)}`],
  ['tools/upload.py', `upload("py${'pi'}-${word(80)}")`],
  ['notify.ts', `post('xo${'xb'}-${digits(12)}-${digits(12)}-${word(24)}')`],
  ['notify.md', `Post to https://hooks.slack.${'com'}/services/T${upper(8)}/B${upper(8)}/${word(24)}`],
  ['chat.rb', `BOT = "${digits(9)}:A${'A'}${word(33)}"`],
  ['pay.ts', `const stripe = new Stripe('sk_li${'ve'}_${word(24)}')`],
  ['shop.env', `SHOP=shp${'at'}_${hex(32)}`],
  ['sms.yaml', `sid: S${'K'}${hex(32)}`],
  ['mail.ts', `sendgrid('S${'G'}.${word(22)}.${word(43)}')`],
  ['mailgun.ini', `api = ke${'y'}-${hex(32)}`],
  ['ai.env', `MODEL_KEY=s${'k'}-proj-${word(48)}`],
  ['cloud.tf', `do = "do${'p'}_v1_${hex(64)}"`],
  ['vault.hcl', `login hv${'s'}.${word(28)}`],
  ['session.txt', `cookie: ey${'J'}${word(30)}.ey${'J'}${word(60)}.${word(43)}`],
  ['compose.yml', `DATABASE_URL: postgres://haulgate:${word(14)}@db.internal:5432/haulgate`],
  ['curl.sh', `curl -H "Authorization: Bas${'ic'} ${base64(30)}" https://a.invalid`],
  ['settings.toml', `client_secret = "${word(32)}"`],
  ['app.properties', `mail.password=${word(10)}!${word(10)}`],
  ['src/signing.ts', `const seal = Buffer.from('${base64(36)}', 'base64');`],
  ['src/hash.ts', `const pepper = '${hex(64)}';`],
];

test('thirty planted secrets are found, each in its file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'haulgate-canaries-'));
  try {
    for (const [file, text] of CANARIES) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `first line\n\n${text}\n`);
    }
    writeFileSync(join(folder, 'picture.png'), Buffer.from([0, 1, 2, 3]));
    execFileSync('git', ['init', '-q'], { cwd: folder });
    execFileSync('git', ['add', '-A', '-f'], { cwd: folder });
    const { files, found } = findTrackedSecrets(folder);
    expect(CANARIES).toHaveLength(30);
    expect(files).toBe(30);
    expect([...new Set(found.map(({ file }) => file))].sort()).toEqual(CANARIES.map(([file]) => file).sort());
    expect(found.every(({ line }) => line === 3)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('this repository contains no secrets', () => {
  const { files, found } = findTrackedSecrets('.');
  expect(files).toBeGreaterThan(500);
  expect(found).toEqual([]);
});

test('examples, names and checksums are no secrets', () => {
  const plain = [
    'DATABASE_URL=postgres://user:password@host:port/database',
    "const token = await issueToken(em, 'session', user.id);",
    'password: process.env.DATABASE_PASSWORD,',
    'client_secret: "your-client-secret-goes-here"',
    "import { something } from '../../src/platform/http/rest/idempotency.ts';",
    'id: "01a1fd12-49a9-746c-beab-86950729c404"',
    "const alphabet = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz';",
  ];
  expect(findSecrets('a.ts', plain.join('\n'))).toEqual([]);
  expect(findSecrets('package-lock.json', `"integrity": "sha512-${base64(64)}"`)).toEqual([]);
});

test('vulnerabilities of high severity and worse count, and an audit that did not run is reported', () => {
  const via = [{ title: 'Reads beyond its end', url: 'https://a.invalid/1', severity: 'high' }];
  const report = {
    vulnerabilities: { a: { severity: 'high', via }, b: { severity: 'critical', via: ['a'] }, c: { severity: 'moderate', via } },
  };
  expect(readAudit(JSON.stringify(report))).toEqual({
    done: true,
    serious: ['a (high): Reads beyond its end https://a.invalid/1', 'b (critical): through a'],
  });
  expect(readAudit('{"vulnerabilities":{}}')).toEqual({ done: true, serious: [] });
  expect(readAudit('{"message":"405 Method Not Allowed","error":{"summary":""}}')).toEqual({ done: false, why: '405 Method Not Allowed' });
  expect(readAudit('')).toEqual({ done: false, why: 'npm said nothing' });
});
