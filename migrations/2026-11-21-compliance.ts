import { Migration } from '@mikro-orm/migrations';

/** What a company wants to see of its vendors, drivers and trucks, and what it has seen (src/directory/compliance). */
export class Compliance extends Migration {
  override up(): void {
    this.addSql(`create table compliance_document_type (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      name text not null,
      external_id text,
      description text,
      field_type text not null check (field_type in ('none', 'string', 'number', 'date', 'boolean')),
      has_expiration boolean not null,
      dispatch_gating boolean not null,
      required_vendors boolean not null,
      required_internal_drivers boolean not null,
      required_shared_drivers boolean not null,
      required_equipment boolean not null,
      discarded_at timestamptz(6)
    )`);
    // Two kinds of one name could not be told apart.
    this.addSql(
      'create unique index compliance_document_type_name_key on compliance_document_type (company_id, lower(name)) where discarded_at is null',
    );
    this.addSql(`create table compliance_document (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      compliance_document_type_id uuid not null references compliance_document_type (id),
      compliant_type text not null check (compliant_type in ('Account', 'User', 'Equipment')),
      compliant_id uuid not null,
      value text,
      expires_at timestamptz(6),
      notification_sent_at timestamptz(6),
      discarded_at timestamptz(6)
    )`);
    // The documents of one vendor, driver or truck, and the one of a kind that holds longest.
    this.addSql(`create index compliance_document_of_idx on compliance_document
      (company_id, compliant_id, compliance_document_type_id, expires_at desc nulls first) where discarded_at is null`);
  }
}
