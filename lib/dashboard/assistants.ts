import { definitionMembers } from '../../shared/domain/organizations/assistants/assistant-definition.ts';
import { files, markedAuditLog, table } from '../uses.ts';
import { audited, counted, rowsIn } from './row.ts';

const knowledgeAttributes = ['assistant_id', 'org_id', 'knowledge_base'];

/** The functions about assistants and their knowledge. */
export const assistantsFunctions = rowsIn('assistants', {
  'list-assistants': {
    uses: { ASSISTANTS_TABLE: table('assistants', [], { 'by-org': ['Query'] }) },
    ifItFails: 'The page of the assistants stays empty, with an error. They keep calling.',
  },
  'create-assistant': {
    uses: {
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      ASSISTANTS_TABLE: table('assistants', ['PutItem']),
    },
    ifItFails: 'No assistant can be created.',
  },
  'show-assistant': {
    uses: {
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }),
    },
    ifItFails: 'The page of an assistant stays empty, with an error. It keeps calling.',
  },
  'update-assistant': {
    uses: {
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      ASSISTANTS_TABLE: table('assistants', ['GetItem', 'UpdateItem'], undefined, [
        'assistant_id',
        'org_id',
        ...definitionMembers,
        'revision',
        'updated_at',
        'updated_by',
        'edits',
      ]),
    },
    ifItFails: 'Assistants stay as they are.',
  },
  'delete-assistant': {
    uses: {
      ...audited,
      // PutItem: the entries of a deleted assistant replace it until their texts are removed.
      ASSISTANTS_TABLE: table('assistants', ['GetItem', 'PutItem', 'DeleteItem']),
      CONNECTIONS_TABLE: table('connections', ['ConditionCheckItem']),
      CALL_FILES_BUCKET: files(['DeleteObject'], 'knowledge/'),
    },
    ifItFails:
      'Assistants stay, or texts of a deleted one stay in the bucket, where no call uses them; a repeat removes them.',
  },
  'add-knowledge': {
    uses: {
      AUDIT_TABLE: markedAuditLog,
      ...counted,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      ASSISTANTS_TABLE: table('assistants', ['GetItem', 'UpdateItem'], undefined, knowledgeAttributes),
      CALL_FILES_BUCKET: files(['PutObject', 'DeleteObject'], 'knowledge/'),
    },
    ifItFails: 'Nothing is added to the knowledge base.',
    children: { 'extract-text': 'children/extract-text' },
    // Like upload-knowledge: one full vCPU, and room for the child process.
    memoryMb: 1_769,
    isCostly: true,
  },
  'show-knowledge': {
    uses: {
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      CALL_FILES_BUCKET: files(['GetObject'], 'knowledge/'),
    },
    ifItFails: 'The texts of knowledge bases cannot be read in the dashboard. Calls still use them.',
  },
  'remove-knowledge': {
    uses: {
      ...audited,
      ASSISTANTS_TABLE: table('assistants', ['GetItem', 'UpdateItem'], undefined, knowledgeAttributes),
      CALL_FILES_BUCKET: files(['DeleteObject'], 'knowledge/'),
    },
    ifItFails: 'Entries stay in the knowledge base, or a removed text stays in the bucket, where no call uses it.',
  },
});
