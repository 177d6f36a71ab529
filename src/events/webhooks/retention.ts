import type { EntityManager } from '@mikro-orm/postgresql';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { archiveSettings, DELIVERY_DAYS } from '../../platform/storage/archive-settings.ts';

/** Deletes what was sent long ago; it is locked first, which needs the right to change it. */
export const OLD_WEBHOOKS = definePurpose('old_webhooks', {
  webhook_delivery: ['select (id, company_id, created_at)', 'update (id)', 'delete'],
});

const BATCH = 5_000;
const DELETE = `delete from webhook_delivery where id = any(array(
  select id from webhook_delivery where created_at < now() - ${DELIVERY_DAYS} * interval '1 day' and (not $1 or is_sandbox(company_id)) order by created_at limit ${BATCH} for update skip locked))`;

/**
 * Deletes deliveries that are older than 30 days, with their attempts, in pieces that lock nobody out; unless they go into archives first, as all do
 * but those of sandboxes.
 */
export async function deleteOldWebhooks(em: EntityManager): Promise<void> {
  const { on } = archiveSettings.of(em);
  for (;;) {
    const deleted = await runAsPurpose(OLD_WEBHOOKS, async () => (await poolOf(em)).query(DELETE, [on]));
    if ((deleted.rowCount ?? 0) < BATCH) return;
  }
}
