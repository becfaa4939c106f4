import {
  addKnowledge,
  createAssistant,
  deleteAssistant,
  listAssistants,
  removeKnowledge,
  showAssistant,
  showKnowledge,
  updateAssistant,
} from './assistants.ts';
import { repeatAnalysis, resendCallback, stopCall } from './call-actions.ts';
import { linkRecording, listCalls, showCall } from './calls.ts';
import {
  beginConsent,
  confirmConsent,
  createConnection,
  disconnectConnection,
  listChoices,
  listConnections,
  refuseConsent,
  replaceToken,
  sendTestEvent,
  showConnection,
  updateConnection,
} from './connections.ts';
import { listCreditEntries } from './credit.ts';
import { addDoNotCall, listDoNotCall, removeDoNotCall } from './do-not-call.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { explainLead, listLeadEvents, retryLeads } from './leads.ts';
import { revealCallbackSecret, rotateCallbackSecret, showOrganization, updateOrganization } from './organization.ts';
import { showOverview } from './overview.ts';
import { changeRole, inviteMember, listAuditEntries, listMembers, removeMember, showMe, updateMe } from './people.ts';
import type { DashboardRoute } from './route.ts';
import { changePassword, refreshSession, requestPasswordReset, resetPassword, signIn, signOut } from './session.ts';
import { placeTestCall } from './test-calls.ts';

/**
 * Every route of the dashboard's API, by the name of its function. Infrastructure, the browser's client, the
 * authorization tests and docs/dashboard.md derive from it or are compared with it.
 */
export const dashboardRoutes = {
  'sign-in': signIn,
  'refresh-session': refreshSession,
  'sign-out': signOut,
  'request-password-reset': requestPasswordReset,
  'reset-password': resetPassword,
  'show-me': showMe,
  'update-me': updateMe,
  'change-password': changePassword,
  'list-members': listMembers,
  'invite-member': inviteMember,
  'change-role': changeRole,
  'remove-member': removeMember,
  'list-audit-entries': listAuditEntries,
  'show-overview': showOverview,
  'list-calls': listCalls,
  'show-call': showCall,
  'link-recording': linkRecording,
  'place-test-call': placeTestCall,
  'list-assistants': listAssistants,
  'create-assistant': createAssistant,
  'show-assistant': showAssistant,
  'update-assistant': updateAssistant,
  'delete-assistant': deleteAssistant,
  'add-knowledge': addKnowledge,
  'show-knowledge': showKnowledge,
  'remove-knowledge': removeKnowledge,
  'stop-call': stopCall,
  'repeat-analysis': repeatAnalysis,
  'resend-callback': resendCallback,
  'list-lead-events': listLeadEvents,
  'explain-lead': explainLead,
  'retry-leads': retryLeads,
  'list-connections': listConnections,
  'create-connection': createConnection,
  'show-connection': showConnection,
  'update-connection': updateConnection,
  'disconnect-connection': disconnectConnection,
  'replace-token': replaceToken,
  'begin-consent': beginConsent,
  'confirm-consent': confirmConsent,
  'refuse-consent': refuseConsent,
  'list-choices': listChoices,
  'send-test-event': sendTestEvent,
  'list-keys': listKeys,
  'create-key': createKey,
  'revoke-key': revokeKey,
  'show-organization': showOrganization,
  'update-organization': updateOrganization,
  'reveal-callback-secret': revealCallbackSecret,
  'rotate-callback-secret': rotateCallbackSecret,
  'list-credit-entries': listCreditEntries,
  'list-do-not-call': listDoNotCall,
  'add-do-not-call': addDoNotCall,
  'remove-do-not-call': removeDoNotCall,
} as const satisfies Record<string, DashboardRoute>;

export type DashboardRouteName = keyof typeof dashboardRoutes;
