import { sql } from 'kysely'

/**
 * Whether no organization of the account wants a session to be over by now. Asked on every call, so
 * that a new rule and a new membership count for sessions that were opened before.
 */
export const WITHIN_SESSION_HOURS = sql<boolean>`not exists (
  select from memberships
  join organizations on organizations.id = memberships.organization_id
  where memberships.account_id = sessions.account_id
    and memberships.state = 'active'
    and sessions.created_at <= now() - organizations.session_hours * interval '1 hour')`
