import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** OWASP's scrypt setting with 32 MB: N = 2^15, r = 8, p = 3. The parameters are kept in the hash, so they can be raised later. */
const COST = { ln: 15, r: 8, p: 3 };
const BYTES = 32;
const SHAPE = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/=-]+)\$([\w+/=-]+)$/;
/** Longer input only burns processor time. */
const LONGEST = 1024;

/** `$scrypt$ln=15,r=8,p=3$<salt>$<hash>` with a fresh salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, COST);
  return `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** True when the password fits the hash. Without a hash it costs the same and is false: absence must not be told by time. */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const match = SHAPE.exec(stored ?? '');
  const [, ln = COST.ln, r = COST.r, p = COST.p, salt = 'AAAAAAAAAAAAAAAAAAAAAA', hash = ''] = match ?? [];
  const expected = Buffer.from(hash, 'base64url');
  const actual = await derive(password.slice(0, LONGEST), Buffer.from(salt, 'base64url'), { ln: Number(ln), r: Number(r), p: Number(p) });
  return match !== null && password.length <= LONGEST && expected.length === actual.length && timingSafeEqual(expected, actual);
}

function derive(password: string, salt: Buffer, { ln, r, p }: typeof COST): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
  // The same text typed on two keyboards may differ in Unicode form.
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, BYTES, options, (error, key) => (error ? reject(error) : resolve(key))),
  );
}
