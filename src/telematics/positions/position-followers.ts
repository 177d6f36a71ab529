import { DISTANCES } from '../distances/measure-days.ts';
import { fenceFollower } from '../fences/follow-fences.ts';
import type { PositionFollower, PositionSetFollower } from './position-follower.ts';

/** Everything that follows from positions. A line here is all that a follower needs. */
export const POSITION_FOLLOWERS: readonly (PositionFollower | PositionSetFollower)[] = [fenceFollower, DISTANCES];
