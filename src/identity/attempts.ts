import { TooMany } from '../platform/errors.ts';

/** Failed logins of one e-mail address before it has to wait, and how long they count (milliseconds). */
const MOST = 10;
const WINDOW = 5 * 60_000;
const REMEMBERED = 50_000;

/**
 * Slows down the guessing of passwords: after ten failures an address waits until the window has passed, whether it exists or not.
 * Kept in the memory of this process; several web processes allow that many each.
 */
export class Attempts {
  private readonly failures = new Map<string, { count: number; until: number }>();

  /** @throws TooMany with the seconds to wait */
  check(email: string): void {
    const failed = this.failures.get(keyOf(email));
    if (failed && failed.count >= MOST && failed.until > Date.now()) throw new TooMany(Math.ceil((failed.until - Date.now()) / 1000));
  }

  failed(email: string): void {
    const key = keyOf(email);
    const known = this.failures.get(key);
    if (this.failures.size >= REMEMBERED) this.failures.clear();
    if (known && known.until > Date.now()) known.count++;
    else this.failures.set(key, { count: 1, until: Date.now() + WINDOW });
  }

  succeeded(email: string): void {
    this.failures.delete(keyOf(email));
  }
}

function keyOf(email: string): string {
  return email.trim().toLowerCase().slice(0, 320);
}
