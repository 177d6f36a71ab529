import { expect, test } from '@jest/globals';
import type { Group } from '../../src/console/report/report-data.ts';
import { seriesOf } from '../../src/console/report/series.ts';

const loads = { measure: 'loads', unit: null };
const group = (value: string, keys: readonly (readonly [value: string | null, label: string | null])[]): Group => ({
  keys: keys.map(([of, label], at) => ({ dimension: at === 0 ? 'driver' : 'material', value: of, label })),
  values: [{ ...loads, value }],
});

test('two records of one name are plotted by themselves, as the table has them', () => {
  const groups = [group('3', [['1', 'Ada King']]), group('5', [['2', 'Ada King']]), group('1', [[null, null]])];
  expect(seriesOf(groups, loads)).toEqual({ labels: ['Ada King', 'Ada King', 'none'], series: [{ label: '', data: [3, 5, 1] }] });
  const ada = ['1', 'Ada King'] as const;
  const twice = [
    group('3', [ada, ['7', 'Sand']]),
    group('5', [ada, ['8', 'Sand']]),
    group('2', [
      ['2', 'Ben'],
      ['8', 'Sand'],
    ]),
  ];
  expect(seriesOf(twice, loads)).toEqual({
    labels: ['Ada King', 'Ben'],
    series: [
      { label: 'Sand', data: [3, null] },
      { label: 'Sand', data: [5, 2] },
    ],
  });
});
