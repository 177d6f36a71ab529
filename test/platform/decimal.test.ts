import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseValue } from 'graphql';
import { Decimal, DecimalScalar, DecimalType, decimalText, fitsNumeric, readDecimal } from '../../src/platform/decimal.ts';
import { Invalid } from '../../src/platform/errors.ts';

test.each([
  [12.5, '12.5'],
  ['12.5000', '12.5'],
  ['0012.50', '12.5'],
  ['-0.0', '0'],
  ['-0.5', '-0.5'],
  ['-0', '0'],
  ['100', '100'],
  ['100.000', '100'],
  ['.5', '0.5'],
  ['+7', '7'],
  [1e-7, '0.0000001'],
  ['99999999999999.9999', '99999999999999.9999'],
  ['1e3', '1000'],
])('reads %p as the decimal string %s', (input, text) => {
  expect(DecimalScalar.serialize(DecimalScalar.parseValue(input))).toBe(text);
});

test.each([
  [Number.NaN, 'decimal_invalid'],
  [Number.POSITIVE_INFINITY, 'decimal_invalid'],
  ['', 'decimal_invalid'],
  ['twelve', 'decimal_invalid'],
  ['Infinity', 'decimal_invalid'],
  ['0x10', 'decimal_invalid'],
  ['1,5', 'decimal_invalid'],
  ['1e9999999', 'decimal_invalid'],
  [true, 'decimal_invalid'],
  [null, 'decimal_invalid'],
  [[1], 'decimal_invalid'],
  ['9'.repeat(65), 'decimal_invalid'],
  [1e300, 'decimal_out_of_range'],
  ['100000000000000', 'decimal_out_of_range'],
  // Rounds up to fifteen digits.
  ['99999999999999.99995', 'decimal_out_of_range'],
  ['-100000000000000', 'decimal_out_of_range'],
])('refuses %p with %s', (input, key) => {
  expect(() => DecimalScalar.parseValue(input)).toThrow(expect.objectContaining({ extensions: { key } }));
});

test('literals of GraphQL documents keep every digit', () => {
  expect(decimalText(DecimalScalar.parseLiteral(parseValue('12345678901234.5678'), {}))).toBe('12345678901234.5678');
  expect(() => DecimalScalar.parseLiteral(parseValue('true'), {})).toThrow();
});

test('every numeric(18,4) is unchanged after serializing and parsing', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }), (units) => {
      const exact = new Decimal(units.toString()).div(10_000);
      expect(decimalText(exact.toFixed(4))).toBe(decimalText(exact));
      expect(readDecimal(decimalText(exact.toFixed(4)))?.eq(exact)).toBe(true);
      expect(fitsNumeric(exact)).toBe(true);
    }),
  );
});

test('the column rounds half up to four places, and a value that does not fit is a 422', () => {
  const type = new DecimalType();
  expect(type.convertToDatabaseValue(new Decimal('1.00005'))).toBe('1.0001');
  expect(type.convertToDatabaseValue(new Decimal('-1.00005'))).toBe('-1.0001');
  expect(type.convertToDatabaseValue(null)).toBeNull();
  expect(type.convertToJSValue('12.5000')).toEqual(new Decimal('12.5'));
  expect(() => type.convertToDatabaseValue(new Decimal('1e14'))).toThrow(Invalid);
  expect(type.getColumnType({} as never)).toBe('numeric(18,4)');
});
