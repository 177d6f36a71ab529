import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { Conflict } from '../../platform/errors.ts';
import type { M2MClient } from './machine-client.entity.ts';
import { type RotateM2MClientInput, USUAL_OVERLAP } from './machine-client.inputs.ts';
import { newSecret } from './machine-clients.ts';
import { lockClient, mustHold } from './manage-machine-clients.ts';

/**
 * Gives a client a new secret. The present one also works until the overlap has passed or `endOldSecret` is called; with an overlap of 0
 * seconds every older secret ends at once. The caller learns a secret, and must therefore have all permissions of the client.
 * @throws Missing, Denied, Conflict for a revoked client or one that has two secrets already
 */
export async function rotateMachineClient(
  ctx: Context,
  path: RecordPath,
  input: RotateM2MClientInput = {},
): Promise<{ client: M2MClient; clientSecret?: string }> {
  let secretToShow: string | undefined;
  const client = await transact(ctx, async (tx) => {
    const client = await lockClient(tx, path);
    mustHold(tx, client);
    const now = worldTime(tx.tx);
    const overlap = input.overlapSeconds ?? USUAL_OVERLAP;
    if (overlap > 0 && (client.previousSecretExpiresAt?.getTime() ?? 0) > now.getTime())
      throw new Conflict([{ model: 'M2MClient', field: '', key: 'rotation_is_running' }]);
    const { secret, hash } = newSecret();
    Object.assign(client, {
      previousSecretHash: overlap > 0 ? client.secretHash : null,
      previousSecretExpiresAt: overlap > 0 ? new Date(now.getTime() + overlap * 1000) : null,
      secretHash: hash,
      secretMadeAt: now,
    });
    emitEvent(tx, 'm2m_client.rotated', client);
    secretToShow = secret;
    return client;
  });
  return { client, clientSecret: secretToShow };
}

/** Ends the older of two secrets before its time; does nothing when there is only one. @throws Missing, Denied, Conflict when revoked */
export function endOldSecret(ctx: Context, path: RecordPath): Promise<M2MClient> {
  return transact(ctx, async (tx) => {
    const client = await lockClient(tx, path);
    if (!client.previousSecretHash) return client;
    Object.assign(client, { previousSecretHash: null, previousSecretExpiresAt: null });
    emitEvent(tx, 'm2m_client.old_secret_ended', client);
    return client;
  });
}
