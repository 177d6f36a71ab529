import type { Migration } from '@mikro-orm/migrations';

/**
 * Migrations up to here were never released: no version before has to live with them, and no table was large. All later ones are examined.
 */
export const BASELINE = '202611281200';

/** Tables that stay small however much work there is: a few rows for the server, or for each company. They may be rewritten and scanned. */
const SMALL = new Set(['company', 'company_counter', 'company_settings', 'iam_role', 'machine_client', 'sealing_key', 'signing_key']);

/**
 * The warnings that were looked at and are right all the same, by migration and by the beginning of their text, with the reason: such as dropping a column
 * that the version before does not use any more.
 */
export const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '202611281213-open-sandboxes': {
    'alter table company add constraint company_world_check': 'the version before makes no sandboxes, and all real companies are one world',
    'alter table account add constraint account_world_check': 'the same',
    'alter table company_share add constraint company_share_world_check': 'the same',
    'alter table app_user add constraint app_user_sandbox_': 'the same: people of real companies have what addresses they like',
  },
  '202611281524-tell-suppliers-apart': {
    'create unique index concurrently invoice_books_key':
      'it allows more than the key that it takes the place of: one invoice for each supplier',
    'drop index concurrently if exists invoice_job_key':
      'no statement names it in "on conflict"; invoice_books_key, made before, keeps what the version before relies on, for which no part is of material',
  },
  '202611282355-bill-loads-once': {
    'create unique index concurrently invoice_line_item_billed_key':
      'the version before bills a load once, too: where two of its requests would bill it twice at the same moment, one is refused',
    'drop index concurrently if exists invoice_line_item_load_idx':
      'no statement names it in "on conflict", and invoice_line_item_billed_key, made before, begins with the same column',
  },
  '202611282356-decide-billed-loads-last': {
    'alter table invoice_line_item add constraint invoice_line_item_billed_key':
      'the key is there already, and is decided at the end of a transaction from then on, which refuses less',
  },
  '202611282358-note-shared-records': {
    'delete from change_reader': 'a row for each reader of a feed of a company with which others share, which is written once an hour',
  },
  '202611290415-keep-shifts-apart': {
    'create unique index concurrently driver_day_shift_key':
      'it allows more than the key that it takes the place of: the version before writes no merged driver, and merges nobody who has two shifts of a date; docs/upgrading.md says to merge no drivers while both run',
    'drop index concurrently if exists driver_day_key':
      'no statement names it in "on conflict"; driver_day_shift_key, made before, begins with the same columns',
  },
  '202611290408-find-exports-of-invoices': {
    'create unique index concurrently invoice_export_key':
      'the version before exports no invoices by themselves, so it writes no row that has one',
  },
  '202611290045-mend-wages-of-projects': {
    'update project set wages': 'projects that were made since 27 November: few, and by a statement of its own, which is over at once',
  },
  '202611290406-find-changed-imports': {
    'asks the database':
      'the parts of the table are those that there are by then. Their indexes are built concurrently, and the one of the table takes these and builds nothing. One that is dropped first is there only after a run that failed, and PostgreSQL drops the index of a divided table in no other way',
  },
  '202611301653-note-links-for-their-sides': {
    'drop function note_job_assignment_':
      'only triggers call it, and each is made anew in the same transaction, under the same name or for more readers',
  },
  '202612010516-keep-bills-apart': {
    'create unique index concurrently vendor_bill_apart_key':
      'it allows more than the key that it takes the place of: the version before leaves the second bill of a number with the vendor who was merged',
  },
};

/** A part of a statement that makes it dangerous to a running product, and what to do instead. */
interface Rule {
  pattern: RegExp;
  says: string;
  /** Whether it is harmless for a table that is small. */
  smallMay?: boolean;
}

/** Parts of `alter table`. `x` is a name. */
const TABLE_RULES: readonly Rule[] = [
  {
    pattern: /^drop (?:column )?(?!constraint|expression|identity|not null|default)/,
    says: 'drops a column, which the version before reads: drop it in a later release, when nothing uses it',
  },
  {
    pattern: /^rename /,
    says: 'renames what the version before knows by its name: add the new one, fill both, and drop the old one in a later release',
  },
  {
    pattern: /^alter (?:column )?\S+ (?:set data )?type /,
    says: 'changes a type: the table is rewritten while nobody can use it, and the version before does not know the type. Add a column',
  },
  {
    pattern: /^alter (?:column )?\S+ set not null/,
    says: 'reads the whole table while nobody can use it, and the version before may write null. Add a check as not valid, and validate it in a migration of its own',
  },
  { pattern: /^alter (?:column )?\S+ drop default/, says: 'drops a default on which inserts of the version before rely' },
  {
    pattern: /^alter (?:column )?\S+ (?:drop expression|add generated)/,
    says: 'changes how a column gets its value, which the version before writes or leaves out',
  },
  {
    pattern:
      /^add (?:column )?(?:if not exists )?(?!constraint|primary|foreign|unique|check|exclude)\S+ .*\bgenerated always as (?!identity)/,
    says: 'computes a column for every row, so that the table is rewritten while nobody can use it',
  },
  {
    pattern:
      /^add (?:column )?(?:if not exists )?(?!constraint|primary|foreign|unique|check|exclude)\S+ (?:(?:small|big)?serial|.*\bgenerated (?:always|by default) as identity\b)/,
    says: 'numbers every row, so that the table is rewritten while nobody can use it',
  },
  {
    pattern: /^add (?:column )?(?:if not exists )?(?!constraint|primary|foreign|unique|check|exclude)\S+ (?!.*\bdefault\b).*\bnot null\b/,
    says: 'adds a required column without a default: the version before does not write it, and rows that are there have none',
  },
  {
    pattern:
      /^add (?:column )?(?:if not exists )?(?!constraint|primary|foreign|unique|check|exclude)\S+ .*\bdefault\b.*\b(?:gen_random_uuid|uuidv?\w*|random|clock_timestamp|timeofday|nextval)\s*\(/,
    says: 'gives every row a default of its own, so that the table is rewritten while nobody can use it',
  },
  {
    pattern: /^add (?:column )?(?:if not exists )?(?!constraint|primary|foreign|unique|check|exclude)\S+ .*\b(?:unique|primary key)\b/,
    says: 'builds an index while nobody can write: add the column, and its index in a migration of its own with create unique index concurrently',
    smallMay: true,
  },
  {
    pattern: /^add (?:column )?(?:if not exists )?(?!constraint|primary|foreign|unique|check|exclude)\S+ .*\bdefault\b.*\breferences\b/,
    says: 'checks a reference for every row while nobody can write',
    smallMay: true,
  },
  {
    pattern: /^add (?:column )?(?:if not exists )?(?!constraint|primary|foreign|unique|check|exclude)\S+ .*\bcheck\s*\(/,
    says: 'reads the whole table while nobody can use it: add the check as not valid, and validate it in a migration of its own',
    smallMay: true,
  },
  {
    pattern: /^add (?:constraint \S+ )?(?:check|foreign key)\b(?!.*\bnot valid\b)/,
    says: 'reads the whole table while nobody can write: add it as not valid, and validate it in a migration of its own',
    smallMay: true,
  },
  {
    pattern: /^add (?:constraint \S+ )?(?:unique|primary key|exclude)\b(?!.*\busing index\b)/,
    says: 'builds an index while nobody can write: create unique index concurrently, and add the constraint using it',
    smallMay: true,
  },
  {
    pattern: /^add (?:constraint \S+ )?not null\b(?!.*\bnot valid\b)/,
    says: 'reads the whole table while nobody can use it, and the version before may write null: add it as not valid, and validate it in a migration of its own',
    smallMay: true,
  },
  {
    pattern: /^validate constraint/,
    says: 'reads the whole table in the transaction of other migrations, whose locks last as long: a migration that is not transactional does it',
    smallMay: true,
  },
  { pattern: /^set (?:unlogged|logged|tablespace|access method|schema)\b/, says: 'rewrites or moves a table that the version before uses' },
  {
    pattern: /^attach partition/,
    says: 'reads the whole partition while nobody can use it: give it a check of the same condition first, and say so in ALLOWED',
  },
  {
    pattern: /^(?:enable|force) row level security/,
    says: 'hides rows from the version before, which does not say for whom it asks',
  },
  {
    // Also on small tables, and also if it is not asked of the rows that are there.
    pattern: /^add (?:constraint \S+ )?(?:check|foreign key|not null|unique|primary key|exclude)\b/,
    says: 'refuses what the version before may still write: let this version keep to it first, and add it in the next release, or say in ALLOWED why the version before never does',
  },
  {
    pattern: /^detach partition(?!.*concurrently)/,
    says: 'waits for everybody who reads the table, and everybody waits for it: detach concurrently',
  },
];

/** A statement that names its table in the group `table`, and what is wrong with it. */
const STATEMENT_RULES: readonly Rule[] = [
  {
    pattern: /^drop (?:table|view|materialized view|type|sequence|schema) (?:if exists )?(?<table>\S+)/,
    says: 'drops what the version before uses: in a later release, when nothing uses it',
  },
  {
    pattern: /^drop (?:function|procedure) (?:if exists )?(?<table>[^\s(]+)/,
    says: 'drops a function that the version before may call: replace it, or drop it in a later release',
  },
  {
    pattern: /^alter (?:function|view|materialized view|type|sequence|schema) (?<table>\S+).* rename /,
    says: 'renames what the version before knows by its name',
  },
  {
    pattern: /^create (?:unique )?index (?!concurrently)(?:(?:if not exists )?(?!on )\S+ )?on (?:only )?(?<table>[^\s(]+)/,
    says: 'builds an index while nobody can write: create it concurrently, in a migration that is not transactional',
    smallMay: true,
  },
  {
    pattern: /^create unique index (?:concurrently )?(?:(?:if not exists )?(?!on )\S+ )?on (?:only )?(?<table>[^\s(]+)/,
    says: 'refuses what the version before may still write twice: say in ALLOWED why it never does',
  },
  {
    pattern: /^drop index (?!concurrently)/,
    says: 'waits for everybody who uses the table, and everybody waits for it: drop it concurrently, in a migration that is not transactional',
  },
  {
    pattern: /^drop index concurrently (?:if exists )?(?<table>\S+)/,
    says: 'drops what the version before may need, for "on conflict" or to answer in time: say in ALLOWED why it does not',
  },
  {
    pattern: /^drop (?<kind>trigger|policy) (?:if exists )?(?<table>\S+) on/,
    says: 'drops what the version before relies on: replace it in the same migration, or say in ALLOWED why nothing does',
  },
  {
    pattern: /^create policy \S+ on (?<table>\S+) as restrictive/,
    says: 'refuses what the version before may still read or write',
  },
  {
    pattern: /^create table (?:if not exists )?\S+ partition of (?<table>\S+)/,
    says: 'waits for everybody who reads the table, and everybody waits for it: the product makes partitions ahead',
  },
  { pattern: /^create materialized view/, says: 'reads whole tables in the transaction of other migrations' },
  {
    pattern: /(?:^|\bas (?:(?:not )?materialized )?\( ?)(?:update|delete from|merge into) (?:only )?(?<table>\S+)/,
    says: 'changes rows of a table that may have millions, and keeps them locked until all migrations have run: a worker or a migration that is not transactional does it in batches',
    smallMay: true,
  },
  { pattern: /^(?:truncate|lock)(?: table)? (?:only )?(?<table>\S+)/, says: 'keeps everybody out of a table' },
  { pattern: /^(?:cluster|vacuum full|reindex (?!.*concurrently))/, says: 'rewrites tables or indexes while nobody can use them' },
  { pattern: /^revoke .* on (?:table )?(?<table>\S+) from/, says: 'takes a right that the version before uses' },
];

/** Returns a statement in one line and lower case, without comments and the contents of quotes and functions. */
const plain = (sql: string): string =>
  sql
    .replaceAll(/\/\*[\s\S]*?\*\//g, ' ')
    .replaceAll(/--[^\n]*/g, ' ')
    // The body of a function is checked when it is called.
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();

const nameOf = (written: string | undefined): string =>
  (written ?? '')
    .replaceAll('"', '')
    .replace(/^public\./, '')
    .replace(/[;,(].*$/, '');

/** Splits at commas that are in no parentheses. */
function partsOf(text: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth++;
    if (letter === ')') depth--;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}

/** The blocks of a statement that PostgreSQL runs at once (`do $$ ... $$`), and the statement without them. */
function blocksOf(sql: string): { blocks: string[]; rest: string } {
  const blocks: string[] = [];
  const rest = sql.replaceAll(/\bdo\s+(?:language\s+\w+\s+)?\$(\w*)\$([\s\S]*?)\$\1\$/gi, (_, __, block: string) => {
    blocks.push(block);
    return '';
  });
  return { blocks, rest };
}

/** The functions that the statements make, and whether each raises an exception. */
function raisingIn(statements: readonly string[]): Map<string, boolean> {
  const raising = new Map<string, boolean>();
  const made = /\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+([^\s(]+)[\s\S]*?\$(\w*)\$([\s\S]*?)\$\2\$/gi;
  for (const sql of statements)
    for (const [, name, , body] of sql.replaceAll(/--[^\n]*/g, ' ').matchAll(made))
      raising.set(nameOf(name!.toLowerCase()), /\braise\s+(?!notice|warning|info|log|debug)/i.test(body!));
  return raising;
}

/** A statement that is put together while it runs says nothing about itself. */
const DYNAMIC = /\bexecute (?!function|procedure)/;

/**
 * Says what of a migration a running product would not survive: what rewrites or locks a table that may be large, and what the version before cannot
 * live with. Tables that the migration makes itself are nobody's yet.
 * @param transactional whether it runs in one transaction with others
 * @param there the indexes that migrations before it have made
 */
export function problemsOf(statements: readonly string[], transactional = true, there: ReadonlySet<string> = new Set()): string[] {
  const problems: string[] = [];
  const all: { text: string; single: boolean }[] = [];
  const raising = raisingIn(statements);
  for (const sql of statements) {
    const { blocks, rest } = blocksOf(sql);
    for (const block of blocks) {
      if (DYNAMIC.test(plain(block))) problems.push('a block puts statements together that cannot be examined: write them out');
      // Behind `begin`, `then`, `loop` and `else` statements begin, too.
      for (const one of plain(block).split(/;|\b(?:begin|then|loop|else)\b/)) all.push({ text: one.trim(), single: false });
    }
    const texts = plain(rest)
      .split(';')
      .map((one) => one.trim())
      .filter(Boolean);
    for (const text of texts) all.push({ text, single: texts.length === 1 && blocks.length === 0 });
  }
  const made = new Set(
    all.flatMap(
      ({ text }) =>
        nameOf(/^create (?:unlogged )?(?:table|view|materialized view|type|sequence|schema) (?:if not exists )?(\S+)/.exec(text)?.[1]) ||
        [],
    ),
  );
  const functions = new Set(
    all.flatMap(({ text }) => nameOf(/^create (?:or replace )?(?:function|procedure) ([^\s(]+)/.exec(text)?.[1]) || []),
  );
  // An index that a migration drops and makes again is there all the time: it is one transaction, or an index that had failed.
  const replaced = new Set(
    all.flatMap(({ text }) => {
      const [, kind, name] =
        /^create (?:or replace )?(?:unique |constraint )?(index|trigger|policy) (?:concurrently )?(?:if not exists )?(\S+)/.exec(text) ??
        [];
      if (name) return [`${kind} ${nameOf(name)}`];
      const [, into] = /^alter index (?:if exists )?\S+ rename to (\S+)/.exec(text) ?? [];
      return into ? [`index ${nameOf(into)}`] : [];
    }),
  );
  // Without a transaction, what is dropped first is gone for as long as the new one is built.
  const isGap = (text: string, at: number): boolean => {
    const name = nameOf(/^drop index (?:concurrently )?(?:if exists )?(\S+)/.exec(text)?.[1]);
    const makes = new RegExp(`^create (?:unique )?index (?:concurrently )?(?:if not exists )?${name} `);
    return !transactional && there.has(name) && all.slice(at).some((later) => makes.test(later.text));
  };
  const judge = (rules: readonly Rule[], text: string, table: string | undefined, whole: string) => {
    for (const { pattern, says, smallMay } of rules) {
      const found = pattern.exec(text);
      if (!found) continue;
      const of = table ?? nameOf(found.groups?.table);
      if (made.has(of) || functions.has(of) || (smallMay && SMALL.has(of))) continue;
      const dropped = /^drop (index|trigger|policy) /.exec(text)?.[1];
      if (dropped && replaced.has(`${dropped} ${of}`)) continue;
      problems.push(`${whole.slice(0, 100)}: ${says}`);
      // The first rule says the worst.
      return;
    }
  };
  for (const [at, { text, single }] of all.entries()) {
    if (/^drop index /.test(text) && isGap(text, at))
      problems.push(
        `${text.slice(0, 100)}: nobody has the index until the new one is built: create that under another name, drop this one, and rename`,
      );
    const [, table, actions] = /^alter table (?:if exists )?(?:only )?(\S+) (.*)$/.exec(text) ?? [];
    if (actions) {
      for (const part of partsOf(actions)) {
        if (!transactional && /^validate constraint/.test(part)) continue;
        judge(TABLE_RULES, part, nameOf(table), `alter table ${nameOf(table)} ${part}`);
      }
      continue;
    }
    const concurrently = /^(?:create (?:unique )?index|drop index|reindex .*) concurrently\b/.test(text);
    if (concurrently && transactional)
      problems.push(`${text.slice(0, 100)}: PostgreSQL refuses it in a transaction: let the migration be not transactional`);
    if (concurrently && !single)
      problems.push(`${text.slice(0, 100)}: needs an addSql of its own, or it is in one transaction with the statements around it`);
    judge(STATEMENT_RULES, text, undefined, text);
    const trigger = /^create (?:or replace )?(?:constraint )?trigger \S+ .*?\bon (\S+) .*\bexecute (?:function|procedure) ([^\s(]+)/.exec(
      text,
    );
    if (trigger && !made.has(nameOf(trigger[1])) && raising.get(nameOf(trigger[2])) !== false)
      problems.push(
        `${text.slice(0, 100)}: its function ${raising.has(nameOf(trigger[2])) ? 'raises exceptions' : 'is not of this migration, so that it may raise'}, which refuses what the version before may still write: say in ALLOWED why it never does`,
      );
  }
  if (!transactional && all.some(({ text }) => /^(?:create table|alter table (?!.* validate constraint))/.test(text)))
    problems.push(
      'a migration that is not transactional also makes or alters tables: if it fails in the middle, it is half done. Make two of it',
    );
  return problems;
}

/** The same for migrations that are not in the baseline, without what is allowed; each with the name of its migration. */
export async function rollingProblems(migrations: readonly { name: string; class: Function }[]): Promise<string[]> {
  const problems: string[] = [];
  const there = new Set<string>();
  for (const { name, class: made } of migrations) {
    if (name.slice(0, BASELINE.length) < BASELINE) continue;
    const found = await problemsIn(made, there);
    const allowed = Object.keys(ALLOWED[name] ?? {});
    problems.push(...found.filter((one) => !allowed.some((beginning) => one.startsWith(beginning))).map((one) => `${name}: ${one}`));
  }
  return problems;
}

const MAKES_INDEX = /\bcreate\s+(?:unique\s+)?index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(?!on\s)(\S+)/gi;

/**
 * Has a migration say its statements, without a database.
 * @param there the indexes that those before it have made; its own come in addition
 */
async function problemsIn(made: Function, there: Set<string>): Promise<string[]> {
  const driver = { execute: () => Promise.reject(new Error('asks the database')) };
  const migration = Reflect.construct(made, [driver, {}]) as Migration;
  try {
    await migration.up();
  } catch (error) {
    return [
      `${(error as Error).message}: it cannot be examined. Write its statements by addSql, and say in ALLOWED why they depend on what is there`,
    ];
  }
  const statements = migration.getQueries().map(String);
  const problems = problemsOf(statements, migration.isTransactional(), there);
  for (const sql of statements) for (const [, name] of sql.matchAll(MAKES_INDEX)) there.add(nameOf(name!.toLowerCase()));
  return problems;
}
