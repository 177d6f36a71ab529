import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Flag, RecordBase, Text, Uuid } from '../../platform/model/columns.ts';

/**
 * A part of the customer's works that cost is booked on. Belongs to an order or to a project; at most one is primary. One that was taken
 * away from its order belongs to neither: the work that was done under it tells of it.
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
