import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { findKept } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { AtMost } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import type { Where } from '../../platform/read/reader.ts';
import { Contact } from '../contacts/contact.entity.ts';
import { ContactInput } from '../contacts/contact.inputs.ts';
import { RoutingGeofence } from './geofence.entity.ts';
import { RoutingGeofenceInput } from './geofence.inputs.ts';
import { Site } from './site.entity.ts';
import { MOST_CONTACTS } from './site.inputs.ts';
import { addSiteGeofence, assignSiteContacts, assignSiteGeofences, updateSiteGeofence } from './site-geofences.ts';

const ContactConnection = connectionOf('Contact', () => Contact);
const RoutingGeofenceConnection = connectionOf('RoutingGeofence', () => RoutingGeofence);

@InputType()
@About('Site')
class ContactBulkAssignInput {
  @Field(() => [ContactInput], { nullable: true }) @AtMost(MOST_CONTACTS) contacts?: ContactInput[] | null;
}

@ArgsType()
class SitePath {
  @Field(() => ID) siteId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

@ArgsType()
class SitePageArgs extends PageArgs {
  @Field(() => ID) siteId!: string;
  @Field(() => ID, companyArg) companyId?: string | null;
}

const oldestFirst = { sort: { createdAt: 'asc' } };

/** The parts of a site: its contacts, and its geofences other than the main one. */
@Resolver()
export class SitePartsResolver {
  @Query(() => ContactConnection)
  @AnySignedIn()
  async siteContacts(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SitePageArgs) args: SitePageArgs,
  ): Promise<Connection<Contact>> {
    const where = [await ofSite(ctx, args)];
    return ctx.read.page(Contact, info, { ...pageOf(args), ...oldestFirst, where, shared: true });
  }

  @Query(() => RoutingGeofenceConnection)
  @AnySignedIn()
  async siteGeofences(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SitePageArgs) args: SitePageArgs,
  ): Promise<Connection<RoutingGeofence>> {
    const where = [await ofSite(ctx, args)];
    return ctx.read.page(RoutingGeofence, info, { ...pageOf(args), ...oldestFirst, where, shared: true });
  }

  @Query(() => RoutingGeofence)
  @AnySignedIn()
  async siteGeofence(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SitePath) path: SitePath,
    @Arg('id', () => ID) id: string,
  ): Promise<RoutingGeofence> {
    return ctx.read.one(RoutingGeofence, info, { id, where: [await ofSite(ctx, path)], shared: true });
  }

  @Mutation(() => Site, { description: 'Adds contacts to a site, changes some (by id) and removes some; those not named are kept.' })
  @Requires('edit_site')
  async assignSiteContacts(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SitePath) { siteId, companyId }: SitePath,
    @Arg('input', () => ContactBulkAssignInput) { contacts }: ContactBulkAssignInput,
  ): Promise<Site> {
    await assignSiteContacts(ctx, { id: siteId, companyId }, contacts ?? []);
    return ctx.read.one(Site, info, { id: siteId });
  }

  @Mutation(() => RoutingGeofence, { description: 'Adds a further geofence to a site.' })
  @Requires('edit_site')
  async createSiteGeofence(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SitePath) { siteId, companyId }: SitePath,
    @Arg('input', () => RoutingGeofenceInput) input: RoutingGeofenceInput,
  ): Promise<RoutingGeofence> {
    const { id } = await addSiteGeofence(ctx, { id: siteId, companyId }, input);
    return ctx.read.one(RoutingGeofence, info, { id, where: [of(siteId)] });
  }

  @Mutation(() => RoutingGeofence, { description: 'Changes a further geofence and returns it; if it was removed, as it was before.' })
  @Requires('edit_site')
  async updateSiteGeofence(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SitePath) path: SitePath,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => RoutingGeofenceInput) input: RoutingGeofenceInput,
  ): Promise<RoutingGeofence> {
    const read = () => ctx.read.one(RoutingGeofence, info, { id, where: [of(path.siteId)] });
    const before = input._destroy ? await read() : undefined;
    await updateSiteGeofence(ctx, { ...path, id }, input);
    return before ?? read();
  }

  @Mutation(() => [RoutingGeofence], {
    description: 'Adds further geofences to a site, changes some (by id) and removes some; those not named are kept. Returns all of them.',
  })
  @Requires('edit_site')
  async assignSiteGeofences(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SitePath) { siteId, companyId }: SitePath,
    @Arg('additionalGeofences', () => [RoutingGeofenceInput]) inputs: RoutingGeofenceInput[],
  ): Promise<RoutingGeofence[]> {
    await assignSiteGeofences(ctx, { id: siteId, companyId }, inputs);
    return ctx.read.list(RoutingGeofence, info, { where: [of(siteId)] });
  }
}

const of = (siteId: string): Where => ({ key: 'ofSite', sql: (t, p) => `${t}.site_id = ${p}`, cast: 'uuid', value: siteId });

/** The condition that a part belongs to a site that the viewer sees. @throws Missing also for a discarded site */
async function ofSite(ctx: Context, { siteId, companyId }: SitePath): Promise<Where> {
  const site = await findKept(ctx, Site, siteId, { companyId, shared: true });
  return of(site.id);
}

const pageOf = ({ siteId: _, ...args }: SitePageArgs) => args;
