import { ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DecimalScalar, DecimalType } from '../decimal.ts';
import { newId } from '../ids.ts';
import { DateTime, LocalDate } from '../scalars.ts';
import { presentTime } from '../worlds/present-time.ts';

/**
 * Column decorators: each is MikroORM's `@Property` and type-graphql's `@Field` in one, so that a column and the field it
 * serves cannot drift apart. `hidden` leaves the field out of the GraphQL type; columns are nullable unless `required`.
 */
export interface ColumnOptions {
  required?: boolean;
  hidden?: boolean;
  /** A required column whose field is null for viewers who may not see it. */
  masked?: boolean;
  /** Database default of a required flag; false by default. */
  default?: boolean;
  description?: string;
  deprecated?: string;
}

const column = (columnType: Record<string, unknown>, graphqlType: () => unknown, o: ColumnOptions = {}): PropertyDecorator => {
  const nullable = !o.required;
  return (target, key) => {
    Property({ ...columnType, nullable } as never)(target, key as string);
    if (o.hidden) return;
    Field(graphqlType as never, { nullable: nullable || o.masked === true, description: o.description, deprecationReason: o.deprecated })(
      target,
      key,
    );
  };
};

/** Unbounded text. */
export const Text = (o?: ColumnOptions) => column({ type: 'text' }, () => String, o);
/** 32-bit whole number. */
export const Whole = (o?: ColumnOptions) => column({ type: 'integer' }, () => Int, o);
export const Flag = (o?: ColumnOptions) =>
  column({ type: 'boolean', ...(o?.required ? { default: o.default ?? false } : {}) }, () => Boolean, o);
/** numeric(18,4): quantities, prices, percentages, distances; a decimal string on the wire. */
export const Numeric = (o?: ColumnOptions) => column({ type: DecimalType }, () => DecimalScalar, o);
/** Degrees, WGS 84, numeric(15,12): what surveyors send is kept to the last digit. */
export const Coordinate = (o?: ColumnOptions) => column({ type: new DecimalType(15, 12) }, () => DecimalScalar, o);
/** timestamptz(6). */
export const Instant = (o?: ColumnOptions) => column({ type: 'timestamptz', length: 6 }, () => DateTime, o);
/** A calendar date without a time, `YYYY-MM-DD`. */
export const Day = (o?: ColumnOptions) => column({ type: 'date' }, () => LocalDate, o);
export const Uuid = (o?: ColumnOptions) => column({ type: 'uuid' }, () => ID, o);
export const Uuids = (o?: ColumnOptions) =>
  column({ type: 'uuid[]', columnType: 'uuid[]', defaultRaw: `'{}'` }, () => [ID], { required: true, ...o });
export const Texts = ({ defaultRaw = `'{}'`, ...o }: ColumnOptions & { defaultRaw?: string } = {}) =>
  column({ type: 'text[]', columnType: 'text[]', defaultRaw }, () => [String], { required: true, ...o });
/** One of a string enum made with `stringEnum`. */
export const Choice = (choices: () => object, o?: ColumnOptions) => column({ type: 'text' }, choices, o);
export const Choices = (choices: () => object, { defaultRaw = `'{}'`, ...o }: ColumnOptions & { defaultRaw?: string } = {}) =>
  column({ type: 'text[]', columnType: 'text[]', defaultRaw }, () => [choices()], { required: true, ...o });

/** A to-one relation, read by the planner through its foreign key. */
export const One =
  (type: () => unknown, o: ColumnOptions & { column?: string } = {}): PropertyDecorator =>
  (target, key) => {
    const nullable = !o.required;
    ManyToOne(
      type as never,
      { ref: true, nullable, deleteRule: 'no action', updateRule: 'no action', ...(o.column ? { fieldName: o.column } : {}) } as never,
    )(target, key as string);
    if (!o.hidden) Field(type as never, { nullable: nullable || o.masked === true, description: o.description })(target, key);
  };

/** Names whose GraphQL spelling is their wire spelling (`to_pickup`, `RatePerHour`). */
export function stringEnum<const V extends readonly string[]>(
  name: string,
  values: V,
  description?: string,
): { readonly [K in V[number]]: K } {
  const choices = Object.fromEntries(values.map((v) => [v, v])) as { readonly [K in V[number]]: K };
  registerEnumType(choices, { name, description });
  return choices;
}

/** The columns of every record. Ids are UUID v7: they sort by time of creation. */
@ObjectType({ simpleResolvers: true })
export abstract class RecordBase {
  @PrimaryKey({ type: 'uuid' })
  @Field(() => ID)
  id: string = newId();

  @Property({ type: 'timestamptz', length: 6, defaultRaw: 'now()' })
  @Field(() => DateTime)
  createdAt: Date = presentTime();

  @Property({ type: 'timestamptz', length: 6, defaultRaw: 'now()', onUpdate: presentTime })
  @Field(() => DateTime)
  updatedAt: Date = presentTime();
}
