import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Flag, RecordBase, Text, Uuid } from '../../platform/model/columns.ts';

/**
 * A part of the customer's works on which cost is booked. It belongs to an order or to a project; at most one of them is primary. A phase
 * that was removed from its order belongs to neither, and is kept for the work that was done under it.
 */
@Entity()
@ObjectType({ simpleResolvers: true })
export class Phase extends RecordBase {
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Uuid({ hidden: true }) orderId?: string | null;
  @Uuid({ hidden: true }) projectId?: string | null;
  @Text({ required: true }) name!: string;
  @Text() code?: string | null;
  @Flag({ required: true }) primary: boolean = false;
}
