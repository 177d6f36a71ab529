import { Migration } from '@mikro-orm/migrations';

/** Credentials, machine clients and signing keys (src/identity). */
export class Identity extends Migration {
  override up(): void {
    this.addSql(`create table credential (
      id uuid primary key,
      user_id uuid not null constraint credential_user_id_key unique references app_user (id),
      password_hash text not null,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now()
    )`);
    this.addSql(`create table machine_client (
      id uuid primary key,
      company_id uuid not null references company (id),
      name text not null,
      client_id text not null constraint machine_client_client_id_key unique,
      secret_hash text not null,
      permissions text[] not null default '{}',
      discarded_at timestamptz(6),
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now()
    )`);
    this.addSql('create index machine_client_company_idx on machine_client (company_id, created_at, id)');
    this.addSql(`create table signing_key (
      id uuid primary key,
      kid text not null constraint signing_key_kid_key unique,
      algorithm text not null,
      public_jwk jsonb not null,
      private_jwk jsonb not null,
      created_at timestamptz(6) not null default now(),
      retired_at timestamptz(6)
    )`);
  }
}
