import { tmpdir } from 'node:os';
import { numbersOfFile } from '../../../bin/admin/commands/dnc/file.ts';
import { aFile } from '../../support/admin/offline-admin.ts';

const numbersOf = (content: string | Buffer) => numbersOfFile(aFile('numbers.csv', content), 'IN');

describe('the numbers in a file', () => {
  it.each<[string, string | Buffer, string[]]>([
    [
      'of a spreadsheet with a header, quotes, blank lines and duplicates',
      '\uFEFFName,"Phone Number",Note\r\n\r\n"Rao, Ravi","098765 43210","6"" pipe"\r\n,,\r\n   \r\nAsha,+91-98765-43211,\r\nRavi again,00919876543210\r\n',
      ['+919876543210', '+919876543211'],
    ],
    ['with a header in capitals', 'MOBILE\n9876543210', ['+919876543210']],
    [
      'without a header, in the first column',
      '9876543210,phone of Ravi\n9876543211\n',
      ['+919876543210', '+919876543211'],
    ],
    [
      "of Excel's Unicode text, with two kinds of line ends",
      Buffer.from('\uFEFFphone\r\n9876543210\n9876543211\n', 'utf16le'),
      ['+919876543210', '+919876543211'],
    ],
    ['with a header alone', 'phone_number\n', []],
  ])('%s', async (_, content, numbers) => {
    expect(await numbersOf(content)).toEqual(numbers);
  });
});

describe('a wrong file is refused with its line numbers, without its content', () => {
  const refusal = (message: RegExp) =>
    expect.objectContaining({ error: 'invalid_value', message: expect.stringMatching(message) });

  it.each([
    ['few wrong lines', 'name,phone\nA,9876543210\n\nSecret,12\nB,\nC\nD,9876543211\n', /^(?!.*Secret).*line 4, 5, 6;/],
    ['many wrong lines', `${'nobody\n'.repeat(8)}9876543210\n`, /line 1, 2, 3, 4, 5 and 3 more;/],
    ['an open quote', '9876543210\n"9876543211\n', /not CSV at line/],
    ['two columns of numbers', 'phone,mobile\n9876543210,9876543211\n', /phone, mobile/],
    ['too many numbers', `9876543210\n${'9876543211\n'.repeat(200_000)}`, /more than 200000 numbers/],
  ])('%s', async (_, content, message) => {
    await expect(numbersOf(content)).rejects.toEqual(refusal(message));
  });

  it.each(['/none.csv', tmpdir()])('an unreadable file is refused: %s', async (path) => {
    await expect(numbersOfFile(path, 'IN')).rejects.toEqual(refusal(/cannot be read/));
  });
});
