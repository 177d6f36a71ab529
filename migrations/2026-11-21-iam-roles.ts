import { Migration } from '@mikro-orm/migrations';

/** Roles as records: the eight built-in ones, under ids that are the same in every installation, and companies' own. */
export class IamRoles extends Migration {
  override up(): void {
    this.addSql(`create table iam_role (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid references company (id),
      key text,
      name text not null,
      description text,
      grants text[] not null default '{}',
      ordinality int not null,
      visible boolean not null default true,
      constraint iam_role_owner_check check ((company_id is null) = (key is not null))
    )`);
    // A person's built-in roles are found by key.
    this.addSql('create unique index iam_role_key_key on iam_role (key) where key is not null');
    // Two roles of a company with one name could not be told apart; also serves the list of a company's roles.
    this.addSql('create unique index iam_role_name_key on iam_role (company_id, lower(name)) where company_id is not null');
    this.addSql(`alter table app_user add column custom_role_ids uuid[] not null default '{}'`);
    // Whether anybody has a role is asked before it is deleted; nearly all people have built-in ones only.
    this.addSql(`create index app_user_custom_role_idx on app_user using gin (custom_role_ids) where custom_role_ids <> '{}'`);
    // A microsecond apart, so that people's roles are listed in this order.
    this.addSql(`insert into iam_role (id, created_at, updated_at, key, name, description, ordinality, visible)
      select id::uuid, at, at, key, name, description, n - 1, key <> 'platform_admin'
      from (values ${ROLES.map((role, n) => `(${[n + 1, ...role.map((text) => `'${text}'`)].join(', ')})`).join(',\n')})
        as role (n, id, key, name, description),
        lateral (select timestamptz '2026-01-01 00:00:00+00' + n * interval '1 microsecond') as made (at)`);
  }
}

const ROLES = [
  ['f3b031d2-a9fc-5ed7-af5b-477829d1a2d7', 'platform_admin', 'Platform Admin', 'Runs the installation; may do everything in every company'],
  ['feb19485-cd07-5d9b-816c-037e7cb3b336', 'company_admin', 'Company Admin', 'May do everything in the company and its children'],
  ['fe5ccd1e-c08e-57bc-9d6f-73fb116ef025', 'manager', 'Manager', 'Runs the work and its prices; sees settlements'],
  ['ad47b4c7-2568-5cd7-ba85-a6f63b8208dc', 'dispatcher', 'Dispatcher', 'Plans projects, orders and jobs; keeps master data'],
  ['a245b7d7-3b43-5d2a-a80f-b7bdc4767418', 'biller', 'Biller', 'Approves work, invoices and settles'],
  ['1d5b5052-326d-595a-bd36-23dffa1fdc0c', 'foreman', 'Foreman', 'Asks for orders and approves what came, on their own sites'],
  ['8f868405-03ba-5d72-b418-caae734b38d4', 'driver', 'Driver', 'Does their own jobs and sees their own pay'],
  ['d6fe269f-4c85-518a-8ae7-91e7dca9d507', 'it_admin', 'IT Admin', 'Keeps people, integrations and imports'],
];
