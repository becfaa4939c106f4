import { destinationOf } from '../../shared/domain/text/destination.ts';
import { randomOf } from '../simulation/random.ts';
import { anyNumber, passesWrongly, refusedWrongly } from '../support/values/destination-oracle.ts';

/**
 * `npm run bench:destinations [count [seed]]`: compares the rule of the destinations with libphonenumber's full
 * metadata for random numbers of all countries, a million by default, and measures only the rule. The floor is no
 * difference. The workflow `nightly` runs it with another seed every night. The unit tests try fewer numbers.
 */
const [count = 1_000_000, seed = 1] = process.argv.slice(2).map(Number);

const random = randomOf(seed).next;
const wrong = { passes: [] as string[], refused: [] as string[] };
let ordinary = 0;
let nanoseconds = 0n;
for (let tried = 0; tried < count; tried += 1) {
  const number = anyNumber(random);
  const began = process.hrtime.bigint();
  if (destinationOf(number).isOrdinary) ordinary += 1;
  nanoseconds += process.hrtime.bigint() - began;
  if (passesWrongly(number)) wrong.passes.push(number);
  if (refusedWrongly(number)) wrong.refused.push(number);
}
console.log(`${count} numbers of seed ${seed}: ${ordinary} may be called where their country is allowed`);
console.log(`pass although they must not: ${wrong.passes.length} ${wrong.passes.slice(0, 10).join(' ')}`);
console.log(`refused although they need not be: ${wrong.refused.length} ${wrong.refused.slice(0, 10).join(' ')}`);
console.log(`the rule: ${Number(nanoseconds / BigInt(count))} ns for a number`);
if (wrong.passes.length + wrong.refused.length > 0) process.exitCode = 1;
