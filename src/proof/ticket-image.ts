import { Field, InputType } from 'type-graphql';
import { fileBase } from '../files/file-url.ts';
import { takeUpload } from '../files/take-upload.ts';
import { afterCommit, record, type TxContext, transact } from '../platform/commands/transact.ts';
import type { Context } from '../platform/context.ts';
import { Invalid, Missing } from '../platform/errors.ts';
import { storage } from '../platform/storage/storage.ts';
import type { Ticket } from './ticket.entity.ts';
import { lockTicket, type TicketPath } from './ticket-events.ts';

/** Where the picture of a ticket is served, in OpenAPI spelling. */
export const TICKET_IMAGE_PATH = '/v1/tickets/{id}/image/file';

@InputType()
export class SetTicketImageInput {
  @Field(() => String, { description: 'The signed id of a direct upload: a JPEG (DOMAIN 1.5).' }) image!: string;
}

/** Gives a ticket its picture, in place of an earlier one. @throws Missing, Denied, Invalid when it is approved or voided, or no JPEG */
export function setTicketImage(ctx: Context, path: TicketPath, input: SetTicketImageInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const ticket = await lockOpenTicket(tx, path);
    const upload = await takeUpload(tx, input.image, { model: 'Ticket', field: 'image' }, ['image/jpeg']);
    forget(tx, ticket);
    Object.assign(ticket, {
      imageId: upload.id,
      imageName: upload.fileName,
      imageSize: upload.byteSize,
      imageMimeType: upload.mimeType,
      imageUrl: fileBase() + TICKET_IMAGE_PATH.replace('{id}', ticket.id),
    });
    record(tx, 'ticket.updated', ticket);
    return { id: ticket.id };
  });
}

/** Takes the picture of a ticket away. @throws Missing, also without one, Denied, Invalid when it is approved or voided */
export function removeTicketImage(ctx: Context, path: TicketPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const ticket = await lockOpenTicket(tx, path);
    if (!ticket.imageUrl) throw new Missing();
    forget(tx, ticket);
    Object.assign(ticket, { imageId: null, imageName: null, imageSize: null, imageMimeType: null, imageUrl: null });
    record(tx, 'ticket.updated', ticket);
  });
}

async function lockOpenTicket(tx: TxContext, path: TicketPath): Promise<Ticket> {
  const ticket = await lockTicket(tx, path);
  if (ticket.state === 'new' || ticket.state === 'pending') return ticket;
  throw new Invalid([{ model: 'Ticket', field: '', key: 'ticket_not_editable', params: { state: ticket.state } }]);
}

/** What stays when the storage is away is an orphan, which the sweeper removes. */
function forget(tx: TxContext, { imageId }: Ticket): void {
  if (!imageId) return;
  afterCommit(
    tx,
    () =>
      void storage()
        .remove(imageId)
        .catch((error) => tx.report?.(error)),
  );
}
