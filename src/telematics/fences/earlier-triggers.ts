import type { Job } from '../../dispatch/model/job.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { GeofenceTrigger } from './geofence-trigger.entity.ts';

/** A crossing `o` that was seen: neither disproved nor on the road past the geofence. */
export const SEEN = (o: string): string => `${o}.state <> 'superseded' and ${o}.skip_reason is distinct from 'crossed'`;

/**
 * True if a person has undone or refused the same crossing, and the geofence was not crossed the other way since (PROOF A5). Late positions
 * may date it anew, and it stays the same crossing.
 */
export async function isRefused(tx: TxContext, record: GeofenceTrigger): Promise<boolean> {
  const { assetId, fenceId, geofenceTriggerType: type, occurredAt, id } = record;
  const rows = await queryIn(
    tx.em,
    `select g.id from geofence_trigger g where g.asset_id = $1 and g.fence_id = $2 and g.geofence_trigger_type = $3 and g.id <> $4
       and g.skip_reason in ('undone', 'dismissed') and not exists (select 1 from geofence_trigger o where o.asset_id = $1 and o.fence_id = $2
         and o.geofence_trigger_type <> $3 and ${SEEN('o')} and o.occurred_at > least(g.occurred_at, $5) and o.occurred_at < greatest(g.occurred_at, $5))
     limit 1`,
    [assetId, fenceId, type, id, occurredAt],
  );
  return rows.length > 0;
}

/** The entry of a job's driver into the drop-off that waits for the pickup to be left, if they are still inside. That of a former driver says nothing of this truck. */
export async function waitingOf(tx: TxContext, job: Job): Promise<GeofenceTrigger | null> {
  const [row] = await queryIn<{ id: string }>(
    tx.em,
    `select g.id from geofence_trigger g where g.job_id = $1 and g.asset_id = $2 and g.state = 'proposed' and g.skip_reason = 'overlap'
       and not exists (select 1 from geofence_trigger o where o.asset_id = g.asset_id and o.fence_id = g.fence_id
         and o.geofence_trigger_type = 'exit' and ${SEEN('o')} and o.occurred_at > g.occurred_at)
     order by g.occurred_at desc limit 1`,
    [job.id, job.driver?.id ?? null],
  );
  return row ? tx.em.findOne(GeofenceTrigger, { id: row.id }, { filters: { tenant: false } }) : null;
}
