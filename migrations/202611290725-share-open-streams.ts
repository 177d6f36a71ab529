import { Migration } from '@mikro-orm/migrations';

export class ShareOpenStreams extends Migration {
  override up(): void {
    // Connections that stay open, by whom and process (src/platform/http/open-streams.ts). Unlogged: after a crash of the server the processes note them anew
    // within a second.
    this.addSql(`
      create unlogged table open_stream (
        holder text not null,
        process uuid not null,
        open integer not null check (open > 0),
        seen_at timestamptz(6) not null,
        primary key (holder, process)
      )`);
  }
}
