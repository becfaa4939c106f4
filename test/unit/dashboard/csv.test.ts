import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { ApiError } from '../../../dashboard/app/api/api-error.ts';
import { formatCsv } from '../../../dashboard/app/files/csv.ts';
import { fetchAllPages } from '../../../dashboard/app/files/fetch-all-pages.ts';
import { MAX_ROWS } from '../../../dashboard/app/files/max-rows.ts';
import { auditCsv } from '../../../dashboard/words/organization/audit-csv.ts';

const cellsOf = (text: string): string[][] => parse(text, { bom: true, relax_column_count: true });

describe('a CSV file', () => {
  it.each(['=1+1', '+91 98200 00001', '-2+3', '@SUM(A1)', '\tx', '  =1', '＝1+1'])('writes %j as text', (value) => {
    expect(cellsOf(formatCsv(['a'], [[value]]))[1]).toEqual([`'${value}`]);
  });

  it.each([
    ['a;=1+1', "a;'=1+1"],
    ['a; +49', "a; '+49"],
    ['a\t@SUM(A1)', "a\t'@SUM(A1)"],
    ['a\n-2+3', "a\n'-2+3"],
    ['a;\uFF1D1', "a;'\uFF1D1"],
    ['\r=1', "'\r'=1"],
    ['a; b', 'a; b'],
  ])('writes %j as text for spreadsheets that split at semicolons, tabs or lines', (value, expected) => {
    expect(cellsOf(formatCsv(['a', 'b'], [['x', value]]))[1]).toEqual(['x', expected]);
  });

  it('begins no cell as a formula, whichever separator a spreadsheet uses', () => {
    const text = fc.string({ unit: fc.constantFrom('=', '+', '-', '@', ';', '\t', '\n', '"', ',', ' ', 'a', '1') });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (row) => {
        const cells = formatCsv(['h'], [['x', ...row]]).split(/[;\t\r\n]/);
        for (const cell of cells) expect(cell).not.toMatch(/^[\s"]*[=+@]/);
      }),
    );
  });

  it.each(['4150868000001944196', '-4150868000001944196', '0044', '-007.5', '0.1234567890123456'])(
    'writes %j as text, because a spreadsheet would change its digits',
    (value) => {
      expect(cellsOf(formatCsv(['a'], [[value]]))[1]).toEqual([`'${value}`]);
    },
  );

  it.each(['12e34', '8E10', '1.5e-3', '.5', '1,204', '50%', '1-2', '4/5', '2026-11-22', '1.2.2026', '10:30', ' 4/5 '])(
    'writes %j as text, because a spreadsheet would read it as another number, a date or a time',
    (value) => {
      expect(cellsOf(formatCsv(['a'], [[value]]))[1]).toEqual([`'${value}`]);
    },
  );

  it.each(['2026-11-22T08:30:00.000Z', '22 Nov 2026, 14:00 IST', 'e846bb34-00000012', 'Call 4/5'])(
    'leaves %j unchanged',
    (value) => {
      expect(cellsOf(formatCsv(['a'], [[value]]))[1]).toEqual([value]);
    },
  );

  it.each(['0', '-0.5', '123456789012345', '1204.125'])(
    'leaves %j a number, so that spreadsheets can calculate with it',
    (value) => {
      expect(cellsOf(formatCsv(['a'], [[value]]))[1]).toEqual([value]);
    },
  );

  it('leaves numbers and plain text unchanged', () => {
    expect(formatCsv(['a', 'b', 'c'], [[-3.5, 'plain', null]])).toBe('\uFEFFa,b,c\r\n-3.5,plain,\r\n');
  });

  it('preserves every text except apostrophes, and begins no cell as a formula', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 }).filter((value) => !value.includes('\0') && value !== '');
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), (row) => {
        const [, read = []] = cellsOf(
          formatCsv(
            row.map(() => 'h'),
            [row],
          ),
        );
        const without = (value = '') => value.replaceAll("'", '');
        expect(read.map(without)).toEqual(row.map(without));
        for (const cell of read) expect(cell).not.toMatch(/^([=@\t\r]|[+-](?!\d+(\.\d+)?$))/);
      }),
    );
  });

  it('shows audit entries in words', () => {
    const text = auditCsv([
      {
        entry: 'e',
        at: '2026-11-22T08:30:00.000Z',
        actor: { kind: 'member', name: 'p@example.com' },
        action: 'member.role_changed',
        thing: { id: 'u2', name: '=cmd|x' },
        before: { role: 'viewer' },
        after: { role: 'admin' },
      },
    ]);
    expect(cellsOf(text)[1]).toEqual([
      '2026-11-22T08:30:00.000Z',
      '22 Nov 2026, 14:00 IST',
      'p@example.com',
      'member',
      'Role changed',
      "'=cmd|x",
      'u2',
      'Role: Viewer',
      'Role: Admin',
    ]);
  });

  it('names a changed connection as the page does', () => {
    const entry = {
      entry: 'e',
      at: '2026-11-22T08:30:00.000Z',
      actor: { kind: 'member' as const, name: 'p@example.com' },
      action: 'connection.updated' as const,
      thing: { id: 'conn_1', name: 'help-desk' },
      before: null,
      after: null,
    };
    expect(cellsOf(auditCsv([entry]))[1]?.[5]).toBe('Help desk');
  });
});

describe('the rows of an export', () => {
  const unanswered = { status: 0, code: 'network' };
  const pagesOf = (total: number, size: number) => async (next: string | undefined) => {
    const start = Number(next ?? 0);
    const items = Array.from({ length: Math.min(size, total - start) }, (_, index) => start + index);
    return { items, next: start + size < total ? String(start + size) : null };
  };

  it('are read page by page, with a running count', async () => {
    const counts: number[] = [];
    const { rows, isCut } = await fetchAllPages(pagesOf(5, 2), new AbortController().signal, (count) =>
      counts.push(count),
    );
    expect([rows, isCut, counts]).toEqual([[0, 1, 2, 3, 4], false, [2, 4, 5]]);
  });

  it('end at the row limit of a file', async () => {
    const { rows, isCut } = await fetchAllPages(pagesOf(MAX_ROWS + 1, 20_000), new AbortController().signal, () => {});
    expect([rows.length, isCut]).toEqual([MAX_ROWS, true]);
  });

  it('are read again after a transient failure of the service, like every other read', async () => {
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    const load = pagesOf(5, 2);
    const failures = [new ApiError({ status: 503, code: 'service_unavailable' }), new ApiError(unanswered)];
    const failsTwice = (next: string | undefined) => {
      const failure = next === '2' ? failures.shift() : undefined;
      return failure ? Promise.reject(failure) : load(next);
    };
    const { rows } = await fetchAllPages(failsTwice, new AbortController().signal, () => {}, wait);
    expect([rows, waits]).toEqual([
      [0, 1, 2, 3, 4],
      [500, 1_000],
    ]);
  });

  it.each([
    ['a refusal', { status: 403, code: 'not_permitted' }],
    ['a demanded wait', { status: 429, code: 'rate_limit_exceeded', retryAfter: 30 }],
  ])('end at %s', async (_, init) => {
    const failure = new ApiError(init);
    let reads = 0;
    const refuse = () => {
      reads += 1;
      return Promise.reject(failure);
    };
    await expect(fetchAllPages(refuse, new AbortController().signal, () => {})).rejects.toBe(failure);
    expect(reads).toBe(1);
  });

  it('end at a failure that lasts', async () => {
    let reads = 0;
    const fail = () => {
      reads += 1;
      return Promise.reject(new ApiError(unanswered));
    };
    const noWait = async () => {};
    await expect(fetchAllPages(fail, new AbortController().signal, () => {}, noWait)).rejects.toThrow('network');
    expect(reads).toBe(3);
  });

  it('end when the person stops the export', async () => {
    const control = new AbortController();
    await expect(fetchAllPages(pagesOf(10, 2), control.signal, () => control.abort())).rejects.toThrow();
  });
});
