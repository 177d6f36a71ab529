import { metricMessages } from './metrics/metric.messages.ts';
import { MetricResolver } from './metrics/metric.resolver.ts';

/** The entities of the room. */
export const entities = [];

/** The room's messages. */
export const messages = [metricMessages];

/** The fields of the room's interface. */
export const resolvers: Function[] = [MetricResolver];
