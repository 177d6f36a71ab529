import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { RecordBase, Text } from '../../platform/model/columns.ts';

/** The ids of the built-in types of line items, the same in every installation. */
export const LINE_ITEM_TYPES = {
  InvoiceLineItem: '018cc251-f400-7000-8000-0c0000000001',
  MaterialRateLineItem: '018cc251-f400-7000-8000-0c0000000002',
  FreightRateLineItem: '018cc251-f400-7000-8000-0c0000000003',
} as const;

/** The kind of a line of an invoice: work, its freight alone, or the material. Built in, the same for every company. */
@Entity()
@ObjectType({ simpleResolvers: true })
export class LineItemType extends RecordBase {
  @Text({ required: true }) name!: string;
}
