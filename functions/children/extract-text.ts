import '../../shared/documents/no-network.ts';
import { answerDocuments } from '../../shared/documents/child.ts';

await answerDocuments();
