import { domainToASCII } from 'node:url';
import { Migration } from '@mikro-orm/migrations';

/**
 * E-mail addresses are kept with their domain in ASCII, and looked for so: those that were kept in letters are written anew. Where somebody
 * else has the address in ASCII, both were here before and only people can tell which of them stays.
 */
export class AsciiDomains extends Migration {
  override async up(): Promise<void> {
    for (const table of ['app_user', 'contact']) {
      const rows = await this.execute(`select distinct email from ${table} where split_part(email, '@', 2) ~ '[^\\x01-\\x7f]'`);
      for (const { email } of rows as { email: string }[]) {
        const [name, domain] = email.split('@') as [string, string];
        const ascii = domainToASCII(domain);
        const free = `not exists (select 1 from app_user o where lower(o.email) = lower(?) and o.discarded_at is null and not o.unclaimed)`;
        const when = table === 'app_user' ? `and (discarded_at is not null or unclaimed or ${free})` : '';
        const changed = `${name}@${ascii}`;
        if (ascii)
          await this.execute(`update ${table} set email = ? where email = ? ${when}`, [changed, email, ...(when ? [changed] : [])]);
      }
    }
  }
}
