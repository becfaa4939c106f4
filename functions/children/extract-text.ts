import { answerDocuments } from '../../shared/documents/child.ts';

await answerDocuments();
