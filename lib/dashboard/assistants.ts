import { definitionMembers } from '../../shared/domain/organizations/assistants/assistant-definition.ts';
import { type FunctionRow, files, markedAuditLog, table } from '../uses.ts';
import { audited, counted, membership, rowsIn } from './row.ts';

const row = rowsIn('assistants');

const knowledgeAttributes = ['assistant_id', 'org_id', 'knowledge_base'];

/** The functions about assistants and their knowledge. */
export const assistantsFunctions = {
  'list-assistants': row(
    'list-assistants',
    { ...membership, ASSISTANTS_TABLE: table('assistants', [], { 'by-org': ['Query'] }) },
    'The page of the assistants stays empty, with an error. They keep calling.',
  ),
  'create-assistant': row(
    'create-assistant',
    {
      ...membership,
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      ASSISTANTS_TABLE: table('assistants', ['PutItem']),
    },
    'No assistant can be created.',
  ),
  'show-assistant': row(
    'show-assistant',
    {
      ...membership,
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }),
    },
    'The page of an assistant stays empty, with an error. It keeps calling.',
  ),
  'update-assistant': row(
    'update-assistant',
    {
      ...membership,
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
    'Assistants stay as they are.',
  ),
  'delete-assistant': row(
    'delete-assistant',
    {
      ...membership,
      ...audited,
      // PutItem: the entries of a deleted assistant replace it until their texts are removed.
      ASSISTANTS_TABLE: table('assistants', ['GetItem', 'PutItem', 'DeleteItem']),
      CONNECTIONS_TABLE: table('connections', ['ConditionCheckItem']),
      CALL_FILES_BUCKET: files(['DeleteObject'], 'knowledge/'),
    },
    'Assistants stay, or texts of a deleted one stay in the bucket, where no call uses them; a repeat removes them.',
  ),
  'add-knowledge': row(
    'add-knowledge',
    {
      ...membership,
      AUDIT_TABLE: markedAuditLog,
      ...counted,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      ASSISTANTS_TABLE: table('assistants', ['GetItem', 'UpdateItem'], undefined, knowledgeAttributes),
      CALL_FILES_BUCKET: files(['PutObject', 'DeleteObject'], 'knowledge/'),
    },
    'Nothing is added to the knowledge base.',
    {
      children: { 'extract-text': 'children/extract-text' },
      // Like upload-knowledge: one full vCPU, and room for the child process.
      memoryMb: 1_769,
      isCostly: true,
    },
  ),
  'show-knowledge': row(
    'show-knowledge',
    {
      ...membership,
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      CALL_FILES_BUCKET: files(['GetObject'], 'knowledge/'),
    },
    'The texts of knowledge bases cannot be read in the dashboard. Calls still use them.',
  ),
  'remove-knowledge': row(
    'remove-knowledge',
    {
      ...membership,
      ...audited,
      ASSISTANTS_TABLE: table('assistants', ['GetItem', 'UpdateItem'], undefined, knowledgeAttributes),
      CALL_FILES_BUCKET: files(['DeleteObject'], 'knowledge/'),
    },
    'Entries stay in the knowledge base, or a removed text stays in the bucket, where no call uses it.',
  ),
} satisfies Record<string, FunctionRow>;
