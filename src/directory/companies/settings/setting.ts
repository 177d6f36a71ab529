import { Property } from '@mikro-orm/decorators/legacy';
import { Field, Int } from 'type-graphql';
import { Decimal, DecimalScalar, DecimalType } from '../../../platform/decimal.ts';
import { Amount, Range } from '../../../platform/graphql/rules.ts';

/** The facts of a setting that inputs and SQL use. */
interface Setting {
  decorateInput: PropertyDecorator;
  /** The default as SQL writes it. */
  sql: string;
}

/** The settings that a class declares, by its prototype. */
const declared = new WeakMap<object, Map<string, Setting>>();
const settingsOf = (type: { prototype: object }): ReadonlyMap<string, Setting> => declared.get(type.prototype) ?? new Map();

/**
 * A setting that is on or off: its column, its field and its input field in one.
 * @param usual what it is for a company that did not choose
 */
export const Switch = (usual: boolean, description: string): PropertyDecorator => declare('boolean', () => Boolean, usual, { description });

/**
 * A setting that is a whole number: its column, its field and its input field in one.
 * @param usual what it is for a company that did not choose
 * @param range both ends are allowed
 */
export const Count = (usual: number, range: { from: number; to: number }, description: string): PropertyDecorator =>
  declare('integer', () => Int, usual, { description, rule: Range(range.from, range.to) });

/**
 * A setting that is a number with up to four decimals: its column, its field and its input field in one.
 * @param usual what it is for a company that did not choose
 * @param range both ends are allowed
 */
export const Portion = (usual: string, range: { from: number; to: number }, description: string): PropertyDecorator =>
  declare(DecimalType, () => DecimalScalar, new Decimal(usual), { description, rule: Amount(range.from, range.to) });

/**
 * A setting that is one of a few names: its column, its field and its input field in one.
 * @param usual what it is for a company that did not choose
 */
export const OneOf = <E extends object>(values: () => E, usual: keyof E & string, description: string): PropertyDecorator =>
  declare('text', values, usual, { description });

function declare(
  column: string | typeof DecimalType,
  type: () => typeof Boolean | typeof Int | object,
  usual: boolean | number | string | Decimal,
  { description, rule }: { description: string; rule?: PropertyDecorator },
): PropertyDecorator {
  return (prototype, name) => {
    const initial = usual instanceof Decimal ? { defaultRaw: usual.toString() } : { default: usual };
    Property({ type: column, ...initial } as never)(prototype, name as string);
    Field(type as never, { description })(prototype, name);
    const decorateInput: PropertyDecorator = (input, field) => {
      Field(type as never, { nullable: true, description })(input, field);
      rule?.(input, field);
    };
    const settings = declared.get(prototype) ?? new Map<string, Setting>();
    declared.set(prototype, settings);
    settings.set(String(name), { decorateInput, sql: typeof usual === 'string' ? `'${usual}'` : String(usual) });
  };
}

/** Gives an input class a field for each setting of a class. */
export function addSettings(input: { prototype: object }, of: { prototype: object }): void {
  for (const [name, { decorateInput }] of settingsOf(of)) decorateInput(input.prototype, name);
}

/** The names of all settings of a class. */
export const settingNames = (of: { prototype: object }): readonly string[] => [...settingsOf(of).keys()];

/** The default of a setting as SQL writes it. @throws Error for a name that is no setting of the class */
export function usualSql(of: { prototype: object }, name: string): string {
  const setting = settingsOf(of).get(name);
  if (!setting) throw new Error(`${name} is no setting`);
  return setting.sql;
}
