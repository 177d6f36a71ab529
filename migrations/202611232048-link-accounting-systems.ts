import { Migration } from '@mikro-orm/migrations';

/** Accounting systems of companies, their records, and what those are here (src/billing/accounting). */
export class LinkAccountingSystems extends Migration {
  override up(): void {
    const record = `
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),`;
    const linked = `${record}
        linked_account_id uuid not null references linked_account (id),
        external_key text not null,
        external_id text,
        data jsonb not null,
        mapped_by_hand boolean not null default false,`;
    this.addSql(`
      create table linked_account (${record}
        system text not null check (system in ('file', 'http')),
        name text not null,
        source_key text not null,
        status text not null default 'pending' check (status in ('pending', 'unlinked', 'linked', 'invalid')),
        synchronized_at timestamptz(6),
        last_error text,
        -- The lease of the worker, too; null when no import was asked for.
        next_import_at timestamptz(6),
        attempts integer not null default 0,
        -- Grows with each change of what is imported: what was read before is not stored after it.
        revision integer not null default 1
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index linked_account_page_idx on linked_account (company_id, created_at, id);
      -- A system is linked once for a company; who links it again finds its mappings.
      create unique index linked_account_source_key on linked_account (company_id, system, source_key);
      -- The worker claims the systems that have waited longest.
      create index linked_account_due_idx on linked_account (next_import_at) where next_import_at is not null;

      create table accounting_secret (
        linked_account_id uuid primary key references linked_account (id),
        sealed text not null
      );
      create table accounting_setup (
        id uuid primary key,
        company_id uuid not null references company (id),
        link_hash bytea not null unique,
        public_hash bytea unique,
        sealed text,
        expires_at timestamptz(6) not null
      );
      -- The sweeper deletes what has expired.
      create index accounting_setup_expires_idx on accounting_setup (expires_at);`);
    const tables = {
      linked_customer: 'customer_account_id uuid references account (id)',
      linked_vendor: 'vendor_account_id uuid references account (id)',
      linked_item: `itemizable_type text check (itemizable_type in ('AddOn', 'Service', 'LineItemType')),
        itemizable_id uuid, check ((itemizable_type is null) = (itemizable_id is null))`,
      linked_ledger_account: `type text check (type in ('AccountsPayable', 'AccountsReceivable'))`,
    };
    for (const [table, mapping] of Object.entries(tables))
      this.addSql(`
        create table ${table} (${linked}
          ${mapping}
        );`);
    this.addSql(`
      -- A system has each record once; an import finds them by their keys.
      create unique index linked_customer_key on linked_customer (linked_account_id, external_key);
      -- The records of a system in the order of creation.
      create index linked_customer_page_idx on linked_customer (linked_account_id, created_at, id);
      -- For the tenant condition.
      create index linked_customer_company_idx on linked_customer (company_id);
      -- A system has each record once; an import finds them by their keys.
      create unique index linked_vendor_key on linked_vendor (linked_account_id, external_key);
      -- The records of a system in the order of creation.
      create index linked_vendor_page_idx on linked_vendor (linked_account_id, created_at, id);
      -- For the tenant condition.
      create index linked_vendor_company_idx on linked_vendor (company_id);
      -- A system has each record once; an import finds them by their keys.
      create unique index linked_item_key on linked_item (linked_account_id, external_key);
      -- The records of a system in the order of creation.
      create index linked_item_page_idx on linked_item (linked_account_id, created_at, id);
      -- For the tenant condition.
      create index linked_item_company_idx on linked_item (company_id);
      -- A system has each record once; an import finds them by their keys.
      create unique index linked_ledger_account_key on linked_ledger_account (linked_account_id, external_key);
      -- The records of a system in the order of creation.
      create index linked_ledger_account_page_idx on linked_ledger_account (linked_account_id, created_at, id);
      -- For the tenant condition.
      create index linked_ledger_account_company_idx on linked_ledger_account (company_id);
      -- Two customers of a system are never one account (BILLING B12).
      create unique index linked_customer_account_key on linked_customer (customer_account_id, linked_account_id) where customer_account_id is not null;
      -- The same of vendors.
      create unique index linked_vendor_account_key on linked_vendor (vendor_account_id, linked_account_id) where vendor_account_id is not null;
      -- The same of items.
      create unique index linked_item_itemizable_key on linked_item (itemizable_id, linked_account_id) where itemizable_id is not null;`);
  }
}
