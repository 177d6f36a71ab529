import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { jsonPgSmartTags } from 'postgraphile/utils';

/**
 * PostGraphile 5 on the database of the bench, as somebody would run it who wants row-level security: its statements run in the application's role, and
 * the settings say which company they are for. It has no authentication and no limits.
 */
const { DATABASE_URL, BENCH_COMPANY_ID, PORT } = process.env;
const pgSettings = { role: 'haulgate_app', 'app.company_ids': `{${BENCH_COMPANY_ID}}`, 'app.work': 'on' };
// Waypoints belong to a route, which is no table, so that the schema has no key for them.
const routes = jsonPgSmartTags({
  version: 1,
  config: {
    class: {
      'public.orders': { tags: { unique: 'route_id' } },
      'public.waypoint': { tags: { foreignKey: '(route_id) references public.orders (route_id)|@foreignFieldName waypoints' } },
    },
  },
});
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [routes],
  pgServices: [makePgService({ connectionString: DATABASE_URL, schemas: ['public'], poolConfig: { max: 10 } })],
  schema: { defaultBehavior: '-insert -update -delete' },
  grafast: { context: () => ({ pgSettings }) },
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
});
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(Number(PORT), '127.0.0.1', () => process.send?.('ready'));
