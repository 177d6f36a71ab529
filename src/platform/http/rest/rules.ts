import type { GraphQLInputField } from 'graphql';
import { Extensions } from 'type-graphql';
import { Decimal, readDecimal } from '../../decimal.ts';

/**
 * Ranges and lengths of input fields, written beside the field so that both faces, the OpenAPI file and the error collector read
 * the same declaration: `@Field(() => Int) @Range(1, 200) truckCount!: number`.
 */
export interface Rule {
  /** What OpenAPI calls it. */
  schema: Record<string, unknown>;
  /** The message when the (never null) value breaks the rule. */
  check(value: unknown): Broken | undefined;
}

interface Broken {
  key: string;
  params: Record<string, string | number>;
}

/** A number from `min` to `max`, both inclusive; leave one undefined for a half-open range. */
export function Range(min: number | undefined, max?: number): PropertyDecorator {
  return Extensions({ rules: [rangeRule(min, max)] }) as PropertyDecorator;
}

/** A text of `min` to `max` characters, or a list of as many elements. */
export function Length(min: number, max: number): PropertyDecorator {
  return Extensions({ rules: [lengthRule(min, max)] }) as PropertyDecorator;
}

export function rulesOf(field: GraphQLInputField): readonly Rule[] {
  return (field.extensions?.rules as Rule[] | undefined) ?? [];
}

function rangeRule(min: number | undefined, max: number | undefined): Rule {
  return {
    schema: { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) },
    check(value): Broken | undefined {
      const number = readDecimal(value) ?? new Decimal(0);
      const broken = (min !== undefined && number.lt(min)) || (max !== undefined && number.gt(max));
      if (!broken) return undefined;
      if (min === undefined) return { key: 'at_most', params: { max: max as number } };
      return max === undefined ? { key: 'at_least', params: { min } } : { key: 'out_of_range', params: { min, max } };
    },
  };
}

function lengthRule(min: number, max: number): Rule {
  return {
    schema: { minLength: min, maxLength: max },
    check(value) {
      const length = (value as string | unknown[]).length;
      return length < min || length > max ? { key: 'wrong_length', params: { min, max } } : undefined;
    },
  };
}
