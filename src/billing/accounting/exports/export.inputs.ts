import { Field, InputType } from 'type-graphql';
import { About } from '../../../platform/model/about.ts';
import { DateTime } from '../../../platform/scalars.ts';

@InputType()
@About('Invoice')
export class NoteInvoiceExportInput {
  @Field(() => DateTime, { nullable: true, description: 'When it came into accounting; null if it is not there. It has to be said.' })
  exportedAt?: Date | null;
}
