/** The usual names of a column of phone numbers, letters only. */
const names = [
  'phone',
  'phones',
  'phoneno',
  'phonenumber',
  'number',
  'mobile',
  'mobileno',
  'mobilenumber',
  'mobilephone',
  'cell',
  'cellphone',
  'tel',
  'telephone',
  'contactno',
  'contactnumber',
  'whatsapp',
  'whatsappnumber',
];

/** The names in a hint for people. */
export const numberColumns = 'phone, number, mobile, mobile number or contact number';

/** Returns the columns with the name of a phone number, from 0. @param header the cells of a file's first line */
export const numberColumnsOf = (header: readonly string[]): number[] =>
  header.flatMap((cell, index) => (names.includes(cell.toLowerCase().replace(/[^a-z]/g, '')) ? [index] : []));
