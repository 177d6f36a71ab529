import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const ROUNDS = 4_096;
const derive = promisify(pbkdf2);

/**
 * Returns what PostgreSQL keeps of a password (RFC 5803), so that the password itself is in no statement and no log.
 * @param password of ASCII, which is compared as it is
 */
export async function scramVerifier(password: string): Promise<string> {
  const salt = randomBytes(16);
  const salted = await derive(password, salt, ROUNDS, 32, 'sha256');
  const key = (name: string) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`;
}
