import { Migration } from '@mikro-orm/migrations';

/** Counters that the processes of one database share (src/platform/http/rate-limits.ts), in the shape of rate-limiter-flexible. */
export class RateLimit extends Migration {
  override up(): void {
    // Unlogged: after a crash everybody starts anew, which costs nothing, and a counter is not worth a write to the log.
    this.addSql(`create unlogged table rate_limit (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    )`);
    // The sweep of what has expired.
    this.addSql('create index rate_limit_expire_idx on rate_limit (expire)');
  }
}
