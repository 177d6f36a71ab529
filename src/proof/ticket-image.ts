import { Field, InputType } from 'type-graphql';
import { forgetBytes } from '../files/forget-bytes.ts';
import { takeUpload } from '../files/take-upload.ts';
import { emitEvent, type TxContext, transact } from '../platform/commands/transact.ts';
import { wakeWorkers } from '../platform/commands/wake-workers.ts';
import type { Context, RecordPath } from '../platform/context.ts';
import { worldTime } from '../platform/database/time/sandbox-time.ts';
import { Invalid, Missing } from '../platform/errors.ts';
import { About } from '../platform/model/about.ts';
import { readLater } from './reading/reading-tasks.ts';
import type { Ticket } from './ticket.entity.ts';
import { lockTicket } from './ticket-events.ts';

@InputType()
@About('Ticket')
export class SetTicketImageInput {
  @Field(() => String, { description: 'The signed id of a direct upload: a JPEG (DOMAIN 1.5).' }) image!: string;
}

const NO_PREVIEW = { previewId: null, previewMimeType: null, previewSize: null, previewDueAt: null, previewAttempts: 0 };

/** Sets the picture of a ticket, in place of an earlier one. @throws Missing, Denied, Invalid when it is approved or voided, or no JPEG */
export function setTicketImage(ctx: Context, path: RecordPath, input: SetTicketImageInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const ticket = await lockOpenTicket(tx, path);
    const upload = await takeUpload(tx, input.image, { model: 'Ticket', field: 'image' }, ['image/jpeg']);
    forgetBytes(tx, ticket.imageId, ticket.previewId);
    Object.assign(ticket, {
      imageId: upload.id,
      imageName: upload.fileName,
      imageSize: upload.byteSize,
      imageMimeType: upload.mimeType,
      foreignImageUrl: null,
      ...NO_PREVIEW,
      previewDueAt: worldTime(tx.tx),
    });
    await readLater(tx, ticket, upload.id);
    wakeWorkers(tx);
    emitEvent(tx, 'ticket.updated', ticket);
    return { id: ticket.id };
  });
}

/** Removes the picture of a ticket. @throws Missing, also without one, Denied, Invalid when it is approved or voided */
export function removeTicketImage(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const ticket = await lockOpenTicket(tx, path);
    if (!ticket.imageId && !ticket.foreignImageUrl) throw new Missing();
    forgetBytes(tx, ticket.imageId, ticket.previewId);
    Object.assign(ticket, { imageId: null, imageName: null, imageSize: null, imageMimeType: null, foreignImageUrl: null, ...NO_PREVIEW });
    emitEvent(tx, 'ticket.updated', ticket);
  });
}

async function lockOpenTicket(tx: TxContext, path: RecordPath): Promise<Ticket> {
  const ticket = await lockTicket(tx, path);
  if (ticket.state === 'new' || ticket.state === 'pending') return ticket;
  throw new Invalid([{ model: 'Ticket', field: '', key: 'ticket_not_editable', params: { state: ticket.state } }]);
}
