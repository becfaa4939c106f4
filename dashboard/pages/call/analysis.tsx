import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { Card } from '../../components/layout/card.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { formatFieldValue, whyNoAnalysis } from '../../words/calls/call-page.ts';
import { successWords } from '../../words/calls/calls.ts';
import { wordsIn } from '../../words/newer.ts';
import styles from './call.module.css';
import { DescriptionList } from './description-list.tsx';

/** The analysis's result, with the assistant's own fields. */
export function Analysis({ call }: { call: ShownCall }) {
  const result = call.analysis?.result;
  const fields = Object.entries(result?.structured_data ?? {});
  return (
    <Card title="Analysis">
      {!result && (
        <p className={styles.muted}>
          {whyNoAnalysis(call)} {call.analysis?.error && `(${call.analysis.error})`}
        </p>
      )}
      {result && (
        <>
          <p className={styles.summary}>{result.summary}</p>
          <div className={styles.badges}>
            <Badge tone={wordsIn(successWords, result.success_eval).tone}>
              {wordsIn(successWords, result.success_eval).name}
            </Badge>
            <Badge>{result.sentiment}</Badge>
            {result.do_not_call && <Badge tone="warn">Asked not to be called again</Badge>}
          </div>
          <DescriptionList
            items={[
              ['Intent', result.lead_intent],
              ['Issue', result.issue_summary],
              ['Analyzed', call.analysis?.is_cut ? 'parts of the long transcript' : null],
            ]}
          />
          {fields.length > 0 && (
            <>
              <h3 className={styles.given}>The assistant’s own fields</h3>
              <DescriptionList items={fields.map(([name, value]) => [name, formatFieldValue(value)])} />
            </>
          )}
        </>
      )}
    </Card>
  );
}
