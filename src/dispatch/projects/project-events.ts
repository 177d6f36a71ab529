import type { ActivityState } from '../../directory/master-data/activity-state.ts';
import { lockMaster } from '../../directory/master-data/master-data.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Conflict } from '../../platform/errors.ts';
import { Project } from '../model/project.entity.ts';

const PROJECTS = { entity: Project };

/** DOMAIN 1.9: an inactive project takes no new orders; running work continues. @throws Missing, Denied, Conflict if it is in that state */
export function setProjectState(ctx: Context, path: RecordPath, state: ActivityState): Promise<Project> {
  return transact(ctx, async (tx) => {
    const project = await lockMaster(tx, PROJECTS, path, 'edit_project');
    if (project.state === state) {
      const event = state === 'active' ? 'activate' : 'deactivate';
      throw new Conflict([{ model: 'Project', field: 'state', key: 'state_already', state, event, params: { state } }]);
    }
    project.state = state;
    emitEvent(tx, `project.${state === 'active' ? 'activated' : 'deactivated'}`, project);
    return project;
  });
}

/** Discards a project: lists and forms no longer show it, but its orders do. @throws Missing, Denied */
export function discardProject(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const project = await lockMaster(tx, PROJECTS, path, 'delete_project');
    project.discardedAt = tx.tx.now;
    emitEvent(tx, 'project.discarded', project);
  });
}
