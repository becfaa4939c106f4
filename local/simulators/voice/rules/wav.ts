const rate = 4000;

/**
 * Creates a tone as an 8-bit PCM wav file at 4 kHz, which is small for the length of a call. The second channel sounds
 * a fifth higher.
 */
export function toneWav(channels: 1 | 2, seconds: number): Buffer<ArrayBuffer> {
  const dataBytes = Math.max(1, Math.round(rate * seconds)) * channels;
  const file = Buffer.alloc(44 + dataBytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + dataBytes, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20); // PCM
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * channels, 28);
  file.writeUInt16LE(channels, 32);
  file.writeUInt16LE(8, 34);
  file.write('data', 36);
  file.writeUInt32LE(dataBytes, 40);
  // The tones repeat after a second.
  return file.fill(oneSecondTone(channels), 44);
}

function oneSecondTone(channels: 1 | 2): Buffer {
  const samples = Buffer.alloc(rate * channels);
  for (let sample = 0; sample < rate; sample++)
    for (let channel = 0; channel < channels; channel++) {
      const hertz = channel === 0 ? 440 : 660;
      samples[sample * channels + channel] = 128 + Math.round(30 * Math.sin((2 * Math.PI * hertz * sample) / rate));
    }
  return samples;
}
