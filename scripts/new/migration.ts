import { migrationNames } from '../../src/platform/database/migrations.ts';

/**
 * A migration that does nothing yet.
 * @param folder where the others are: the new one comes after them, also when one of them is from a clock that is ahead
 * @param what verb and noun, such as `add-haul-zones`
 */
export function migrationFiles(folder: string, what: string): Record<string, string> {
  const last = migrationNames(folder).at(-1);
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)/.exec(last ?? '000001010000')!.map(Number);
  const next = Date.UTC(year!, month! - 1, day!, hour!, minute! + 1);
  const stamp = new Date(Math.max(Date.now(), next)).toISOString().replaceAll(/\D/g, '').slice(0, 12);
  const name = what.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return {
    [`${folder}/${stamp}-${what}.ts`]: `import { Migration } from '@mikro-orm/migrations';

/** TODO: what it changes, and why. */
export class ${name} extends Migration {
  override up(): void {
    this.addSql(\`
      -- TODO: the statements; the line above each "create index" gives the reason for it\`);
  }
}
`,
  };
}
