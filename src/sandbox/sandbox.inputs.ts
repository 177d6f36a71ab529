import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { Length } from '../platform/graphql/rules.ts';
import { About } from '../platform/model/about.ts';
import { connectionOf, PageArgs } from '../platform/read/connection.ts';
import { DateTime } from '../platform/scalars.ts';
import { Sandbox } from './sandbox.entity.ts';
import { SandboxMessage } from './sandbox-message.entity.ts';

export const SandboxConnection = connectionOf('Sandbox', () => Sandbox);
export const SandboxMessageConnection = connectionOf('SandboxMessage', () => SandboxMessage);

@InputType({ description: 'The purpose of a sandbox.' })
export class CreateSandboxInput {
  @Field(() => String, { description: 'The name of its company.' }) @Length(1, 200) name!: string;
}

@About('Sandbox')
@InputType({ description: 'Where to move the clock: to a time, or forward by seconds.' })
export class MoveSandboxClockInput {
  @Field(() => DateTime, { nullable: true, description: 'The time that it is to show.' }) time?: Date | null;
  @Field(() => Int, { nullable: true, description: 'Seconds by which it is moved forward.' }) seconds?: number | null;
}

@ArgsType()
export class SandboxListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}
