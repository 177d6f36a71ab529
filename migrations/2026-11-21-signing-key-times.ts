import { Migration } from '@mikro-orm/migrations';

/** When a key starts to sign: it is published before (src/identity/tokens/signing-keys.ts). */
export class SigningKeyTimes extends Migration {
  override up(): void {
    this.addSql('alter table signing_key add column signs_from timestamptz(6)');
    this.addSql('update signing_key set signs_from = created_at');
    // The default serves processes of the version before, which run while this one is rolled out.
    this.addSql('alter table signing_key alter column signs_from set not null, alter column signs_from set default now()');
  }
}
