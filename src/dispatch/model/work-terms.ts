import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Contact } from '../../directory/contacts/contact.entity.ts';
import { Department, Service, ServiceClass } from '../../directory/master-data/named.entities.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { User } from '../../directory/people/user.entity.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Flag, Numeric, One, RecordBase, Text, Uuids, Whole } from '../../platform/model/columns.ts';
import { Many } from '../../platform/model/decorators.ts';

/** The rates of each side: a rate card, or a value, which takes precedence. */
@ObjectType({ simpleResolvers: true })
export abstract class Rated extends RecordBase {
  @One(() => Rate) customerRate?: Ref<Rate> | null;
  @Numeric() customerRateValue?: Decimal | null;
  @Choice(() => RateType) customerRateType?: RateType | null;
  @One(() => Rate) vendorRate?: Ref<Rate> | null;
  @Numeric() vendorRateValue?: Decimal | null;
  @Choice(() => RateType) vendorRateType?: RateType | null;
  @One(() => Rate) driverRate?: Ref<Rate> | null;
  @Numeric() driverRateValue?: Decimal | null;
  @Choice(() => RateType) driverRateType?: RateType | null;
}

/** The people of a piece of work. Arrays of user ids: the importer replaces them as a whole (SPEC: array update patterns). */
@ObjectType({ simpleResolvers: true })
export abstract class Crewed extends Rated {
  @Uuids({ hidden: true }) foremanIds: string[] = [];
  @Uuids({ hidden: true }) collaboratorIds: string[] = [];
  @Uuids({ hidden: true }) salespersonIds: string[] = [];
  @Many(() => User, { ids: 'foremanIds' }) foremen!: User[];
  @Many(() => User, { ids: 'collaboratorIds' }) collaborators!: User[];
  @Many(() => User, { ids: 'salespersonIds' }) salespeople!: User[];
  @One(() => Contact) salesContact?: Ref<Contact> | null;
  @One(() => Contact) foremanContact?: Ref<Contact> | null;
  @One(() => Contact) supervisorContact?: Ref<Contact> | null;
  @One(() => Contact) collaboratorContact?: Ref<Contact> | null;

  @Choice(() => RateType) haulerRateType?: RateType | null;
}

/** The terms that a project sets for its orders, and that an order may set for itself. */
@ObjectType({ simpleResolvers: true })
export abstract class WorkTerms extends Crewed {
  @Text() externalId?: string | null;
  @Text() poJobNumber?: string | null;
  @Text() notes?: string | null;
  @Text() orderNotes?: string | null;
  @Text() jobNotes?: string | null;
  @Text() internalNotes?: string | null;
  @Text() chargeToAccount?: string | null;
  @One(() => Service) service?: Ref<Service> | null;
  @One(() => ServiceClass) serviceClass?: Ref<ServiceClass> | null;
  @One(() => Department) department?: Ref<Department> | null;
  @One(() => User) requester?: Ref<User> | null;
  /** Minutes. */
  @Whole() jobTime?: number | null;
  @Whole() truckCount?: number | null;
  @Whole() loadsPerTruck?: number | null;
  @Whole() unitsPerHour?: number | null;
  @Numeric() jobQuantity?: Decimal | null;
  @Choice(() => UnitOfMeasure) jobUnitOfMeasure?: UnitOfMeasure | null;
  @Choice(() => UnitOfMeasure) loadUnitOfMeasure?: UnitOfMeasure | null;
  @Numeric() equipmentTypeGrossCapacity?: Decimal | null;
  @Choice(() => UnitOfMeasure) equipmentTypeGrossCapacityUnitOfMeasure?: UnitOfMeasure | null;
  @Flag({ required: true }) recurringLoads: boolean = false;
  @Flag({ required: true }) chaseMissingTickets: boolean = false;
  @Flag({ required: true }) defaultDigitalTicketView: boolean = false;
  /** Percent, up to 4 decimals. */
  @Numeric() taxRate?: Decimal | null;
  @Flag({ required: true }) taxFreight: boolean = false;
  @Flag({ required: true }) taxMaterial: boolean = false;
  @Flag({ required: true }) taxAddOns: boolean = false;
}
