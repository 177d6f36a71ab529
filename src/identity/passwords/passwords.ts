import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { Algorithm, hash, verify } from '@node-rs/argon2';
import { normalize } from '../../platform/normalize.ts';

/** OWASP's smallest setting of argon2id: 19 MB, two passes. The parameters are kept in the hash, so they can be raised later. */
const COST = { algorithm: 2 as Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The beginning of a hash with the present cost; another hash is replaced when its password is next known. */
const CURRENT = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;
/** The hash of a password that nobody knows. It is compared when there is no hash. */
const DECOY = `${CURRENT}AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;
/** Longer input only burns processor time. */
export const LONGEST_PASSWORD = 1024;

/** `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>` with a fresh salt. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalized(password), COST);
}

/** True when the password fits the hash. Without a hash it takes as long and is false: the time must not show that there is none. */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const tried = password.length <= LONGEST_PASSWORD ? password : '';
  const fits = stored?.startsWith('$scrypt$') ? await verifyScrypt(tried, stored) : await verifyArgon(tried, stored);
  return fits && stored !== undefined && password.length <= LONGEST_PASSWORD;
}

/** Whether a hash was made in another way than new ones. */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith(CURRENT);
}

/** The same text typed on two keyboards may differ in Unicode form (NIST SP 800-63B, section 3.1.1.2). */
export function normalized(password: string): string {
  return normalize(password, 'NFC');
}

function verifyArgon(password: string, stored: string | undefined): Promise<boolean> {
  return verify(stored?.startsWith('$argon2id$') ? stored : DECOY, normalized(password));
}

const SCRYPT = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/=-]+)\$([\w+/=-]+)$/;

/** The hashes of earlier versions, which normalised by NFKC. */
async function verifyScrypt(password: string, stored: string): Promise<boolean> {
  const [, ln, r, p, salt = '', expected = ''] = SCRYPT.exec(stored) ?? [];
  if (!expected) return false;
  const wanted = Buffer.from(expected, 'base64url');
  const options: ScryptOptions = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: 256 * 2 ** Number(ln) * Number(r) };
  const actual = await new Promise<Buffer>((resolve, reject) =>
    scrypt(password.normalize('NFKC'), Buffer.from(salt, 'base64url'), wanted.length, options, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
  return timingSafeEqual(wanted, actual);
}
