import { countNumbers, decodeText, parseNumbersFile } from '../../../dashboard/app/files/numbers-file.ts';
import { readPrefix } from '../../../dashboard/app/url/number-prefix.ts';
import { sendInBatches } from '../../../dashboard/pages/do-not-call/send-in-batches.ts';
import { describeAdditions, doNotCallCsv } from '../../../dashboard/words/organization/do-not-call.ts';

const linesOf = (text: string, column?: number) => {
  const file = parseNumbersFile(text, column);
  return file.kind === 'lines' ? file.lines.map(({ line, text: cell }) => [line, cell]) : file.reason;
};

describe('the numbers of a file', () => {
  it.each([
    [
      'a text with one in each line',
      '98765 43210\r\n\r\n+971501234567',
      [
        [1, '98765 43210'],
        [3, '+971501234567'],
      ],
    ],
    [
      'a column that the header names',
      'Name,Phone Number\n"Rao, Ravi",098765\n,,\nAsha,1\n',
      [
        [2, '098765'],
        [4, '1'],
      ],
    ],
    [
      'a quoted cell over two lines',
      'phone,note\n1,"a ""b""\nc"\n2,\n',
      [
        [2, '1'],
        [4, '2'],
      ],
    ],
    [
      'semicolons and tabs',
      'mobile;name\n1;x\n2\ty\n',
      [
        [2, '1'],
        [3, '2'],
      ],
    ],
    ['a header alone', 'phone\n', []],
    ['an Excel file', 'PK\u0003\u0004\u0000\u0000', 'no_text'],
    ['a column with another usual name', 'Name,Mobile No.\nAsha,1\n', [[2, '1']]],
    ['two columns of numbers', 'phone,mobile\n1,2\n', 'several_columns'],
    ['a quote that stays open', '1\n"2\n', 'open_quote'],
    ['too many lines', '1\n'.repeat(50_001), 'too_many'],
  ])('are found, or the file is refused: %s', (_, text, expected) => {
    expect(linesOf(text)).toEqual(expected);
  });

  it('come from the column that a person chooses', () => {
    expect(parseNumbersFile('phone,mobile\n1,2\n')).toMatchObject({ columns: ['phone', 'mobile'] });
    expect(parseNumbersFile('phone,mobile\n1,2\n', 1)).toMatchObject({ column: 1, lines: [{ line: 2, text: '2' }] });
    const file = 'Client,Ring here\nAsha,1\nRavi,2\n';
    expect(parseNumbersFile(file)).toMatchObject({ columns: ['Client', 'Ring here'], column: 0 });
    expect(linesOf(file, 1)).toEqual([
      [1, 'Ring here'],
      [2, '1'],
      [3, '2'],
    ]);
  });

  it('count once, in any spelling and on any line of the file', () => {
    const [one, two] = ['+919876543210', '+919876543211'];
    const lines = ['098765 43210', 'Meera', '+91 98765 43210', two, '98765-43211'].map((text, index) => ({
      line: index + 1,
      text,
    }));
    const read = [
      { phone: one, is_listed: false },
      null,
      { phone: one, is_listed: false },
      { phone: two, is_listed: true },
      { phone: two, is_listed: true },
    ];
    expect(countNumbers(lines, read)).toEqual({ fresh: [lines[0]], bad: [lines[1]], listed: 1, repeated: 2 });
  });

  it('are read in UTF-8 and in UTF-16, without the byte order mark', () => {
    const encoded = [Buffer.from('\uFEFFphone\n1'), Buffer.from('\uFEFFphone\n1', 'utf16le')];
    expect(encoded.map((bytes) => linesOf(decodeText(bytes)))).toEqual([[[2, '1']], [[2, '1']]]);
  });

  it('can be read from a file that the page exported', () => {
    const at = '2026-03-02T06:00:00.000Z';
    const number = { phone: '+919876543210', added_at: at, call_id: null, added_by: '=1+1', erased_at: null };
    const csv = doNotCallCsv([number, { ...number, phone: null, erased_at: at }]);
    expect(csv).toContain("'=1+1");
    expect(linesOf(csv)).toEqual([[2, number.phone]]);
  });
});

describe('the end of an import', () => {
  it.each([
    [1204, false, '1,204 numbers added.'],
    [0, false, '0 numbers added.'],
    [1000, true, '1,000 numbers added, and perhaps more.'],
    [0, true, 'Some numbers may have been added.'],
  ])('after %s additions, with an unknown outcome: %s', (added, isUnsure, sentence) => {
    expect(describeAdditions({ added, isUnsure })).toBe(sentence);
  });
});

describe('a search of the do-not-call list', () => {
  it.each([
    ['+91 98765-43', '+919876543'],
    ['0091 98', '+9198'],
    ['91', '91'],
    ['098765 4', '0987654'],
    ['', undefined],
    ['Meera', undefined],
    [`+${'9'.repeat(16)}`, undefined],
    [7, undefined],
  ])('for %j uses the prefix %s', (typed, prefix) => {
    expect(readPrefix(typed)).toBe(prefix);
  });
});

describe('an import that is stopped', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => ({ line: index + 1, text: `${index}` }));

  it.each([
    ['its last request', 2_001, 3, true],
    ['its only request', 1, 1, true],
    ['an earlier request', 2_001, 2, false],
    ['an earlier request of a full thousand', 2_000, 1, false],
  ])('during %s knows whether it has sent all numbers', async (_, count, stopAt, isAll) => {
    const control = new AbortController();
    const sent: number[] = [];
    const send = async (phones: string[]) => {
      sent.push(phones.length);
      if (sent.length === stopAt) control.abort();
    };
    expect(await sendInBatches(lines(count), control.signal, send)).toBe(isAll);
    expect(sent).toHaveLength(stopAt);
  });
});
