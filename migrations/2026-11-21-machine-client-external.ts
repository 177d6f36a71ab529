import { Migration } from '@mikro-orm/migrations';

/** Machine clients that sign in at an identity provider of the deployment (src/identity/tokens/external-issuer.ts). */
export class MachineClientExternal extends Migration {
  override up(): void {
    this.addSql('alter table machine_client add column external_client_id text');
    // One client answers to a name: a token must not stand for two. It also finds the client of each token.
    this.addSql(
      'create unique index machine_client_external_key on machine_client (external_client_id) where external_client_id is not null and discarded_at is null',
    );
  }
}
